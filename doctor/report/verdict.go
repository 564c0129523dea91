package report

import (
	"fmt"
	"slices"
	"strings"

	"wsi/internal/phrase"
)

// Verdict sums up a report in one sentence, and returns the worst status in it.
func (r Report) Verdict() (worst Status, sentence string) {
	n, groups, here, carrying, asked := r.Counts(), r.examined(), 0, 0, false
	var untried []string
	for _, g := range groups {
		if !g.absent() {
			here++
		}
		chain := Chain(g.Findings)
		well := g.Wired && !g.unserved() && !slices.ContainsFunc(chain, func(j Joint) bool { return j.Status == Fail })
		switch last := chain[len(chain)-1]; {
		case well && last.Status == Info: // no rehearsal can tell
			untried = append(untried, g.Name)
		case well && g.Seen(last) != Skip:
			carrying++
		}
		asked = asked || slices.ContainsFunc(g.Findings, func(f Finding) bool { return f.Link == Delivered })
	}
	worst, wrong := OK, []string{}
	if n[Warn] > 0 {
		worst, wrong = Warn, []string{phrase.Count(n[Warn], "warning")}
	}
	if n[Fail] > 0 {
		worst, wrong = Fail, append([]string{phrase.Count(n[Fail], "fault")}, wrong...)
	}
	wired := slices.ContainsFunc(groups, func(g Group) bool { return g.Wired })
	untested := asked && wired && carrying == 0 && untried == nil && worst == OK
	switch {
	case len(r.All()) == 0:
		return Info, "Nothing was examined: no check that you named can run here."
	case worst == OK && here == 0 && 0 < len(groups) && len(groups) < len(r.Groups):
		return Info, "No fault, and no harness that was examined is on this machine."
	case worst == OK && here == 0 && len(groups) > 0:
		return Info, "No fault, and no harness on this machine; install one, then run wsi setup."
	case worst == OK && !wired && len(groups) == 1:
		return Info, "No fault. wsi carries no values: it is not set up in " + groups[0].Name + "."
	case worst == OK && !wired && len(groups) > 0:
		return Info, "No fault. wsi carries no values: it is not set up in any of these harnesses."
	case worst == OK && (n[OK] == 0 || asked && carrying == 0):
		wrong = []string{"No fault"}
	case worst == OK:
		wrong = []string{"All well"}
	}
	where := " in " + phrase.Count(len(r.All()), "check")
	if asked && n[Fail] == 0 && !wired {
		where = ": wsi is set up in none of " + phrase.Count(here, "harness") + "; try wsi setup"
	} else if asked && !untested {
		where = fmt.Sprintf(": wsi carries values in %d of %s", carrying, phrase.Count(here, "harness"))
		if len(untried) > 0 {
			where += "; " + strings.Join(untried, " and ") + " cannot be tried here"
		}
	}
	return worst, strings.Join(wrong, " and ") + where + "."
}

// examined returns the harnesses about which something was found: --only may omit others.
func (r Report) examined() []Group {
	return slices.DeleteFunc(slices.Clone(r.Groups), func(g Group) bool { return len(g.Findings) == 0 })
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
