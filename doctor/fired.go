package doctor

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wsi/doctor/receipts"
	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/journal"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/plainfile"
)

// activity counts the entries of a harness in the journal.
type activity struct {
	injects, captures int            // runs of hooks
	noted             int            // of these, calls that were noted for the relay
	notedLast         time.Time      // the last one of these
	relayed           int            // calls and results that went through a relay
	since             int            // of these, calls for which the hook has noted nothing since notedLast
	before            int            // runs of hook or relay before a call, except for noted calls
	carried           int            // of these, runs that carried a value
	left              map[string]int // why -> runs that did not
	used              time.Time      // of the last run, also for other servers, which do not count
	last              journal.Entry  // the last one that began
	latest            []journal.Entry
	seen              int    // calls that were made with the value that wsi had put in
	sent              []bool // the same by hooks, of each call of which it is known
}

// pending is how long after one run another one may be missing because a call has not been made, or has not ended.
const pending = time.Minute

// window is how many of the latest runs count for runs that could not begin, few how many runs show what always happens.
const (
	window = 10
	few    = 3
)

func (p *target) activity() (n activity) {
	n.left = map[string]int{}
	injected := map[string]bool{} // by Entry.Call
	for _, e := range p.journal {
		if e.Harness != p.harness.ID || e.OfServer() {
			continue
		}
		if n.used = receipts.Latest(n.used, e.Time); e.Server != "" && !carry.Same(e.Server, p.server) {
			continue
		}
		before, byRelay, did := e.Verb == harnesses.Inject, e.Who != "", carry.Action(e.Did)
		switch {
		case byRelay:
			n.relayed++
			if before && e.Time.Sub(n.notedLast) > pending {
				n.since++
			}
		case before:
			n.injects++
		case e.Verb == harnesses.Capture:
			n.captures++
		}
		switch {
		case !before || did == carry.Noted && byRelay:
		case did == carry.Noted: // the relay carries
			n.noted++
			n.notedLast, n.since = e.Time, 0
		default:
			n.before++
			n.count(did, e.Why)
		}
		switch put := before && did == carry.Injected; {
		case put && byRelay: // it makes the call itself
			n.seen++
		case put && e.Call != "":
			injected[e.Call] = true
		case e.Verb == harnesses.Capture && e.Sent != "" && injected[e.Call]:
			delete(injected, e.Call)
			had := e.Sent == journal.With
			if n.sent = append(n.sent, had); had {
				n.seen++
			}
		}
		if !unbegun(e) {
			n.last = e
		}
		n.latest = append(n.latest, e)
	}
	n.latest = n.latest[max(0, len(n.latest)-window):]
	return n
}

// count counts what a run before a call did.
func (n *activity) count(did carry.Action, why string) {
	switch did {
	case carry.Injected, carry.Repaired, carry.Gathered:
		n.carried++
	case carry.Left, carry.Denied:
		n.left[why]++
	}
}

// unbegun reports whether a run failed by its input or its command line, so that it did nothing. One may have any cause.
func unbegun(e journal.Entry) bool {
	return e.Did == "error" && slices.ContainsFunc([]string{"read event", "unknown command", "--harness has no value"}, func(why string) bool {
		return strings.HasPrefix(e.Why, why)
	})
}

// unbegun returns the finding for runs that could not begin. ok is false if there are none among the latest.
func (n activity) unbegun(p *target) (out report.Finding, ok bool) {
	failed := lists.Filter(n.latest, unbegun)
	if len(failed) == 0 {
		return report.Finding{}, false
	}
	last := failed[len(failed)-1]
	out = attention("if it happens again, update wsi: it may not know the events of this version of "+p.harness.Name,
		"%d of the last %s failed at the start, most recently %s ago: %s",
		len(failed), phrase.Count(len(n.latest), "run"), phrase.Age(p.Env.Now().Sub(last.Time)), last.Why)
	if len(failed) == len(n.latest) && len(failed) >= few {
		out.Status = report.Fail
	}
	return out, true
}

// idle returns the finding for a harness that made enough calls and carried nothing. ok is false if it made fewer, or
// carried something. More calls are enough if their tools take no value: a session begins with one, and some servers have many.
func (n activity) idle() (report.Finding, bool) {
	const many = 10
	why, most, others := carry.TakesNone, n.left[carry.TakesNone], 0
	for reason, times := range n.left {
		if reason == carry.TakesNone {
			continue
		}
		if others += times; why == carry.TakesNone || times > most || times == most && reason < why {
			why, most = reason, times
		}
	}
	if n.carried > 0 || others < few && n.left[carry.TakesNone] < many {
		return report.Finding{}, false
	}
	return attention("run wsi log to see the reason for each call",
		"the hook ran before %d calls and put no value into any; the most frequent reason (%d times): %s", n.before, most, why), true
}

// hookFired checks in the journal whether the harness ran wsi, and with what result.
func hookFired(p *target) report.Finding {
	if p.journalErr != nil {
		return skipped("the journal cannot be read")
	}
	n := p.activity()
	ago := phrase.Age(p.Env.Now().Sub(n.last.Time))
	never := n.injects+n.captures+n.relayed == 0 || p.relayed() && n.noted+n.relayed == 0
	if !never && n.last.Did == "error" {
		return broken(phrase.Fix{Text: "look at what the doctor says of wsi itself", Command: "wsi doctor -v --only wsi"}, "the last run, %s ago, failed: %s", ago, n.last.Why)
	}
	if out, some := n.unbegun(p); some {
		return out
	}
	if out, silent := p.silent(n); silent {
		return out
	}
	switch {
	case never && !n.used.IsZero():
		return note("wsi last ran %s ago, but not for %s as it is registered now; make a call of it in %s and run the doctor again",
			phrase.Age(p.Env.Now().Sub(n.used)), p.server, p.harness.Name)
	case never:
		return note("not used yet; make a call of %s in %s and run the doctor again", p.server, p.harness.Name)
	}
	if out, idle := n.idle(); idle {
		return out
	}
	switch relayed := p.relayed(); {
	case relayed && p.notes() && n.noted >= few && n.relayed == 0:
		return attention(p.restart("server that it started"), "the hook noted %d calls for wsi relay, but none came through it", n.noted)
	case relayed && p.notes() && n.relayed >= few && n.noted == 0:
		return attention(p.restartWithHooks(), "%d calls and results came through wsi relay, but the hook noted none", n.relayed)
	case relayed && p.notes() && n.since >= few:
		return attention(p.restartWithHooks(), "the hook last noted a call %s ago; since then %d calls came through wsi relay", phrase.Age(p.Env.Now().Sub(n.notedLast)), n.since)
	case relayed:
		return good("wsi relay last ran %s ago", ago)
	case n.injects >= few && n.captures == 0:
		return attention(p.restart("hooks that it read when it started"), "the hook before a call ran %d times, the one after a call never did", n.injects)
	case n.captures >= few && n.injects == 0:
		return attention(p.restart("hooks that it read when it started"), "the hook after a call ran %d times, the one before a call never did", n.captures)
	}
	return good("wsi's hooks last ran %s ago: %s before a call, %d after one", ago, phrase.Count(n.injects, "run"), n.captures)
}

// restart returns the fix for a harness that still uses what it read at its start.
func (p *target) restart(what string) string {
	return "restart " + p.harness.Name + ": it still uses the " + what
}

// restartWithHooks returns the fix for a harness that calls the server and runs no hook.
func (p *target) restartWithHooks() string {
	return "restart " + p.harness.Name + ", without flags and settings that switch hooks off"
}

// silent returns the finding for a harness that called the server and ran no hook: it was started with hooks switched
// off, or before they were registered. No file of wsi shows that, but the harness's own log does. ok is false if all is
// well, or not known.
func (p *target) silent(n activity) (out report.Finding, ok bool) {
	if p.relayed() || len(p.carried) == 0 {
		return report.Finding{}, false
	}
	ago := func(at time.Time) string { return phrase.Age(p.Env.Now().Sub(at)) + " ago" }
	since, last := changedAt(lists.Map(p.hooks, func(h rehearse.Hook) string { return h.File.Path })), ""
	if runs := len(n.latest); runs > 0 {
		ran := n.latest[runs-1].Time
		since, last = receipts.Latest(since, ran.Add(pending)), "; the last one ran "+ago(ran)
	}
	called := p.lastCall(since)
	if called.IsZero() {
		return report.Finding{}, false
	}
	return attention(p.restartWithHooks(),
		"%s called %s %s and ran no hook of wsi%s", p.harness.Name, p.server, ago(called), last), true
}

// Limits of what is read of a harness's log.
const (
	logFiles = 8
	logBytes = 1 << 20 // from the end of each
)

// lastCall returns when the harness last called the server according to its own log, the zero time if not after this time.
func (p *target) lastCall(after time.Time) (last time.Time) {
	if p.harness.CallLog == nil {
		return last
	}
	log := p.harness.CallLog(p.Env, p.server)
	for _, path := range newest(log.Files, after) {
		for line := range bytes.Lines(end(path)) {
			call := !slices.ContainsFunc(log.Marks, func(mark string) bool { return !bytes.Contains(line, []byte(mark)) })
			if at := timeIn(line); call && at.After(after) {
				last = receipts.Latest(last, at)
			}
		}
	}
	return last
}

// newest returns the newest files that patterns match, of those that were changed after a time.
func newest(patterns []string, after time.Time) (paths []string) {
	changed := map[string]time.Time{}
	for _, pattern := range patterns {
		all, _ := filepath.Glob(pattern) // a path with a bracket is not known
		for _, path := range all {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.ModTime().After(after) {
				changed[path] = info.ModTime()
				paths = append(paths, path)
			}
		}
	}
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(changed[b].Compare(changed[a]), cmp.Compare(a, b)) })
	return paths[:min(len(paths), logFiles)]
}

// end returns the end of a file, nil if it cannot be read.
func end(path string) []byte {
	f, err := plainfile.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // it was only read
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	text, _ := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-logBytes), logBytes))
	return text
}

// timeIn returns the time in a line of a log, after its first "timestamp".
func timeIn(line []byte) (at time.Time) {
	const form = "2006-01-02T15:04:05.000Z"
	_, rest, _ := bytes.Cut(line, []byte("timestamp"))
	rest = bytes.TrimLeft(rest, `":= `)
	if len(rest) >= len(form) {
		at, _ = time.Parse(form, string(rest[:len(form)]))
	}
	return at
}
