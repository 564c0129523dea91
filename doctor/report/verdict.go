package report

import (
	"fmt"
	"slices"
	"strings"

	"wsi/internal/phrase"
)

// Verdict sums up a report in one sentence, and returns the worst status in it.
func (r Report) Verdict() (worst Status, sentence string) {
	n, groups := r.Counts(), r.examined()
	t := tallied(groups)
	worst, wrong := OK, []string{}
	if n[Warn] > 0 {
		worst, wrong = Warn, []string{phrase.Count(n[Warn], "warning")}
	}
	if n[Fail] > 0 {
		worst, wrong = Fail, append([]string{phrase.Count(n[Fail], "fault")}, wrong...)
	}
	untested := t.asked && t.wired && t.carrying == 0 && t.untried == nil && worst == OK
	switch {
	case len(r.All()) == 0:
		return Info, "Nothing was examined: no check that you named can run here."
	case worst == OK && t.here == 0 && 0 < len(groups) && len(groups) < len(r.Groups):
		return Info, "No fault, and no harness that was examined is on this machine."
	case worst == OK && t.here == 0 && len(groups) > 0:
		return Info, "No fault, and no harness on this machine; install one, then run wsi setup."
	case worst == OK && !t.wired && len(groups) == 1:
		return Info, "No fault. wsi carries no values: it is not set up in " + groups[0].Name + "."
	case worst == OK && !t.wired && len(groups) > 0:
		return Info, "No fault. wsi carries no values: it is not set up in any of these harnesses."
	case worst == OK && (n[OK] == 0 || t.asked && t.carrying == 0 || t.unproven != nil):
		wrong = []string{"No fault"}
	case worst == OK:
		wrong = []string{"All well"}
	}
	where := " in " + phrase.Count(len(r.All()), "check")
	if t.asked && n[Fail] == 0 && !t.wired && t.served > 0 {
		where = ": wsi is set up in none of " + phrase.Count(t.served, "harness") + "; try wsi setup"
	} else if t.asked && !untested && t.served > 0 {
		where = fmt.Sprintf(": wsi carries values in %d of %s", t.carrying, phrase.Count(t.served, "harness"))
		if len(t.untried) > 0 {
			where += "; " + strings.Join(t.untried, " and ") + " cannot be tried here"
		}
	}
	return worst, strings.Join(wrong, " and ") + where + t.use() + "."
}

// tally sums up the harnesses that were examined.
type tally struct {
	here, served, carrying    int // on this machine; of these, with a server that concerns wsi; in which wsi carries its values
	wired, asked              bool
	untried, unused, unproven []string // wired, and: not to be rehearsed; not used yet; not used yet, in a version that was not tested
}

func tallied(groups []Group) (t tally) {
	for _, g := range groups {
		has := func(status Status, check Check) bool {
			return slices.ContainsFunc(g.Findings, func(f Finding) bool { return f.Status == status && f.ID == check.Of(g.ID) })
		}
		if !g.absent() {
			t.here++
			if !g.Idle() {
				t.served++
			}
		}
		chain := Chain(g.Findings)
		well := g.Wired && !g.unserved() && !slices.ContainsFunc(chain, func(j Joint) bool { return j.Status == Fail })
		switch last := chain[len(chain)-1]; {
		case well && last.Status == Info: // no rehearsal can tell
			t.untried = append(t.untried, g.Name)
		case well && g.Seen(last) != Skip:
			t.carrying++
		}
		if well && has(Info, HookFired) {
			t.unused = append(t.unused, g.Name)
			if g.Version != "" && has(Info, HarnessVersion) && !slices.Contains(t.untried, g.Name) { // which says as much
				t.unproven = append(t.unproven, g.Name+" "+g.Version)
			}
		}
		t.wired = t.wired || g.Wired
		t.asked = t.asked || slices.ContainsFunc(g.Findings, func(f Finding) bool { return f.Link == Delivered })
	}
	return t
}

// use says where wsi has not run yet, as the end of a sentence.
func (t tally) use() (end string) {
	switch n := len(t.unused); {
	case n > 0 && n >= t.carrying+len(t.untried):
		end = "; not used yet"
	case n > 0:
		end = "; not used yet in " + strings.Join(t.unused, ", ")
	}
	if len(t.unproven) > 0 {
		end += ", and not tested with " + strings.Join(t.unproven, ", ")
	}
	return end
}

// examined returns the harnesses about which something was found: --only may omit others.
func (r Report) examined() []Group {
	return slices.DeleteFunc(slices.Clone(r.Groups), func(g Group) bool { return len(g.Findings) == 0 })
}

// Idle reports whether wsi has nothing to do in the harness.
func (g Group) Idle() bool {
	return slices.ContainsFunc(g.Findings, func(f Finding) bool { return f.Idle })
}

// unserved reports whether the harness has no server whose values wsi could carry.
func (g Group) unserved() bool {
	return slices.ContainsFunc(g.Findings, func(f Finding) bool {
		return f.Status == Warn && strings.HasSuffix(f.ID, "."+string(ServerRegistered))
	})
}

// absent reports whether there is nothing to say of the harness but that it is not there.
func (g Group) absent() bool {
	return !g.Found && !g.Wired && !slices.ContainsFunc(g.Findings, func(f Finding) bool { return f.Status == Fail })
}

// Seen returns the status of a link as a person sees it: where wsi is not registered, no link is well.
func (g Group) Seen(j Joint) Status {
	if j.Status == Info || j.Status == OK && !g.Wired {
		return Skip
	}
	return j.Status
}
