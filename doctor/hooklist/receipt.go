package hooklist

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"wsi/doctor/receipts"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/internal/lists"
	"wsi/internal/phrase"
)

// State is what is known of a hook. Its text is that in JSON.
type State string

// The states, the worst first. The first three are faults.
const (
	Failed     State = "failed"       // the last run that is recorded, and no later call went well
	Blocks     State = "blocks"       // it blocks every call of a tool, or its script is missing so that it would
	CannotRun  State = "cannot-run"   // for a reason that is certain
	Waits      State = "not-approved" // by its user, and nothing else is wrong
	Ran        State = "ran"
	NoFailure  State = "no-failure"   // calls came with its event, and no failure is recorded
	NoSuchCall State = "no-such-call" // no tool was called that has a name in its matcher
	NotJudged  State = "not-judged"   // a line for a shell, or code, without a record
	NoRecord   State = "no-record"    // nothing is known against it
)

// Receipt is what is recorded of a hook.
type Receipt struct {
	State    State     `json:"state"`
	Runs     int       `json:"runs"`
	Failed   int       `json:"failed"`
	Blocked  int       `json:"blocked"`
	Calls    int       `json:"calls,omitempty"` // with which it may have run
	Since    time.Time `json:"since,omitzero"`  // of the calls or runs
	Last     time.Time `json:"last,omitzero"`
	MedianMS int64     `json:"median_ms,omitempty"`
	Record   string    `json:"record,omitempty"` // the file with the last run
	said     string
}

// Evidence is what is known of the hooks of a harness.
type Evidence struct {
	Record  receipts.Record
	Own     map[receipts.Hook]*receipts.Runs // as [receipts.Own] returns them
	Now     time.Time
	Changed func(path string) time.Time // when a file was last changed
}

// Commands returns the commands of hooks as a record names them.
func Commands(hooks []setup.Hook) []string {
	return lists.AddUnique(nil, lists.Map(lists.Filter(hooks, named), command)...)
}

// named reports whether a record names the hook: Claude Code 2.1.332 names no asynchronous one, and no failure of another type.
func named(h setup.Hook) bool {
	return h.Kind == "command" && h.Fields["async"] != true && h.Fields["asyncRewake"] != true
}

func command(h setup.Hook) string {
	args, _ := h.Fields["args"].([]any)
	return strings.Join(append([]string{h.Command}, lists.Map(args, func(a any) string { return fmt.Sprint(a) })...), " ")
}

// receipt returns what is recorded of a hook, one of all.
func (e Evidence) receipt(harness setup.Harness, h setup.Hook, all []setup.Hook) (r Receipt) {
	said, _ := setup.ParseCommand(h.Command)
	if runs := e.Own[receipts.Hook{Event: harness.ID, Command: said.Verb}]; runs != nil {
		r = ran(runs, e.Now)
		r.said = "wsi " + said.Verb + " " + r.said // its hooks together: the journal does not have the event
	}
	tally := e.Record.All
	if h.Origin == setup.OfProject || h.Origin == setup.OfLocal {
		tally = e.Record.Here
	}
	alike := func(x setup.Hook) bool { // ${CLAUDE_PLUGIN_ROOT} of two plugins is not the same
		return x.Event == h.Event && command(x) == command(h) && x.Owner != h.Owner && len(x.Skipped) == 0
	}
	if !named(h) || len(tally.Tools) == 0 || slices.ContainsFunc(all, alike) {
		return r
	}
	if runs := tally.Runs[receipts.Hook{Event: h.Event, Command: command(h)}]; runs != nil {
		seen := ran(runs, e.Now)
		if seen.judge(runs, tally, e.Now); r.State == "" || seen.State != Ran {
			r = seen
		}
	}
	if names, plain := namesIn(h.Matcher); r.State == "" && plain && len(h.Skipped) == 0 && slices.Contains(receipts.Events, h.Event) {
		r.fromCalls(names, tally, h.Event, e.Record.Since, e.Changed(h.File))
	}
	return r
}

// ran returns the receipt of recorded runs.
func ran(runs *receipts.Runs, now time.Time) Receipt {
	r := Receipt{
		State: Ran, Runs: runs.Count, Failed: runs.Failed, Blocked: runs.Blocked, Since: runs.First, Last: runs.Last,
		MedianMS: runs.Median().Milliseconds(), Record: text(runs.File),
	}
	r.said = fmt.Sprintf("ran %s, last %s ago", phrase.Count(r.Runs, "time"), phrase.Age(now.Sub(r.Last)))
	if runs.Median() > 0 {
		r.said += fmt.Sprintf(", %d ms", max(1, r.MedianMS))
	}
	if r.Failed > 0 {
		r.said += fmt.Sprintf(", %d failed", r.Failed)
	}
	if r.Blocked > 0 && runs.Guard == "" {
		r.said += fmt.Sprintf(", %d with an error for the model", r.Blocked)
	} else if r.Blocked > 0 {
		r.said += fmt.Sprintf(", %d blocked the call", r.Blocked)
	}
	return r
}

// judge notes that a hook refuses every call of a tool, or that its last run failed. A guard that refuses some calls works; and after
// a failure that a call went well after it is enough: a success may leave no record.
func (r *Receipt) judge(runs *receipts.Runs, tally receipts.Tally, now time.Time) {
	guarded, refused := 0, 0
	if calls := tally.Tools[runs.Guard]; calls != nil {
		guarded, refused = receipts.From(runs.Refused, calls.Times), receipts.From(runs.Refused, calls.Blocked)
	}
	switch {
	case guarded > 0 && refused >= guarded:
		r.State, r.Calls, r.Since = Blocks, guarded, runs.Refused
		does := "blocks"
		if runs.Blocked < guarded {
			does = "with another hook it blocks"
		}
		r.said = fmt.Sprintf("%s every %s call: %d of %d since %s, exit status 2", does, text(runs.Guard), runs.Blocked, guarded, day(r.Since))
	case runs.Failed > 0 && !runs.OK.After(runs.Bad) && !tally.Well(runs.BadTool).After(runs.Bad):
		how, of := fmt.Sprintf("exit status %d", runs.Status), phrase.Count(r.Runs, "run")+" that are recorded"
		if runs.TimedOut {
			how = "not finished in time"
		}
		for _, tool := range runs.Tools {
			r.Calls += receipts.From(r.Since, tally.Tools[tool].Times)
			of = phrase.Count(r.Calls, "call") + ofTools(runs.Tools)
		}
		r.State = Failed
		r.said = fmt.Sprintf("failed %d of %s since %s: %s, last %s ago", r.Failed, of, day(r.Since), how, phrase.Age(now.Sub(runs.Bad)))
	case runs.BadTool != "" && !runs.OK.After(runs.Bad):
		r.said += fmt.Sprintf(", but at none of %s since then", phrase.Count(receipts.From(runs.Bad, tally.Tools[runs.BadTool].Times), "call"))
	}
}

// fromCalls says of a hook without a recorded run what the calls say: those since the record began, or its file was changed. names are
// those in its matcher, none if it is for all tools.
func (r *Receipt) fromCalls(names []string, tally receipts.Tally, event string, began, changed time.Time) {
	since := began
	if changed.After(since) {
		since = changed
	}
	all, called := 0, 0
	var tools, near []string
	for tool, calls := range tally.Tools {
		all += len(calls.Times)
		if names == nil || slices.Contains(names, tool) {
			tools = append(tools, tool)
			called += receipts.From(since, calls.Times)
		} else if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, tool) }) {
			near = append(near, tool)
		}
	}
	switch {
	case tools == nil:
		r.State, r.said = NoSuchCall, fmt.Sprintf("no tool of that name was called, but %d others in %s since %s", len(tally.Tools), phrase.Count(all, "call"), day(began))
		if near != nil {
			r.said += ", also " + text(near[0])
		}
	case tally.Stops[event] > 0:
		r.said = fmt.Sprintf("a hook of %s was ended %s before it finished; the record does not say which one", text(event), phrase.Count(tally.Stops[event], "time"))
	case called > 0:
		r.State, r.Calls, r.Since = NoFailure, called, since
		r.said = fmt.Sprintf("%s%s since %s, and no failure is recorded", phrase.Count(called, "call"), ofTools(tools), day(since))
	}
}

// namesIn returns the names in a matcher, none if it is for all tools. plain is false for any other matcher: which tools it means,
// only the harness knows. A name may also mean a tool of another name (Task is Agent in Claude Code 2.1.332).
func namesIn(matcher string) (names []string, plain bool) {
	if matcher == "" || matcher == "*" {
		return nil, true
	}
	names = strings.Split(matcher, "|")
	return names, !slices.ContainsFunc(names, func(n string) bool { return n == "" || strings.TrimFunc(n, harnesses.Word) != "" })
}

// ofTools names tools, if they are few.
func ofTools(tools []string) string {
	if len(tools) > 3 {
		return fmt.Sprintf(" of %d tools", len(tools))
	}
	return " of " + phrase.List(lists.Map(slices.Sorted(slices.Values(tools)), text), "and")
}

// past says what is known of a harness's hooks in general.
func (e Evidence) past(h setup.Harness, unasked bool) (past string) {
	calls := 0
	for _, c := range e.Record.All.Tools {
		calls += len(c.Times)
	}
	if unasked {
		past = "This is what the files say. To ask " + h.Name + " itself, type wsi doctor. "
	}
	switch {
	case h.Hooks.Transcripts == nil:
		return past + "No record says what its hooks did."
	case calls == 0:
		return past + "Its record has no calls."
	case e.Record.Cut:
		past += "Older records are too large to be read. "
	}
	return past + fmt.Sprintf("Its record has %s since %s; a hook that succeeds in silence leaves no line.", phrase.Count(calls, "call"), day(e.Record.Since))
}

func day(t time.Time) string { return t.Format(time.DateOnly) }

// state returns the state of a row of which something is recorded, or nothing.
func (r Row) state() State {
	switch {
	case r.Blocks != "":
		return Blocks
	case !r.CanRun && r.Waits:
		return Waits
	case !r.CanRun:
		return CannotRun
	case r.State == "" && r.Unsure != "":
		return NotJudged
	}
	return cmp.Or(r.State, NoRecord)
}
