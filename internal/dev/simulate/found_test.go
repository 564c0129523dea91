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
			options := map[string]*bool{
				"-": new(bool), "kills": &p.kills, "names": &p.names, "pasted": &p.pasted, "traces": &p.traces, "looks": &p.looks, "collects": &p.collects,
			}
			for option := range strings.SplitSeq(fields[2], ",") {
				if options[option] == nil {
					t.Fatalf("no option %q", option)
				}
				*options[option] = true
			}
			kills := p.kills // also with a seed that has none in [job.do]
			p = p.of(seed)
			p.kills = kills
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
