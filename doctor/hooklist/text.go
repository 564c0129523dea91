package hooklist

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"wsi/doctor/prose"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

// Text writes the list with a part for each harness, at least 40 columns wide. If the style is verbose, it has entries, commands that
// remove hooks, and the order of hooks.
func (l List) Text(w io.Writer, style prose.Style) error {
	var lines []string
	for _, h := range l.Harnesses {
		if rows := l.Only(h.ID).Hooks; len(rows) > 0 {
			lines = append(append(lines, h.lines(rows, style)...), "")
		}
	}
	_, err := io.WriteString(w, tui.Record(lines))
	return err
}

// State is what is known of a hook. Its text is that in JSON.
type State string

// The states, the worst first. The first three are faults.
const (
	Failed     State = "failed"       // the last run that is recorded, and no later call went well
	Blocks     State = "blocks"       // it blocks every call of a tool, or its script is missing so that it would
	CannotRun  State = "cannot-run"   // for a reason that is certain
	Changed    State = "changed"      // it failed or blocked as above, and its program was changed after its last run
	Waits      State = "not-approved" // by its user, and nothing else is wrong
	Ran        State = "ran"
	NoFailure  State = "no-failure"   // calls came with its event, and no failure is recorded
	NoSuchCall State = "no-such-call" // no tool was called that has a name in its matcher
	NotJudged  State = "not-judged"   // a line for a shell, or code, without a record
	NoRecord   State = "no-record"    // nothing is known against it
)

// words are those for one hook in a state and for several, and how they are marked.
type words struct {
	State
	one, several string
	mark         tui.State
}

// counted are the states, the worst first.
var counted = []words{
	{Failed, "fails", "fail", tui.Broken},
	{Blocks, "blocks calls", "block calls", tui.Broken},
	{CannotRun, "cannot run", "cannot run", tui.Broken},
	{Waits, "waits for your approval", "wait for your approval", tui.Broken},
	{Changed, "was changed after it failed", "were changed after they failed", tui.Attention},
	{Ran, "ran", "ran", tui.OK},
	{NoFailure, "has no recorded failure", "have no recorded failure", tui.OK},
	{NoSuchCall, "names tools that were not called", "name tools that were not called", tui.Absent},
	{NotJudged, "is not judged", "are not judged", tui.Absent},
	{NoRecord, "has no record", "have no record", tui.Absent},
}

// place returns the place of a state in the list.
func (s State) place() int {
	return slices.IndexFunc(counted, func(w words) bool { return w.State == s })
}

// Sum says in one sentence how many files have an error, and how many hooks are in each state.
func (l List) Sum() string {
	var said, parts []string
	hooks := lists.Filter(l.Hooks, func(r Row) bool { return !r.whole() })
	if files := len(l.Hooks) - len(hooks); files > 0 {
		said = append(said, phrase.Count(files, "file")+" with an error")
	}
	for _, c := range counted {
		n := len(lists.Filter(hooks, func(r Row) bool { return r.State == c.State }))
		if n == 1 {
			parts = append(parts, "1 "+c.one)
		} else if n > 1 {
			parts = append(parts, fmt.Sprint(n, " ", c.several))
		}
	}
	if in := lists.AddUnique(nil, lists.Map(hooks, func(r Row) string { return r.Harness })...); in != nil {
		said = append(said, phrase.Count(len(hooks), "hook")+" in "+phrase.Count(len(in), "harness")+": "+strings.Join(parts, ", "))
	}
	return strings.Join(said, "; ") + "."
}

// whole reports whether a row is about a file as a whole, not a hook.
func (r Row) whole() bool { return r.Event == "" && r.Kind == "" }

// lines returns the lines of a harness: its hooks, those that do not work first, and what is known of all of them.
func (h Harness) lines(rows []Row, style prose.Style) []string {
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(a.State.place(), b.State.place()) })
	lines := []string{style.Theme.Strong.Render(h.Name)}
	for _, r := range rows {
		lines = append(append(lines, ""), r.lines(style)...)
	}
	note := h.Past
	if style.Verbose {
		note = strings.TrimSpace(style.Show(h.Order) + " " + note)
	}
	if note != "" {
		lines = append(lines, "")
		for _, line := range tui.Wrap(note, cmp.Or(style.Width, 80)) {
			lines = append(lines, style.Theme.Faint.Render(line))
		}
	}
	return lines
}

// lines returns the lines of a hook.
func (r Row) lines(style prose.Style) []string {
	mark := style.Theme.Mark(counted[r.State.place()].mark) + " "
	width := cmp.Or(style.Width, 80) - ansi.StringWidth(mark)
	lines := []string{tui.Middle(style.Show(what(r)), width, style.Theme)}
	if r.whole() {
		lines[0] = "the whole file"
	} else if when := strings.TrimSpace(r.Event + "  " + r.Matcher); when != "" {
		lines = slices.Insert(lines, 0, tui.Cut(when, width, style.Theme))
	}
	lines = append(lines, r.below(style, width)...)
	for i, line := range lines {
		lines[i] = mark + line
		mark = strings.Repeat(" ", ansi.StringWidth(mark))
	}
	return lines
}

// what returns the command of a hook, or its kind if it has none.
func what(r Row) string {
	if r.Kind == "command" {
		return cmp.Or(r.Command, "(no command)")
	}
	return strings.TrimSpace(r.Kind + " " + r.Command)
}

// below returns the lines below that of a hook: where it is, and why it does not run.
func (r Row) below(style prose.Style, width int) (lines []string) {
	t, place, whose := style.Theme, style.Show(r.File), whose(r)
	if r.Line > 0 {
		place = fmt.Sprintf("%s:%d", place, r.Line)
	}
	if style.Width > 0 {
		place = tui.Middle(place, width, t)
	}
	if r.File != r.Command { // a module is its file
		lines = append(lines, place)
	}
	switch joined := place + " (" + whose + ")"; {
	case whose == "":
	case lines != nil && ansi.StringWidth(joined) <= width:
		lines[0] = joined
	default:
		lines = append(lines, tui.Wrap("("+whose+")", width)...)
	}
	for i := range lines {
		lines[i] = t.Faint.Render(lines[i])
	}
	say := func(text string) { lines = append(lines, tui.Wrap(text, width)...) }
	if r.If != "" {
		say("only if " + r.If)
	}
	if r.Blocks != "" {
		say("blocks " + r.Blocks + ": " + style.Show(r.Reason))
	} else if !r.CanRun {
		say("does not run: " + style.Show(r.Reason))
	}
	if r.said != "" {
		say(r.said)
	}
	if r.State == NotJudged {
		say("not judged: " + style.Show(r.Unsure))
	}
	for _, fix := range r.Fixes {
		lead := t.Accent.Render(fix.Label()) + " "
		lines = append(lines, tui.Fix(lead, fix.Map(style.Show), width-ansi.StringWidth(lead))...)
	}
	if !style.Verbose {
		return lines
	}
	if r.Remove != "" {
		say(t.Accent.Render("remove:") + " " + r.Remove)
	}
	for line := range strings.Lines(r.Entry) {
		lines = append(lines, t.Faint.Render("| "+strings.TrimRight(line, "\r\n")))
	}
	return lines
}

// whose says whose hook it is, "" for the user's own.
func whose(r Row) string {
	said, known := map[string]string{"user": "", "plugin": "plugin", "import": "imported from", "managed": "administrator"}[r.Origin]
	if !known {
		said = r.Origin
	}
	return strings.TrimSpace(said + " " + r.Owner)
}

// ofTools names tools, if they are few.
func ofTools(tools []string) string {
	if len(tools) > 3 {
		return fmt.Sprintf(" of %d tools", len(tools))
	}
	return " of " + phrase.List(lists.Map(slices.Sorted(slices.Values(tools)), text), "and")
}

func day(t time.Time) string { return t.Format(time.DateOnly) }
