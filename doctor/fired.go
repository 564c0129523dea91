package doctor

import (
	"fmt"
	"time"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/journal"
)

// heard is what the journal has of a harness.
type heard struct {
	injects, captures int // runs of hooks
	noted             int // of these, calls that were noted for the relay
	relayed           int // calls and results that went through a relay
	before            int // runs before a call, hooks' and the relay's, that were to carry a value
	carried           int // of these, those that did
	left              map[string]int
	last              journal.Entry
}

func (p *target) heard() (n heard) {
	n.left = map[string]int{}
	for _, e := range p.journal {
		switch {
		case e.Harness != p.harness.ID:
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
		n.last = e
	}
	return n
}

// count counts what became of a call's value. One that was noted is the relay's to carry.
func (n *heard) count(e journal.Entry) {
	if e.Verb != harnesses.Inject || e.Did == string(carry.Noted) {
		return
	}
	n.before++
	switch carry.Action(e.Did) {
	case carry.Injected, carry.Repaired, carry.Expanded:
		n.carried++
	case carry.Left, carry.Denied:
		n.left[e.Why]++
	}
}

// takesNone is what is journalled of a call of a tool that takes no value: a session begins with one, and some
// servers have many.
const takesNone = "the tool takes no value"

// idle says why nothing was carried though there were calls enough; ok is false if there were not, or something was.
// Calls of tools that take no value need more of them.
func (n heard) idle() (outcome, bool) {
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
	return attention("look at those calls: each has a line in wsi log, with the reason",
		"ran %d times before a call and carried nothing; most often (%d times): %s", n.before, most, why), true
}

// hookFired reads in the journal what wsi did when the harness itself ran it.
func hookFired(p *target) outcome {
	if len(p.hooks) == 0 && !p.relayed() {
		return skipped("there is no hook of wsi's")
	}
	if p.journalErr != nil {
		return skipped("the journal cannot be read")
	}
	n := p.heard()
	ago := Age(p.Env.Now().Sub(n.last.Time))
	switch {
	case n.injects+n.captures+n.relayed == 0, p.relayed() && n.noted+n.relayed == 0:
		return note("never fired; make a call of %s in %s and look again", p.server, p.harness.Name)
	case n.last.Did == "error":
		return broken("look at wsi.state, wsi.vault and wsi.journal: wsi doctor -v shows them", "the last run, %s ago, failed: %s", ago, n.last.Why)
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
		return attention(p.anew("hooks that it read"), "the hook before a call ran %d times, the one after a call never did", n.injects)
	case n.captures >= few && n.injects == 0:
		return attention(p.anew("hooks that it read"), "the hook after a call ran %d times, the one before a call never did", n.captures)
	}
	return good("fired %s ago; %d before a call, %d after", ago, n.injects, n.captures)
}

// anew has the harness be started again, for what runs keeps what it has.
func (p *target) anew(what string) string {
	return "start " + p.harness.Name + " again: what runs keeps the " + what
}

// firedInFront is about wsi relay, and about the hook that tells it who calls.
func (p *target) firedInFront(n heard, ago string) outcome {
	const few = 3
	switch {
	case p.joins() && n.noted >= few && n.relayed == 0:
		return attention(p.anew("server that it started"), "the hook noted %d calls for wsi relay, and none came through it", n.noted)
	case p.joins() && n.relayed >= few && n.noted == 0:
		return attention(p.anew("hooks that it read"), "%d calls and results came through wsi relay, and the hook noted none", n.relayed)
	case p.joins():
		return good("fired %s ago; %d calls noted, %d calls and results in wsi relay", ago, n.noted, n.relayed)
	}
	return good("fired %s ago; %d calls and results in wsi relay", ago, n.relayed)
}

// Age is a duration as people say it.
func Age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(0, int(d.Seconds())))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
