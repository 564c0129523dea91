package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// results are what became of the tests, subtests and scripts among them.
type results struct {
	packages, passed, failed int
	skipped                  map[string][]string // the tests, by the reason
}

func (r *results) add(e event, said []string) {
	switch {
	case e.Test == "" && e.Action == "skip": // no tests
	case e.Test == "":
		r.packages++
	case e.Action == "pass":
		r.passed++
	case e.Action == "fail":
		r.failed++
	default:
		if r.skipped == nil {
			r.skipped = map[string][]string{}
		}
		why := reason(said)
		r.skipped[why] = append(r.skipped[why], e.Package[strings.LastIndexByte(e.Package, '/')+1:]+"."+e.Test)
	}
}

var (
	place   = regexp.MustCompile(`^\s*[\w.-]+\.go:\d+: `)
	command = regexp.MustCompile(`^\s*> (\[[^]]*\] )?skip '(.*)'$`) // of a test script
)

// reason returns why a test was skipped: what its script says, or else the last line that it printed.
func reason(said []string) string {
	for _, line := range slices.Backward(said) {
		if found := command.FindStringSubmatch(strings.TrimSuffix(line, "\n")); found != nil {
			return found[2]
		}
		if loc := place.FindStringIndex(line); loc != nil {
			return strings.TrimSpace(line[loc[1]:])
		}
	}
	return "no reason given"
}

// print shows the numbers, and the skipped tests by their reasons, the most frequent first.
func (r *results) print(w io.Writer) {
	skipped := 0
	reasons := slices.SortedFunc(maps.Keys(r.skipped), func(a, b string) int {
		return cmp.Or(len(r.skipped[b])-len(r.skipped[a]), cmp.Compare(a, b))
	})
	fmt.Fprintln(w)
	for _, why := range reasons {
		skipped += len(r.skipped[why])
		fmt.Fprintf(w, "skipped: %s\n", why)
		for _, name := range r.skipped[why] {
			fmt.Fprintf(w, "         %s\n", name)
		}
	}
	fmt.Fprintf(w, "\n%d packages, %d tests passed, %d failed, %d skipped\n", r.packages, r.passed, r.failed, skipped)
}
