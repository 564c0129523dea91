package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// counts are the numbers of one or more schedules.
type counts struct {
	steps, schedules, calls, agents, forks, resumed, restarts int

	did       map[string]int // entries of the journal
	right     int            // left out, and the agent's value arrived
	missing   int            // left out, and rightly no value arrived
	restored  int            // damaged, and the original arrived
	spliced   int            // those of restored made of two values
	denied    int
	refused   int // by the server
	damaged   int // sessions opened with a damaged value
	doubtful  int // several sessions were named, and a value of the agent's own arrived
	coincided int // two threads had the same bytes in one second
	guessed   int // a sub-agent's first call, guessed by decision 0005
	killed    int // an older value arrived after a hook was killed
	traces    int // calls that take all trace tokens of a chain
	segments  int // tokens that arrived with these
}

func (n *counts) count(failed bool) {
	n.calls++
	if failed {
		n.refused++
	}
}

func (n *counts) add(o counts) {
	n.steps += o.steps
	n.schedules += o.schedules
	n.calls += o.calls
	n.agents += o.agents
	n.forks += o.forks
	n.resumed += o.resumed
	n.restarts += o.restarts
	n.right += o.right
	n.missing += o.missing
	n.restored += o.restored
	n.spliced += o.spliced
	n.denied += o.denied
	n.refused += o.refused
	n.damaged += o.damaged
	n.guessed += o.guessed
	n.coincided += o.coincided
	n.doubtful += o.doubtful
	n.killed += o.killed
	n.traces += o.traces
	n.segments += o.segments
	if n.did == nil {
		n.did = map[string]int{}
	}
	for did, times := range o.did {
		n.did[did] += times
	}
}

// print writes the table, and for each class of violation its count and its shortest case.
func (n *counts) print(out io.Writer, found []violation) {
	rows := []struct {
		name string
		n    int
	}{
		{"steps", n.steps},
		{"schedules", n.schedules},
		{"calls made", n.calls},
		{"sub-agents", n.agents},
		{"forks", n.forks},
		{"resumed", n.resumed},
		{"server restarts", n.restarts},
		{"journal: injected", n.did["injected"]},
		{"journal: captured", n.did["captured"]},
		{"journal: repaired", n.did["repaired"]},
		{"journal: left", n.did["left"]},
		{"journal: noted", n.did["noted"]},
		{"journal: denied", n.did["denied"]},
		{"journal: kept", n.did["kept"]},
		{"left out, the right value arrived", n.right},
		{"left out, rightly no value arrived", n.missing},
		{"damaged, the original arrived", n.restored},
		{"  of these, made of two values", n.spliced},
		{"refused by the server", n.refused},
		{"sessions opened with a damaged value", n.damaged},
		{"a sub-agent's first call, guessed", n.guessed},
		{"in doubt, its own value arrived", n.doubtful},
		{"two equal values, either one arrived", n.coincided},
		{"an older value after a hook was killed", n.killed},
		{"lists of trace tokens", n.traces},
		{"  tokens in these", n.segments},
		{"VIOLATIONS", len(found)},
	}
	for _, r := range rows {
		fmt.Fprintf(out, "%-42s %8d\n", r.name, r.n)
	}
	classes := map[string][]violation{}
	for _, v := range found {
		classes[v.class] = append(classes[v.class], v)
	}
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		all := classes[class]
		slices.SortStableFunc(all, func(a, b violation) int { return cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.seed, b.seed)) })
		fmt.Fprintf(out, "\n%s: %d times; seeds", class, len(all))
		for _, v := range all[:min(len(all), 5)] {
			fmt.Fprintf(out, " %d (step %d)", v.seed, v.step)
		}
		fmt.Fprintf(out, "\n  %s\n", all[0].what)
	}
}

func (w *world) printStory(out io.Writer) { fmt.Fprintln(out, strings.Join(w.story, "\n")) }
