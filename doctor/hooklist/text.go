package hooklist

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wsi/doctor/prose"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

// Text writes the list as a table with a part for each harness, at least 40 columns wide. If the style is verbose, it has entries, and
// commands that remove hooks.
func (l List) Text(w io.Writer, style prose.Style) error {
	var lines []string
	for _, h := range l.Harnesses {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, l.part(h, style)...)
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// Verdict says in one sentence what the hooks did, and in another where the reasons are.
func (l List) Verdict(style prose.Style) string {
	verdict := strings.Join(tui.Wrap(l.Sum(" in "+phrase.Count(len(l.Harnesses), "harness"))+".", style.Width), "\n")
	if slices.ContainsFunc(l.Hooks, func(r Row) bool { return counted[r.State.place()].mark == tui.Broken }) {
		verdict += "\nBelow each " + style.Theme.Symbol(tui.Broken) + " is the reason, and what to do."
	}
	return verdict
}

// counted are the states, the worst first, with the words for one hook and for several, and how they are marked.
var counted = []struct {
	State
	one, several string
	mark         tui.State
}{
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
	for i, c := range counted {
		if c.State == s {
			return i
		}
	}
	return len(counted) - 1
}

// Sum counts the hooks in each state, and the files that cannot be read. where follows the number of hooks.
func (l List) Sum(where string) string {
	files := len(lists.Filter(l.Hooks, Row.whole))
	var parts []string
	for _, c := range counted {
		n := len(lists.Filter(l.Hooks, func(r Row) bool { return r.State == c.State && !r.whole() }))
		if n == 1 {
			parts = append(parts, "1 "+c.one)
		} else if n > 1 {
			parts = append(parts, fmt.Sprint(n, " ", c.several))
		}
	}
	if files > 0 {
		parts = append(parts, phrase.Count(files, "file")+" with an error")
	}
	return phrase.Count(len(l.Hooks)-files, "hook") + where + ": " + strings.Join(parts, ", ")
}

// whole reports whether a row is about a file as a whole, not a hook.
func (r Row) whole() bool { return r.Event == "" && r.Kind == "" }

func (l List) part(h Harness, style prose.Style) []string {
	l = l.Only(h.ID)
	rows := slices.Clone(l.Hooks)
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(a.State.place(), b.State.place()) })
	lines := tui.Wrap(style.Theme.Strong.Render(h.Name)+"  "+l.Sum(""), style.Width)
	for _, note := range []string{style.Show(h.Order), h.Past} {
		for _, line := range tui.Wrap(note, style.Width-2) {
			if line != "" {
				lines = append(lines, "  "+style.Theme.Faint.Render(line))
			}
		}
	}
	events, matchers := 0, 0
	for _, r := range rows {
		events, matchers = max(events, len(r.Event)), max(matchers, len(r.Matcher))
	}
	for _, r := range rows {
		lines = append(lines, r.lines(style, [2]int{min(events, style.Width/4), min(matchers, style.Width/2)})...)
	}
	return lines
}

// lines returns the lines of a hook. columns are the widths of event and matcher.
func (r Row) lines(style prose.Style, columns [2]int) []string {
	t, room := style.Theme, style.Width-indent(style.Theme)
	rows, what := []string{"the whole file"}, style.Show(What(r))
	if !r.whole() {
		first := ""
		for i, text := range []string{r.Event, r.Matcher} {
			if columns[i] > 0 {
				first += tui.Cell(text, columns[i], t) + "  "
			}
		}
		switch rows = []string{first + what}; {
		case first == "":
			rows[0] = tui.Middle(what, room, t)
		case ansi.StringWidth(rows[0]) > room || len(r.Matcher) > columns[1]:
			rows = []string{tui.Cut(r.Event+"  "+r.Matcher, room, t), tui.Middle(what, room, t)}
		}
	}
	lines := []string{"  " + t.Mark(counted[r.State.place()].mark) + " " + rows[0]}
	for _, line := range append(rows[1:], r.below(style)...) {
		lines = append(lines, strings.Repeat(" ", indent(t))+line)
	}
	return lines
}

func indent(t tui.Theme) int { return 3 + len([]rune(t.Symbol(tui.OK))) }

// What returns the command of a hook, or its kind if it has none.
func What(r Row) string {
	if r.Kind == "command" {
		return cmp.Or(r.Command, "(no command)")
	}
	return strings.TrimSpace(r.Kind + " " + r.Command)
}

// below returns the lines below that of a hook: where it is, and why it does not run.
func (r Row) below(style prose.Style) (lines []string) {
	t, width := style.Theme, style.Width-indent(style.Theme)
	place, whose := r.place(style), Whose(r)
	if !style.Whole {
		place = tui.Middle(place, width, t)
	}
	if whose != "" {
		whose = " (" + whose + ")"
	}
	below := []string{place + whose}
	if whose != "" && ansi.StringWidth(below[0]) > width {
		below = append([]string{place}, tui.Wrap(strings.TrimSpace(whose), width)...)
	}
	for _, line := range below {
		lines = append(lines, t.Faint.Render(line))
	}
	say := func(text string) { lines = append(lines, tui.Wrap(text, width)...) }
	if r.If != "" {
		say("only if " + r.If)
	}
	if r.said != "" {
		say(r.said)
	}
	if r.State == NotJudged {
		say("not judged: " + style.Show(r.Unsure))
	}
	if !r.CanRun {
		what := "does not run: "
		if r.Blocks != "" {
			what = "blocks " + r.Blocks + ": "
		}
		say(what + style.Show(r.Reason))
		for _, fix := range r.Fixes {
			text := t.Accent.Render(fix.Label()) + " " + style.Show(fix.String())
			if fix.Text == "" && style.Whole { // on one line, so that it can be copied
				lines = append(lines, text)
			} else {
				say(text)
			}
		}
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

// place returns the file and line of a hook.
func (r Row) place(style prose.Style) string {
	if r.Line == 0 {
		return style.Show(r.File)
	}
	return fmt.Sprintf("%s:%d", style.Show(r.File), r.Line)
}

// Whose says whose hook it is, "" for the user's own.
func Whose(r Row) string {
	switch r.Origin {
	case "user":
		return ""
	case "plugin":
		return strings.TrimSpace("plugin " + r.Owner)
	case "import":
		return "imported from " + cmp.Or(r.Owner, "another harness")
	case "managed":
		return "administrator"
	}
	return r.Origin
}
