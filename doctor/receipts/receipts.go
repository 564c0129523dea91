// Package receipts counts what harnesses wrote down of calls and hooks: how often each tool was called, and how often each hook ran,
// failed or refused a call. It keeps names, times and exit statuses, and nothing else of a record.
//
// It imitates no harness: which tools a matcher means, it does not know. It must not know harnesses by name, or how a count is shown.
package receipts

import (
	"slices"
	"time"

	"wsi/harnesses/setup"
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
	Began time.Time         // when the newest session began in which a call was answered
	Stops map[string]int    // runs that were ended, of which the record does not name the hook, by event
	tools map[string]called // by the id of a call, in the current file
	ran   map[run]*Runs
	began map[string]time.Time // by session
	went  map[string]bool      // by session: a call of it was answered
}

// Hook names a hook as a record does.
type Hook struct{ Event, Command string }

// Calls are those of one tool.
type Calls struct {
	Times   []time.Time
	Blocked []time.Time // the times of those that a hook refused
	Clean   time.Time   // when the last one was made that was answered without an error
}

// Runs are those of one hook that are recorded.
type Runs struct {
	Count, Failed, Blocked int

	First, Last       time.Time
	OK, Bad           time.Time // when it last succeeded, and failed
	Status            int       // of the last failure
	TimedOut          bool      // the last failure was that the harness ended it
	FirstBad, Refused time.Time // the first call at which it failed, and that it refused
	Tools             []string  // with which it ran
	Tool              string    // of the last failure, or of the last refusal
	File              string    // in which the last run is

	took []time.Duration
}

type called struct {
	tool string
	at   time.Time
}

type run struct {
	Hook
	call string
}

func newTally() Tally {
	return Tally{Tools: map[string]*Calls{}, Runs: map[Hook]*Runs{}, Stops: map[string]int{}, ran: map[run]*Runs{}, began: map[string]time.Time{}, went: map[string]bool{}}
}

// add counts a receipt of a file.
func (t *Tally) add(r setup.Receipt, file string) {
	if began, ok := t.began[r.Session]; !ok || r.Time.Before(began) {
		t.began[r.Session] = r.Time
	}
	switch r.Outcome {
	case setup.Called:
		if t.Tools[r.Tool] == nil {
			t.Tools[r.Tool] = &Calls{}
		}
		t.Tools[r.Tool].Times = append(t.Tools[r.Tool].Times, r.Time)
		t.tools[r.Call] = called{r.Tool, r.Time}
	case setup.Answered:
		if c, ok := t.tools[r.Call]; ok {
			t.Tools[c.tool].Clean = latest(t.Tools[c.tool].Clean, c.at)
			t.went[r.Session] = true
		}
	case setup.Stopped:
		t.Stops[r.Event]++
	default:
		t.addRun(r, file)
	}
}

// end notes what is known when all was read: a session has several files.
func (t *Tally) end() {
	for session := range t.went {
		t.Began = latest(t.Began, t.began[session])
	}
}

// addRun counts a run of a hook, once: a line about the end of a turn repeats what lines before it say.
func (t *Tally) addRun(r setup.Receipt, file string) {
	at := run{Hook{r.Event, r.Command}, r.Call}
	if known := t.ran[at]; known != nil {
		return
	}
	n := t.Runs[at.Hook]
	if n == nil {
		n = &Runs{First: r.Time}
		t.Runs[at.Hook] = n
	}
	t.ran[at] = n
	n.Count++
	if r.Tool != "" {
		n.Tools = lists.AddUnique(n.Tools, r.Tool)
	}
	c, ofCall := t.tools[r.Call]
	if !ofCall {
		c.at = r.Time
	}
	if n.First = earliest(n.First, r.Time); !r.Time.Before(n.Last) {
		n.Last, n.File = r.Time, file
	}
	if r.Took > 0 {
		n.took = append(n.took, r.Took)
	}
	switch r.Outcome {
	case setup.Blocked:
		n.Blocked++
		if ofCall && r.Status == 2 {
			t.Tools[c.tool].Blocked = append(t.Tools[c.tool].Blocked, c.at)
			n.Refused, n.Tool = earliest(n.Refused, c.at), c.tool
		}
	case setup.Failed, setup.TimedOut:
		n.Failed++
		n.FirstBad = earliest(n.FirstBad, c.at)
		if !r.Time.Before(n.Bad) {
			n.Bad, n.Status, n.TimedOut, n.Tool = r.Time, r.Status, r.Outcome == setup.TimedOut, r.Tool
		}
	default:
		n.OK = latest(n.OK, r.Time)
	}
}

// Median returns how long a run took, 0 if no record says that.
func (r *Runs) Median() time.Duration {
	if len(r.took) == 0 {
		return 0
	}
	slices.Sort(r.took)
	return r.took[len(r.took)/2]
}

// From returns how many of the times are not before a time.
func From(at time.Time, times []time.Time) (n int) {
	for _, t := range times {
		if !t.Before(at) {
			n++
		}
	}
	return n
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
