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
	case len(groups) == 0:
		return OK, "No fault in wsi itself."
	case len(groups) == 1 && len(here) == 0:
		return Info, "No fault. " + groups[0].Name + " is not on this machine."
	case len(here) == 0:
		return Info, "No fault. No harness that wsi knows is on this machine (see wsi help harnesses)."
	case len(wired) == 0:
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
	var parts []string
	say := func(what string, is func(g Group) bool) bool {
		in := names(lists.Filter(wired, is))
		if len(in) == 1 {
			what = strings.Replace(what, "their own programs", "its own program", 1)
		}
		if in != nil {
			parts = append(parts, fmt.Sprintf(what, phrase.List(in, "and")))
		}
		return in != nil
	}
	right := func(s Status) func(Group) bool {
		return func(g Group) bool { return g.Link(RightValue) == s && !g.has(OK, LiveDelivered) }
	}
	passes := func(s Status) func(Group) bool {
		return func(g Group) bool { return g.Passes && g.has(s, RelayAnswers) }
	}
	works := say("wsi carries values in %s, proved by their own programs", func(g Group) bool { return g.has(OK, LiveDelivered) })
	works = say("wsi carries values in %s", func(g Group) bool { return right(OK)(g) && !g.unused() }) || works
	works = say("test calls in %s got the right value", func(g Group) bool { return right(OK)(g) && g.unused() }) || works
	works = say("wsi relay gets answers from the servers in %s", passes(OK)) || works
	works = say("wsi relay is in front of the servers in %s", passes(Skip)) || works
	if !works {
		some = false
		say("wsi is registered with %s", func(Group) bool { return true })
	}
	say("the first call in %s will show whether it works there", right(Info)) // no rehearsal can tell
	if unused := lists.Filter(wired, Group.unused); len(unused) == len(wired) {
		parts = append(parts, "no real call yet")
	} else {
		say("no real call yet in %s", Group.unused)
	}
	what := strings.Join(parts, "; ")
	unproven := lists.Filter(wired, func(g Group) bool { // in others, the first call will show as much
		return g.unused() && g.Link(RightValue) != Info && g.Version != "" && g.has(Info, HarnessVersion)
	})
	if unproven != nil {
		what += ", and not tested with " + phrase.List(lists.Map(unproven, func(g Group) string { return g.Name + " " + g.Version }), "and")
	}
	if unproven != nil || !some {
		return "No fault: " + what + "."
	}
	return "All well: " + what + "."
}

// unused reports whether nothing has shown yet that the harness runs wsi.
func (g Group) unused() bool {
	return g.has(Info, HookFired) && g.Used == nil && !g.has(OK, LiveDelivered) && !(g.Passes && g.has(OK, RelayAnswers))
}

func (g Group) has(status Status, check Check) bool {
	return slices.ContainsFunc(g.Findings, func(f Finding) bool { return f.Status == status && f.ID == check.Of(g.ID) })
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

// Unregistered is what is said of a harness in which no entry of wsi was found, if a file could not be read, or could.
var Unregistered = map[bool]string{true: "not known whether registered", false: "not registered"}

// Cell is what the table says of a link in the chain of a harness: a symbol, a short text, or both. In a sentence it is Words, "" =
// nothing is to be said.
type Cell struct {
	Status      Status
	Text, Words string
}

// Cells returns the cells of a harness, one for each of [Heads].
func (g Group) Cells(now time.Time) []Cell {
	cells, in := make([]Cell, len(Heads)), ""
	switch {
	case g.has(OK, LiveDelivered):
		in = " proved by " + g.Name + " itself"
	case g.Used == nil, g.has(Info, HookFired): // if it was used, for another server
		in = " in test calls"
	}
	for i, said := range [][3]string{
		{"registered", "registered with a warning", "registered with a fault"},
		{"trusted", "trusted with a warning", "not trusted"},
		{"runs", "runs with a warning", "does not run"},
		{"", "", ""},
		{"right value" + in, "right value with a warning" + in, "wrong value" + in},
	} {
		status := g.Link(links[i])
		cells[i].Status = status
		cells[i].Words = map[Status]string{OK: said[0], Warn: said[1], Fail: said[2]}[status]
	}
	if cells[0].Words != "" && !g.Wired {
		cells[0].Words = Unregistered[g.has(Fail, HookFile)]
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
	switch {
	case right.Status == OK && g.has(OK, LiveDelivered):
		right.Text = "proved"
	case right.Status == Info && g.Wired:
		right.Text, right.Words = "not known yet", "right value not known yet"
	}
	return cells
}
