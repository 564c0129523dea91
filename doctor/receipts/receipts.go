// Package receipts counts what harnesses wrote down of calls and hooks: how often each tool was called, and how often each hook ran,
// failed or refused a call. It keeps names, times and exit statuses, and nothing else of a record.
//
// It imitates no harness: which tools a matcher means, it does not know. It must not know harnesses by name, or how a count is shown.
package receipts

import (
	"slices"
	"time"

	"wsi/harnesses/setup"
	"wsi/hook/journal"
	"wsi/internal/lists"
)

// Record is what the records of a harness hold.
type Record struct {
	Since time.Time // all of it is known from then on; zero = there is no record
	Cut   bool      // there is more than is read
	All   Tally
	Here  Tally // in the folder of the question, and below it
}

// Tally counts calls and runs.
type Tally struct {
	Tools map[string]*Calls
	Runs  map[Hook]*Runs
	Stops map[string]int       // runs that were ended, of which the record does not name the hook, by event
	Began map[string]time.Time // by session
	Went  map[string]bool      // a call of the session was answered

	calls   map[string]call // by id
	counted map[run]bool
}

// Hook names a hook as a record does.
type Hook struct{ Event, Command string }

// Calls are those of one tool.
type Calls struct {
	Times   []time.Time
	Blocked []time.Time // of those that a hook refused
	Clean   time.Time   // of the last one that was answered without an error
}

// Runs are those of one hook that are recorded.
type Runs struct {
	Count, Failed, Blocked int

	First, Last    time.Time
	OK, Bad        time.Time // when it last succeeded, and failed
	Status         int       // of the last failure
	TimedOut       bool      // the last failure was that the harness ended it
	Refused        time.Time // the first call that it refused
	Tools          []string  // with which it ran
	BadTool, Guard string    // of the last failure, and of the last refusal
	File           string    // in which the last run is
	took           []time.Duration
}

type call struct {
	tool string
	at   time.Time
}

type run struct {
	Hook
	call string
}

func newTally() Tally {
	return Tally{map[string]*Calls{}, map[Hook]*Runs{}, map[string]int{}, map[string]time.Time{}, map[string]bool{}, map[string]call{}, map[run]bool{}}
}

// add counts a receipt of a file.
func (t *Tally) add(r setup.Receipt, file string) {
	t.Began[r.Session] = earliest(t.Began[r.Session], r.Time)
	switch r.Outcome {
	case setup.Called:
		if t.Tools[r.Tool] == nil {
			t.Tools[r.Tool] = &Calls{}
		}
		t.Tools[r.Tool].Times = append(t.Tools[r.Tool].Times, r.Time)
		t.calls[r.Call] = call{r.Tool, r.Time}
	case setup.Answered:
		if c, ok := t.calls[r.Call]; ok {
			t.Tools[c.tool].Clean = latest(t.Tools[c.tool].Clean, c.at)
			t.Went[r.Session] = true
		}
	case setup.Stopped:
		t.Stops[r.Event]++
	default:
		at := run{Hook{r.Event, r.Command}, r.Call}
		if t.counted[at] { // a line about the end of a turn repeats what lines before it say
			return
		}
		t.counted[at] = true
		if t.Runs[at.Hook] == nil {
			t.Runs[at.Hook] = &Runs{}
		}
		c := t.calls[r.Call]
		if t.Runs[at.Hook].add(r, c, file); r.Outcome == setup.Blocked && c.tool != "" {
			t.Tools[c.tool].Blocked = append(t.Tools[c.tool].Blocked, c.at)
		}
	}
}

// add counts a run, with a call or none.
func (n *Runs) add(r setup.Receipt, c call, file string) {
	n.Count++
	n.Tools = lists.AddUnique(n.Tools, c.tool)
	first := r.Time
	if c.tool != "" {
		first = c.at
	}
	if n.First = earliest(n.First, first); !r.Time.Before(n.Last) {
		n.Last, n.File = r.Time, file
	}
	if r.Took > 0 {
		n.took = append(n.took, r.Took)
	}
	switch r.Outcome {
	case setup.Blocked:
		if n.Blocked++; r.Status == 2 && c.tool != "" {
			n.Refused, n.Guard = earliest(n.Refused, c.at), c.tool
		}
	case setup.Failed, setup.TimedOut:
		if n.Failed++; !r.Time.Before(n.Bad) {
			n.Bad, n.Status, n.TimedOut, n.BadTool = r.Time, r.Status, r.Outcome == setup.TimedOut, c.tool
		}
	default:
		n.OK = latest(n.OK, r.Time)
	}
}

// Well returns the last time from which it is known that a hook that had failed with a tool did not fail again: a call of the tool was
// answered or, without a tool, a session began in which a call was.
func (t Tally) Well(tool string) (at time.Time) {
	if calls := t.Tools[tool]; calls != nil {
		return calls.Clean
	}
	for session := range t.Went {
		at = latest(at, t.Began[session])
	}
	return at
}

// Median returns how long a run took, 0 if no record says that.
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
		r := setup.Receipt{Outcome: setup.Ran, Time: e.Time, Took: time.Duration(e.Micros) * time.Microsecond}
		if e.Did == "error" {
			r.Outcome = setup.Failed
		}
		all[at].add(r, call{}, j.Path)
	})
	return all
}

func latest(a, b time.Time) time.Time {
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
