// Command differ shows that a change of the source changes nothing that users, harnesses and scripts see. It builds wsi from
// a revision and from the work tree, plays the same scenarios with both, and reports each difference in what they print
// and in the files they leave. It exits with status 1 if there is a difference.
//
// It must not know what is right: tests do. It knows only which words of an answer are of the moment, such as the time.
package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

func main() {
	old := flag.String("old", "HEAD", "the `revision` to compare the work tree with")
	only := flag.String("only", "", "play only scenarios with this `text` in their kind, a colon and their name")
	flag.Parse()
	found, err := run(*old, *only, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	if found > 0 {
		fmt.Fprintf(os.Stderr, "error: %d scenarios differ\n", found)
		os.Exit(1)
	}
}

// run returns the number of scenarios that differ.
func run(revision, only string, out io.Writer) (found int, err error) {
	dir, err := os.MkdirTemp("", "wsi-differ-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // best effort
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return 0, err
	}
	both, err := builds(dir, revision)
	if err != nil {
		return 0, err
	}
	all, err := scenarios()
	if err != nil {
		return 0, err
	}
	all = slices.DeleteFunc(all, func(s scenario) bool { return !strings.Contains(s.kind+": "+s.name, only) })
	outcomes, err := compareAll(dir, both, all, runtime.NumCPU())
	if err != nil {
		return 0, err
	}
	return report(out, outcomes), nil
}

// scenarios returns all there are.
func scenarios() (all []scenario, err error) {
	for _, of := range []func() ([]scenario, error){recordedEvents, sessions, relays, homes} {
		more, err := of()
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// most is the number of differences that are printed for one scenario.
const most = 5

// report prints the differences and how much was compared, by kind, and returns the number of scenarios that differ.
func report(out io.Writer, outcomes []outcome) (found int) {
	compared := map[string][2]int{} // scenarios and texts
	for _, o := range outcomes {
		n := compared[o.kind]
		compared[o.kind] = [2]int{n[0] + 1, n[1] + o.texts}
		if len(o.differences) == 0 {
			continue
		}
		found++
		fmt.Fprintf(out, "%s: %s, %d differences\n", o.kind, o.name, len(o.differences))
		for _, d := range o.differences[:min(most, len(o.differences))] {
			fmt.Fprintf(out, "  %s\n    old: %s\n    new: %s\n", d.what, d.old, d.new)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(compared)) {
		fmt.Fprintf(out, "%-18s %6d scenarios, %7d texts\n", kind, compared[kind][0], compared[kind][1])
	}
	return found
}
