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
	for _, of := range []func() ([]scenario, error){recordedEvents, sessions, relays, homes, commandLines, scripts} {
		more, err := of()
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// report prints the differences and what was compared, by kind, and returns the number of scenarios that differ.
func report(out io.Writer, outcomes []outcome) (found int) {
	type count struct{ scenarios, runs, answers, texts, differ int }
	var kinds []string
	counts := map[string]count{}
	for _, o := range outcomes {
		if !slices.Contains(kinds, o.kind) {
			kinds = append(kinds, o.kind)
		}
		n := counts[o.kind]
		n.scenarios++
		n.runs += o.runs
		n.answers += o.answers
		n.texts += o.texts
		if len(o.differences) > 0 {
			n.differ++
			found++
			fmt.Fprintf(out, "%s: %s\n", o.kind, o.name)
		}
		for i, d := range o.differences {
			if i == most {
				fmt.Fprintf(out, "  and %d more\n", len(o.differences)-most)
				break
			}
			fmt.Fprintf(out, "  %s\n    old: %s\n    new: %s\n", d.what, d.old, d.new)
		}
		counts[o.kind] = n
	}
	fmt.Fprintf(out, "%-18s %10s %10s %10s %10s %10s\n", "", "scenarios", "runs", "answers", "texts", "differ")
	for _, kind := range kinds {
		n := counts[kind]
		fmt.Fprintf(out, "%-18s %10d %10d %10d %10d %10d\n", kind, n.scenarios, n.runs, n.answers, n.texts, n.differ)
	}
	return found
}

// most is the number of differences that are printed for one scenario.
const most = 5
