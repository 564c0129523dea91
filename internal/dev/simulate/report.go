package main

import (
	"fmt"
	"io"
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

func (n counts) print(out io.Writer) {
	for _, what := range counted {
		fmt.Fprintf(out, "%-42s %8d\n", what, n[what])
	}
}
