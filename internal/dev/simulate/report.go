package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// counts are the numbers of one or more schedules, by what was counted.
type counts map[string]int

// journaled comes before what an entry of the journal did.
const journaled = "journal: "

// counted is all that counts have, in the order of the report.
var counted = []string{
	"steps", "schedules", "calls made", "sub-agents", "forks", "resumed", "server restarts",
	journaled + "injected", journaled + "captured", journaled + "repaired", journaled + "left", journaled + "noted", journaled + "denied", journaled + "kept",
	"left out, the right value arrived", "left out, rightly no value arrived", "damaged, the original arrived", "  of these, made of two values",
	"refused by the server", "sessions opened with a damaged value", "a sub-agent's first call, guessed", "in doubt, its own value arrived",
	"two equal values, either one arrived", "an older value after a hook was killed", "lists of trace tokens", "  tokens in these",
}

func (n counts) add(o counts) {
	for what, times := range o {
		n[what] += times
	}
}

// print writes the table, and for each class of violation its count and its shortest case.
func (n counts) print(out io.Writer, found []violation) {
	for _, what := range counted {
		fmt.Fprintf(out, "%-42s %8d\n", what, n[what])
	}
	fmt.Fprintf(out, "%-42s %8d\n", "VIOLATIONS", len(found))
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
