// Package receipts counts what a harness wrote down of calls and hooks in its transcripts: how often each tool was called, and how
// often each hook ran, failed or refused a call. It keeps names, times and exit statuses, and nothing else.
//
// It imitates no harness: which tools a matcher means, it does not know. It must not know how a count is shown.
package receipts

import (
	"slices"
	"time"

	"wsi/hook/journal"
	"wsi/internal/lists"
)

// Record is what the transcripts of a harness hold.
type Record struct {
	Since time.Time // all of it is known from then on; zero = there is none
	Cut   bool      // there is more than is read
	All   Tally
	Here  Tally // in the folder of the question, and below it
}

// Tally counts calls and runs.
type Tally struct {
	Tools map[string]*Calls
	Runs  map[Hook]*Runs
	Stops map[string]int       // runs that were ended, of which the transcript does not name the hook, by event
	Began map[string]time.Time // by session
	Went  map[string]bool      // a call of the session was answered

	calls   map[string]call // by id
	counted map[run]bool
}

// Hook names a hook as a transcript does.
type Hook struct{ Event, Command string }

// Calls are those of one tool.
type Calls struct {
	Times   []time.Time
	Blocked []time.Time // of those that a hook refused
	Clean   []time.Time // of those that were answered without an error
}

// Runs are those of one hook that are recorded.
type Runs struct {
	Count, Failed, Blocked int

	First, Last time.Time
	OK, Bad     time.Time              // when it last succeeded, and failed
	Status      int                    // of the last failure
	TimedOut    bool                   // the last failure was that the harness ended it
	Tools       []string               // with which it ran
	BadTool     string                 // of the last failure
	File        string                 // in which the last run is
	Refused     map[string][]time.Time // the calls that it refused, by tool
	took        []time.Duration
}

type call struct {
	tool string
	at   time.Time
}

// run names a run by its hook and the id of the call or the event.
type run struct {
	Hook
	id string
}

// outcome is what became of a run.
type outcome struct {
	kind   string // as in a transcript, see below
	status int
	took   time.Duration
	at     time.Time
	file   string
}

// The kinds of outcomes.
const (
	ran       = "hook_success"
	failed    = "hook_non_blocking_error"
	cancelled = "hook_cancelled"
	blocked   = "hook_blocking_error" // it refused the call, or gave the model an error
)

func newTally() Tally {
	return Tally{map[string]*Calls{}, map[Hook]*Runs{}, map[string]int{}, map[string]time.Time{}, map[string]bool{}, map[string]call{}, map[run]bool{}}
}

// count counts a run once: the line about the end of a turn repeats what lines before it say.
func (t *Tally) count(at run, o outcome) {
	if t.counted[at] {
		return
	}
	t.counted[at] = true
	if t.Runs[at.Hook] == nil {
		t.Runs[at.Hook] = &Runs{Refused: map[string][]time.Time{}}
	}
	c := t.calls[at.id]
	if t.Runs[at.Hook].add(o, c); o.kind == blocked && o.status == 2 && c.tool != "" {
		t.Tools[c.tool].Blocked = append(t.Tools[c.tool].Blocked, c.at)
	}
}

// add counts a run, with a call or none.
func (n *Runs) add(o outcome, c call) {
	n.Count++
	n.Tools = lists.AddUnique(n.Tools, c.tool)
	first := o.at
	if c.tool != "" {
		first = c.at
	}
	if n.First = earliest(n.First, first); !o.at.Before(n.Last) {
		n.Last, n.File = o.at, o.file
	}
	if o.took > 0 {
		n.took = append(n.took, o.took)
	}
	switch o.kind {
	case ran:
		n.OK = Latest(n.OK, o.at)
	case blocked:
		if n.Blocked++; o.status == 2 && c.tool != "" {
			n.Refused[c.tool] = append(n.Refused[c.tool], c.at)
		}
	default:
		if n.Failed++; !o.at.Before(n.Bad) {
			n.Bad, n.Status, n.TimedOut, n.BadTool = o.at, o.status, o.kind == cancelled, c.tool
		}
	}
}

// Well returns the last time from which it is known that a hook that had failed with a tool did not fail again: a call of the tool was
// answered or, without a tool, a session began in which a call was.
func (t Tally) Well(tool string) (at time.Time) {
	if calls := t.Tools[tool]; calls != nil {
		for _, clean := range calls.Clean {
			at = Latest(at, clean)
		}
		return at
	}
	for session := range t.Went {
		at = Latest(at, t.Began[session])
	}
	return at
}

// Median returns how long a run took, 0 if no transcript says that.
func (n *Runs) Median() time.Duration {
	if len(n.took) == 0 {
		return 0
	}
	slices.Sort(n.took)
	return n.took[len(n.took)/2]
}

// From returns how many of the times are not before a time.
func From(at time.Time, times []time.Time) int {
	return len(lists.Filter(times, func(t time.Time) bool { return !t.Before(at) }))
}

// Own counts the runs of wsi's own hooks, by harness and verb: its journal has them all.
func Own(j journal.File, since time.Time) map[Hook]*Runs {
	all := map[Hook]*Runs{}
	_, _ = j.Each(func(e journal.Entry) { // what cannot be read is not counted
		at := Hook{e.Harness, e.Verb}
		if e.Who != "" || e.Time.Before(since) {
			return
		}
		if all[at] == nil {
			all[at] = &Runs{}
		}
		kind := ran
		if e.Did == "error" {
			kind = failed
		}
		all[at].add(outcome{kind, 0, time.Duration(e.Micros) * time.Microsecond, e.Time, j.Path}, call{})
	})
	return all
}

// Latest returns the later time; a zero one is none.
func Latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// earliest returns the earlier time; a zero one is none.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}
