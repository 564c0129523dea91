// Package hooklist shows the hooks that are registered with harnesses and what each one did, as a table and as JSON. It is pure: the
// caller reads the hooks and the records.
//
// It must not know files, harnesses by name, or how screens are drawn.
package hooklist

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wsi/doctor/receipts"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/installer/edit"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/printable"
)

// List is the hooks of harnesses, in the order in which the harnesses read them.
type List struct {
	Schema    int       `json:"schema_version"`
	Harnesses []Harness `json:"harnesses"` // those that have a hook
	Hooks     []Row     `json:"hooks"`
}

// schema must be incremented if a member is removed or changes its meaning.
const schema = 3

// Harness is a harness of a list.
type Harness struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Order string `json:"order,omitempty"` // in which order the hooks of an event run, a sentence

	Past string `json:"-"` // how far back its record goes, a sentence
}

// Row is one hook. Its texts are safe to show in one line, and possible secrets in them are masked.
type Row struct {
	Harness string `json:"harness"`         // id
	Origin  string `json:"origin"`          // a [setup.Origin]
	Owner   string `json:"owner,omitempty"` // the plugin, or the harness whose file it is
	Event   string `json:"event"`           // "" = the file as a whole
	Matcher string `json:"matcher"`         // "" = none
	If      string `json:"if,omitempty"`    // a condition that its entry has next to the matcher
	Kind    string `json:"type"`            // as the file says: command, http, prompt ...; or module, script
	Command string `json:"command"`         // with its arguments; or the address, the path, the prompt
	File    string `json:"file"`            // absolute
	Line    int    `json:"line"`            // from 1, 0 = the file as a whole
	CanRun  bool   `json:"can_run"`         // nothing certain keeps the harness from running it
	Receipt
	Blocks string       `json:"blocks,omitempty"` // what the harness blocks, because the hook fails: the call
	Reason string       `json:"reason,omitempty"` // why not
	Fixes  []phrase.Fix `json:"fixes,omitempty"`  // what to do about it
	Remove string       `json:"remove,omitempty"` // the command of its program that removes it, if that is known

	Unsure string `json:"-"` // why it is not judged
	Waits  bool   `json:"-"` // only for the user's approval
	Entry  string `json:"-"` // its entry as it is in the file, with line ends
}

// New returns an empty list.
func New() List {
	return List{Schema: schema, Harnesses: []Harness{}, Hooks: []Row{}}
}

// Add adds the hooks of a harness, as [inspect.Hooks] returns them, with what is known of them.
func (l *List) Add(h setup.Harness, hooks []setup.Hook, known Evidence) {
	if len(hooks) > 0 {
		unasked := slices.ContainsFunc(hooks, func(x setup.Hook) bool { return x.Unasked })
		l.Harnesses = append(l.Harnesses, Harness{ID: h.ID, Name: h.Name, Order: text(h.Hooks.Order), Past: known.past(h, unasked)})
	}
	for i, x := range hooks {
		r := row(h, x)
		r.Receipt = known.receipt(h, i, hooks)
		r.State = r.state()
		l.Hooks = append(l.Hooks, r)
	}
}

func row(harness setup.Harness, h setup.Hook) Row {
	var why []string
	var fixes []phrase.Fix
	for _, s := range h.Skipped {
		why = append(why, text(s.Why))
		fixes = lists.AddUnique(fixes, s.ToDo().Map(text))
	}
	only, _ := h.Fields["if"].(string)
	return Row{
		Harness: harness.ID, If: text(only), Origin: string(h.Origin), Owner: text(h.Owner), Event: text(h.Event), Matcher: text(h.Matcher),
		Kind: text(h.Kind), Command: text(h.CommandLine()), File: text(h.File), Line: h.Line, CanRun: len(h.Skipped) == 0, Unsure: text(h.Unsure), Blocks: h.Blocks,
		Waits:  !slices.ContainsFunc(h.Skipped, func(why setup.Reason) bool { return !why.Approval }),
		Reason: strings.Join(why, "; "), Fixes: fixes, Remove: remover(harness, h),
		Entry: printable.Text(edit.MaskEntry(valid(h.Entry))),
	}
}

// text returns a text from a file as one line without secrets.
func text(s string) string { return printable.Line(edit.MaskSecrets(valid(s))) }

func valid(s string) string { return strings.ToValidUTF8(s, "�") }

// Wrong returns the part of the list with the hooks and files that do not work. One that waits for the user's approval is not at fault.
func (l List) Wrong() List {
	l.Hooks = lists.Filter(l.Hooks, func(r Row) bool { return slices.Contains([]State{Failed, Blocks, CannotRun}, r.State) })
	l.Harnesses = lists.Map(l.Harnesses, func(h Harness) Harness { h.Past = ""; return h })
	return l
}

// Only returns the part of the list that is about one harness.
func (l List) Only(harness string) List {
	l.Hooks = lists.Filter(l.Hooks, func(r Row) bool { return r.Harness == harness })
	return l
}

// remover returns the command of the harness or of wsi that removes a hook, "" if there is none.
func remover(harness setup.Harness, h setup.Hook) string {
	said, wsi := setup.ParseCommand(h.Command)
	plain := strings.TrimFunc(h.Owner, func(r rune) bool { return harnesses.WordOrHyphen(r) || r == '@' || r == '.' }) == ""
	switch {
	case h.Origin == setup.OfPlugin && harness.Files.PluginRemover != nil && h.Owner != "" && plain:
		return harness.Files.PluginRemover(h.Owner)
	case h.Origin == setup.OfPlugin || !wsi:
		return ""
	case h.Origin == setup.OfProject || h.Origin == setup.OfLocal:
		return "wsi remove --harness " + said.Harness + " --scope project"
	}
	return "wsi remove --harness " + said.Harness
}

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
	Asks    bool                        // the doctor can ask the harness, and what it says is known afterwards
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

// receipt returns what is recorded of a hook, that at a place in all.
func (e Evidence) receipt(harness setup.Harness, place int, all []setup.Hook) (r Receipt) {
	h := all[place]
	said, _ := setup.ParseCommand(h.Command)
	own := func(x setup.Hook) bool {
		other, wsi := setup.ParseCommand(x.Command)
		return wsi && other.Verb == said.Verb
	}
	if runs := e.Own[receipts.Hook{Event: harness.ID, Command: said.Verb}]; runs != nil && slices.IndexFunc(all, own) == place {
		n := len(lists.Filter(all, own))
		r = ran(runs, e.Now)
		if r.said = "wsi " + said.Verb + ": " + r.said; n > 1 { // the journal does not have the event
			r.said += fmt.Sprintf(" (all %d events together)", n)
		}
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
		seen.said = "recorded: " + seen.said
		e.judge(&seen, h, runs, tally)
		if seen.State != Ran && e.Changed(h.Program).After(seen.Last) {
			seen.State = Changed
			seen.said += "; " + text(filepath.Base(h.Program)) + " was changed after that, and no later run is recorded"
		}
		if r.State == "" || seen.State != Ran {
			r = seen
		}
	}
	if names, plain := namesIn(h.Matcher); r.State == "" && plain && len(h.Skipped) == 0 && slices.Contains(receipts.Events, h.Event) {
		r.fromCalls(h, names, tally, e.Record.Since, e.Changed(h.File))
	}
	return r
}

// ran returns the receipt of recorded runs.
func ran(runs *receipts.Runs, now time.Time) Receipt {
	r := Receipt{
		State: Ran, Runs: runs.Count, Failed: runs.Failed, Blocked: runs.Blocked, Since: runs.First, Last: runs.Last,
		MedianMS: (runs.Median() + time.Millisecond - 1).Milliseconds(), Record: text(runs.File),
	}
	r.said = phrase.Count(r.Runs, "run")
	say := func(n int, what string) {
		if n > 0 {
			r.said += fmt.Sprint(", ", n, what)
		}
	}
	say(r.Failed, " failed")
	if len(runs.Refused) > 0 {
		say(r.Blocked, " blocked the call")
	} else {
		say(r.Blocked, " with an error for the model")
	}
	r.said += ", last " + phrase.Age(now.Sub(r.Last)) + " ago"
	say(int(r.MedianMS), " ms")
	return r
}

// there returns since when a hook that refused calls is there as it is: since a file of it was changed or, if it ran before its
// settings were changed, since the beginning of that day.
func (e Evidence) there(h setup.Hook, runs *receipts.Runs) time.Time {
	since := receipts.Latest(e.Record.Since, e.Changed(h.File))
	if year, month, day := runs.First.Date(); since.After(runs.First) {
		since = time.Date(year, month, day, 0, 0, 0, 0, runs.First.Location())
	}
	if edited := e.Changed(h.Program); edited.Before(runs.Last) {
		since = receipts.Latest(since, edited)
	}
	return since
}

// judge notes that a hook refuses every call of a tool, or that its last run failed. A guard that refuses some calls works, and two
// calls do not prove the opposite; after a failure that a call went well after it is enough: a success may leave no record.
func (e Evidence) judge(r *Receipt, h setup.Hook, runs *receipts.Runs, tally receipts.Tally) {
	since, all, came, after := e.there(h, runs), 0, 0, 0
	tools := slices.Sorted(maps.Keys(runs.Refused))
	for _, tool := range tools {
		calls := tally.Tools[tool]
		all += len(calls.Times)
		if n, own := receipts.From(since, calls.Times), receipts.From(since, runs.Refused[tool]); n > 2 && receipts.From(since, calls.Blocked) >= n {
			does := "blocked"
			if own < n {
				does = "with another hook it blocked"
			}
			r.State, r.Calls, r.Since = Blocks, n, since
			r.said = fmt.Sprintf("%s every %s call: %d of %d since %s, exit status 2", does, text(tool), own, n, since.Format("2006-01-02 15:04"))
			return
		}
	}
	for _, tool := range runs.Tools {
		came += receipts.From(r.Since, bringing(h.Event, tally.Tools[tool]))
		after += receipts.From(r.Last, bringing(h.Event, tally.Tools[tool]))
	}
	switch {
	case runs.Failed > 0 && !runs.OK.After(runs.Bad) && !tally.Well(runs.BadTool).After(runs.Bad):
		how, of := fmt.Sprintf("exit status %d", runs.Status), phrase.Count(r.Runs, "run")+" that are recorded"
		if runs.TimedOut {
			how = "not finished in time"
		}
		if runs.Tools != nil {
			of = phrase.Count(came, "call") + ofTools(runs.Tools)
		}
		r.State, r.Calls = Failed, came
		r.said = fmt.Sprintf("failed in %d of %s since %s: %s, last %s ago", r.Failed, of, day(r.Since), how, phrase.Age(e.Now.Sub(runs.Bad)))
	case all > 0 && r.Blocked == r.Runs: // it lets the others pass in silence
		r.Calls, r.Since = all, e.Record.Since
		r.said = fmt.Sprintf("blocked %d of %s%s since %s, last %s ago", r.Blocked, phrase.Count(all, "call"), ofTools(tools), day(r.Since), phrase.Age(e.Now.Sub(r.Last)))
	case after > 0:
		r.said += fmt.Sprintf("; nothing is recorded of the %s%s since then", phrase.Count(after, "call"), ofTools(runs.Tools))
	}
}

// fromCalls says of a hook without a recorded run what the calls say: those since the record began, or its file was changed. names are
// those in its matcher, none if it is for all tools. Which calls its condition selects, only the harness knows.
func (r *Receipt) fromCalls(h setup.Hook, names []string, tally receipts.Tally, began, changed time.Time) {
	since, all, called := receipts.Latest(began, changed), 0, 0
	var tools, near []string
	for tool, calls := range tally.Tools {
		all += len(calls.Times)
		if names == nil || slices.Contains(names, tool) {
			tools = append(tools, tool)
			called += receipts.From(since, bringing(h.Event, calls))
		} else if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, tool) }) {
			near = append(near, tool)
		}
	}
	switch {
	case tools == nil:
		r.State, r.said = NoSuchCall, fmt.Sprintf("no call of such a tool since %s, and %s of %d others", day(began), phrase.Count(all, "call"), len(tally.Tools))
		if near != nil {
			r.said += ", " + text(near[0]) + " among them"
		}
	case tally.Stops[h.Event] > 0:
		r.said = fmt.Sprintf("a hook of %s was ended %s before it finished; the record does not say which hook", text(h.Event), phrase.Count(tally.Stops[h.Event], "time"))
	case called > 0 && h.Fields["if"] == nil:
		r.State, r.Calls, r.Since = NoFailure, called, since
		r.said = fmt.Sprintf("%s%s since %s, and no failure is recorded", phrase.Count(called, "call"), ofTools(tools), day(since))
	}
}

// bringing returns the calls that bring an event: PostToolUse comes only after those that went well.
func bringing(event string, calls *receipts.Calls) []time.Time {
	if event == "PostToolUse" {
		return calls.Clean
	}
	return calls.Times
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

// past says what is known of a harness's hooks in general.
func (e Evidence) past(h setup.Harness, unasked bool) (past string) {
	calls := 0
	for _, c := range e.Record.All.Tools {
		calls += len(c.Times)
	}
	switch {
	case unasked && e.Asks:
		past = "This list comes from the files. To ask " + h.Name + " itself, type wsi doctor. "
	case unasked:
		past = "This list comes from the files. "
	}
	switch {
	case h.Hooks.Transcripts == nil:
		return past + h.Name + " keeps no record of what each hook did."
	case calls == 0:
		return past + h.Name + " itself has recorded no tool call."
	case e.Record.Cut:
		past += "Older records are too large to be read. "
	}
	return past + fmt.Sprintf("%s itself has recorded %s since %s, and nothing of hooks that succeed without output.", h.Name, phrase.Count(calls, "call"), day(e.Record.Since))
}

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
