package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"wsi/internal/lists"
	"wsi/internal/phrase"
)

// Verdict returns the sentence that matters most, and the worst status in the report. Where something is wrong, it is the first
// fault, or else the first warning, and what there is besides.
func (r Report) Verdict() (worst Status, sentence string) {
	if wrong := r.Wrong(); wrong != nil {
		return wrong[0].Status, r.Says(wrong[0]) + "." + r.besides(wrong[0].Status)
	}
	groups := r.Examined()
	here := lists.Filter(groups, func(g Group) bool { return !g.Absent() })
	wired := lists.Filter(here, func(g Group) bool { return g.Wired })
	switch {
	case len(r.All()) == 0:
		return Info, "Nothing was examined: no check that you named can run here."
	case len(groups) > 0 && len(here) == 0 && len(groups) < len(r.Groups):
		return Info, "No fault, and no harness that was examined is on this machine."
	case len(groups) > 0 && len(here) == 0:
		return Info, "No fault, and no harness on this machine; install one, then run wsi setup."
	case len(groups) > 0 && len(wired) == 0:
		return Info, "No fault. wsi carries no values: it is not set up in " + phrase.List(names(groups), "or") + "."
	}
	return OK, well(wired, r.Counts()[OK] > 0)
}

// Wrong returns the faults, then the warnings, nil if there are none.
func (r Report) Wrong() (all []Finding) {
	for _, status := range []Status{Fail, Warn} {
		all = append(all, lists.Filter(r.All(), func(f Finding) bool { return f.Status == status })...)
	}
	return all
}

// Says returns what was found, after the name of the harness in which it was.
func (r Report) Says(f Finding) string {
	for _, g := range r.Groups {
		if slices.ContainsFunc(g.Findings, func(o Finding) bool { return o.ID == f.ID }) && !strings.HasPrefix(f.Text, g.Name) {
			return g.Name + ": " + f.Text
		}
	}
	return f.Text
}

// besides counts the faults and warnings in addition to the one that the verdict says, which has this status.
func (r Report) besides(said Status) string {
	n := r.Counts()
	n[said]--
	var more []string
	if n[Fail] > 0 {
		more = append(more, phrase.Count(n[Fail], "fault"))
	}
	if n[Warn] > 0 {
		more = append(more, phrase.Count(n[Warn], "warning"))
	}
	if more == nil {
		return ""
	}
	return " Also " + phrase.List(more, "and") + "."
}

// well says in which harnesses wsi works. Without a fault, all is not well yet where nothing was proven.
func well(wired []Group, some bool) string {
	var carrying, untried, unused, unproven []string
	asked := false
	for _, g := range wired {
		has := func(status Status, check Check) bool {
			return slices.ContainsFunc(g.Findings, func(f Finding) bool { return f.Status == status && f.ID == check.Of(g.ID) })
		}
		right := g.Link(RightValue)
		asked = asked || slices.ContainsFunc(g.Findings, func(f Finding) bool { return f.Link == RightValue })
		switch right {
		case OK:
			carrying = append(carrying, g.Name)
		case Info: // no rehearsal can tell
			untried = append(untried, g.Name)
		}
		if has(Info, HookFired) {
			unused = append(unused, g.Name)
			if right != Info && g.Version != "" && has(Info, HarnessVersion) { // untried says as much
				unproven = append(unproven, g.Name+" "+g.Version)
			}
		}
	}
	head, what := "All well", "wsi is registered with "+phrase.List(names(wired), "and")
	switch {
	case asked && carrying != nil:
		what = "wsi carries values in " + phrase.List(carrying, "and")
	case asked:
		head = "No fault"
	}
	if unproven != nil || !some {
		head = "No fault"
	}
	if untried != nil {
		what += "; the first call in " + phrase.List(untried, "and") + " will show whether it works there"
	}
	switch {
	case unused != nil && len(unused) == len(wired):
		what += "; not used yet"
	case unused != nil:
		what += "; not used yet in " + phrase.List(unused, "and")
	}
	if unproven != nil {
		what += ", and not tested with " + phrase.List(unproven, "and")
	}
	return fmt.Sprintf("%s: %s.", head, what)
}

func names(groups []Group) []string { return lists.Map(groups, func(g Group) string { return g.Name }) }

// Examined returns the harnesses about which something was found: --only may omit others.
func (r Report) Examined() []Group {
	return lists.Filter(r.Groups, func(g Group) bool { return len(g.Findings) > 0 })
}

// Idle reports whether wsi has nothing to do in the harness.
func (g Group) Idle() bool {
	return slices.ContainsFunc(g.Findings, func(f Finding) bool { return f.Idle })
}

// Absent reports whether there is nothing to say of the harness but that it is not there.
func (g Group) Absent() bool {
	return !g.Found && !g.Wired && !slices.ContainsFunc(g.Findings, func(f Finding) bool { return f.Status == Fail })
}

// Concerns reports whether the harness concerns the user: it is there, and has something for wsi to do.
func (g Group) Concerns() bool { return len(g.Findings) > 0 && !g.Absent() && !g.Idle() }

// Link returns the status of a link as a person sees it: where wsi is not registered, no link is well.
func (g Group) Link(l Link) Status {
	for _, j := range Chain(g.Findings) {
		if j.Link == l && (j.Status != OK || g.Wired) {
			return j.Status
		}
	}
	return Skip
}

// Heads are the headings of the table that [Group.Cells] fill.
var Heads = []string{"registered", "trusted", "runs", "last used", "right value"}

// Cell is what the table says of a link in the chain of a harness: a symbol, a short text, or both. In a sentence it is Words, "" =
// nothing is to be said.
type Cell struct {
	Status      Status
	Text, Words string
}

// Cells returns the cells of a harness, one for each of [Heads].
func (g Group) Cells(now time.Time) []Cell {
	cells, in := make([]Cell, len(Heads)), map[bool]string{true: " in test calls"}[g.Used == nil]
	for i, said := range [][3]string{
		{"registered", "registered with a warning", "not registered"},
		{"trusted", "trusted with a warning", "not trusted"},
		{"runs", "runs with a warning", "does not run"},
		{"", "", ""},
		{"right value" + in, "right value with a warning" + in, "wrong value" + in},
	} {
		status := g.Link(links[i])
		cells[i].Status = status
		cells[i].Words = map[Status]string{OK: said[0], Warn: said[1], Fail: said[2]}[status]
	}
	if cells[1].Status == Fail { // it would run if it were trusted
		cells[2].Words = ""
	}
	used, right := &cells[3], &cells[4]
	switch {
	case g.Used != nil:
		used.Text = phrase.Age(now.Sub(*g.Used)) + " ago"
		used.Words = "last used " + used.Text
	case g.Wired:
		used.Text, used.Words = "not yet", "not used yet"
	}
	if right.Status == Info && g.Wired {
		right.Text, right.Words = "not known yet", "right value not known yet"
	}
	return cells
}
