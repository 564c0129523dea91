package main

import (
	"bytes"
	"fmt"
	"regexp"
)

// each is how long a recording shows a screen, in seconds.
const each = 4

var size = regexp.MustCompile(`width="(\d+)" height="(\d+)"`)

// recording shows pictures of the same size one after the other, again and again. What shows no animations shows the first.
func recording(pictures [][]byte) []byte {
	var b bytes.Buffer
	whole := size.FindSubmatch(pictures[0])
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]s" height="%[2]s" viewBox="0 0 %[1]s %[2]s">`+"\n", whole[1], whole[2])
	for i, picture := range pictures {
		if i == 0 {
			b.Write(picture)
			continue
		}
		from, to := float64(i)/float64(len(pictures)), float64(i+1)/float64(len(pictures))
		values, times := "hidden;visible;hidden", fmt.Sprintf("0;%.3f;%.3f", from, to)
		if i == len(pictures)-1 {
			values, times = "hidden;visible", fmt.Sprintf("0;%.3f", from)
		}
		fmt.Fprintf(&b, `<g visibility="hidden"><animate attributeName="visibility" calcMode="discrete" dur="%ds" repeatCount="indefinite" values="%s" keyTimes="%s"/>`+"\n",
			each*len(pictures), values, times)
		b.Write(picture)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
