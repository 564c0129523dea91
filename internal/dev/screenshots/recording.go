package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"wsi/internal/testkit/terminal"
)

var (
	heading = regexp.MustCompile(`^\d\. `) // of a step of the demo
	ago     = regexp.MustCompile(`\d+ s ago`)
)

// demo runs the demo of `make try`, and records what a window shows after each of its steps.
func demo(ctx context.Context, h home, root string, files map[string][]byte) error {
	program := filepath.Join(h.programs, "demo")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./internal/dev/demo")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the demo: %w\n%s", err, out)
	}
	const height = 24
	s, err := terminal.Start(ctx, terminal.Program{Args: []string{program}, Env: os.Environ(), Dir: root, Width: 80, Height: height, Patience: 5 * time.Minute})
	if err != nil {
		return err
	}
	code, err := s.Exit()
	all := s.Screen().History().Replace(ago, func(string) string { return "3 s ago" })
	if err != nil || code != 0 {
		return fmt.Errorf("the demo: exit status %d (%w):\n%s", code, err, all.Text())
	}
	var dark, light [][]byte
	lines := all.Lines()
	for end := 1; end <= len(lines); end++ {
		if end == len(lines) || end > 1 && heading.MatchString(lines[end]) {
			shown := all.Rows(max(end-height, 0), height)
			dark, light = append(dark, shown.SVG("make try", terminal.Dark)), append(light, shown.SVG("make try", terminal.Light))
		}
	}
	files["try.svg"], files["try-light.svg"] = recording(dark), recording(light)
	return nil
}

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
