package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestOnceFound plays the stored schedules, cut to a few steps.
func TestOnceFound(t *testing.T) {
	stored, err := os.ReadFile("testdata/found.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(stored)) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 5)
		if fields[0] == "#" {
			continue
		}
		t.Run(fields[4], func(t *testing.T) {
			t.Parallel()
			var seed uint64
			p := plan{verbose: true}
			if _, err := fmt.Sscan(fields[0]+" "+fields[1], &seed, &p.steps); err != nil {
				t.Fatal(err)
			}
			for option := range strings.SplitSeq(fields[2], ",") {
				switch option {
				case "-":
				case "kills":
					p.kills = true
				case "names":
					p.names = true
				case "pasted":
					p.pasted = true
				case "traces":
					p.traces = true
				case "looks":
					p.looks = true
				case "collects":
					p.collects = true
				default:
					t.Fatalf("no option %q", option)
				}
			}
			p.slow, p.indexes = seed%2 == 0, p.collects || p.pasted && seed%4 == 1 // as [job.do] has it
			p.collects = p.collects || p.traces && p.indexes && seed%8 == 1
			w, err := run(seed, p, inside{})
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range w.found {
				t.Errorf("step %d: %s: %s", v.step, v.class, v.what)
			}
			if got := digestOfCalls(w.story); got != fields[3] {
				t.Errorf("it plays other calls, with the digest %s", got)
			}
		})
	}
}

// digestOfCalls returns a digest of what the models of a story call and type, whatever wsi does about it.
func digestOfCalls(story []string) string {
	var calls strings.Builder
	for _, line := range story {
		if call, _, ok := strings.Cut(line, " -> "); ok {
			calls.WriteString(call + "\n")
		}
	}
	sum := sha256.Sum256([]byte(calls.String()))
	return hex.EncodeToString(sum[:4])
}
