package doctor

import (
	"slices"
	"strings"

	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/journal"
	"wsi/internal/phrase"
)

// activity counts the entries of a harness in the journal.
type activity struct {
	injects, captures int            // runs of hooks
	noted             int            // of these, calls that were noted for the relay
	relayed           int            // calls and results that went through a relay
	before            int            // runs of hook or relay before a call, except for noted calls
	carried           int            // of these, runs that carried a value
	left              map[string]int // why -> runs that did not
	last              journal.Entry  // the last one that began
	latest            []journal.Entry
}

// window is how many of the latest runs count for runs that could not begin.
const window = 10

func (p *target) activity() (n activity) {
	n.left = map[string]int{}
	for _, e := range p.journal {
		switch {
		case e.Harness != p.harness.ID, e.Did == "kept", e.Did == "told": // an older wsi wrote these about ids
			continue
		case e.Who != "":
			n.relayed++
		case e.Verb == harnesses.Inject:
			n.injects++
		case e.Verb == harnesses.Capture:
			n.captures++
		}
		if e.Who == "" && e.Did == string(carry.Noted) && e.Verb == harnesses.Inject {
			n.noted++
		}
		n.count(e)
		if !unbegun(e) {
			n.last = e
		}
		n.latest = append(n.latest, e)
	}
	n.latest = n.latest[max(0, len(n.latest)-window):]
	return n
}

// unbegun reports whether a run failed by its input or its command line, so that it did nothing. One may have any cause.
func unbegun(e journal.Entry) bool {
	return e.Did == "error" && slices.ContainsFunc([]string{"read event", "unknown command", "--harness has no value"}, func(why string) bool {
		return strings.HasPrefix(e.Why, why)
	})
}

// unbegun returns the outcome for runs that could not begin. ok is false if there are none among the latest.
func (n activity) unbegun(p *target) (out outcome, ok bool) {
	const few = 3
	failed := slices.DeleteFunc(slices.Clone(n.latest), func(e journal.Entry) bool { return !unbegun(e) })
	if len(failed) == 0 {
		return outcome{}, false
	}
	last := failed[len(failed)-1]
	out = attention("if it happens again, update wsi: it may not know the events of this version of "+p.harness.Name,
		"%d of the last %s could not begin, the last one %s ago: %s",
		len(failed), phrase.Count(len(n.latest), "run"), phrase.Age(p.Env.Now().Sub(last.Time)), last.Why)
	if len(failed) == len(n.latest) && len(failed) >= few {
		out.status = report.Fail
	}
	return out, true
}

// count counts a run before a call. A noted call is carried by the relay.
func (n *activity) count(e journal.Entry) {
	if e.Verb != harnesses.Inject || e.Did == string(carry.Noted) {
		return
	}
	n.before++
	switch carry.Action(e.Did) {
	case carry.Injected, carry.Repaired, carry.Expanded, carry.Gathered:
		n.carried++
	case carry.Left, carry.Denied:
		n.left[e.Why]++
	}
}

// takesNone is the journal's reason for a tool that takes no value. A session begins with one, and some servers have many.
const takesNone = "the tool takes no value"

// idle returns the outcome for a harness that made enough calls and carried nothing. ok is false if it made fewer, or
// carried something. More calls are enough if their tools take no value.
func (n activity) idle() (outcome, bool) {
	const few, many = 3, 10
	why, most, others := takesNone, n.left[takesNone], 0
	for reason, times := range n.left {
		if reason == takesNone {
			continue
		}
		if others += times; why == takesNone || times > most || times == most && reason < why {
			why, most = reason, times
		}
	}
	if n.carried > 0 || others < few && n.left[takesNone] < many {
		return outcome{}, false
	}
	return attention("run wsi log to see the reason for each call",
		"ran %d times before a call and carried nothing; most often (%d times): %s", n.before, most, why), true
}

// hookFired checks in the journal whether the harness ran wsi, and with what result.
func hookFired(p *target) outcome {
	if p.journalErr != nil {
		return skipped("the journal cannot be read")
	}
	n := p.activity()
	ago := phrase.Age(p.Env.Now().Sub(n.last.Time))
	never := n.injects+n.captures+n.relayed == 0 || p.relayed() && n.noted+n.relayed == 0
	if !never && n.last.Did == "error" {
		return broken("check wsi.state, wsi.vault and wsi.journal; wsi doctor -v shows them", "the last run, %s ago, failed: %s", ago, n.last.Why)
	}
	if out, some := n.unbegun(p); some {
		return out
	}
	if out, silent := p.silent(n); silent {
		return out
	}
	if never {
		return p.neverFired()
	}
	if out, idle := n.idle(); idle {
		return out
	}
	if p.relayed() {
		return p.firedInFront(n, ago)
	}
	const few = 3
	switch {
	case n.injects >= few && n.captures == 0:
		return attention(p.restart("hooks that it read"), "the hook before a call ran %d times, the one after a call never did", n.injects)
	case n.captures >= few && n.injects == 0:
		return attention(p.restart("hooks that it read"), "the hook after a call ran %d times, the one before a call never did", n.captures)
	}
	return good("fired %s ago; %d before a call, %d after", ago, n.injects, n.captures)
}

func (p *target) neverFired() outcome {
	return note("never fired; make a call of %s in %s and run the doctor again", p.server, p.harness.Name)
}

// restart returns the fix for a harness that still uses what it read at its start.
func (p *target) restart(what string) string {
	return "restart " + p.harness.Name + ": it still uses the " + what
}

// firedInFront checks wsi relay, and the hook that notes callers for it.
func (p *target) firedInFront(n activity, ago string) outcome {
	const few = 3
	switch {
	case p.joins() && n.noted >= few && n.relayed == 0:
		return attention(p.restart("server that it started"), "the hook noted %d calls for wsi relay, but none came through it", n.noted)
	case p.joins() && n.relayed >= few && n.noted == 0:
		return attention(p.restart("hooks that it read"), "%d calls and results came through wsi relay, but the hook noted none", n.relayed)
	case p.joins():
		return good("fired %s ago; %d calls noted, %d calls and results in wsi relay", ago, n.noted, n.relayed)
	}
	return good("fired %s ago; %d calls and results in wsi relay", ago, n.relayed)
}
