package wizard

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"wsi/installer"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

// review is the second screen: the changes, file by file.
type review struct {
	draft
	notice string // why the user must review again

	unread int  // parts of the reading time that are not over
	all    bool // show all notes
	list   tui.List
}

// tabs returns the entries of the list: remarks if any, the files, the notes if any.
func (r review) tabs() (titles []string) {
	if r.remarkable() {
		titles = append(titles, "remarks")
	}
	for _, c := range r.Changes {
		titles = append(titles, visible(c.File))
	}
	if len(r.Notes) > 0 {
		titles = append(titles, "good to know")
	}
	return titles
}

// remarkable reports whether the first tab shows remarks.
func (r review) remarkable() bool {
	return len(r.Refused)+len(r.Remarks) > 0 || len(r.Changes) == 0
}

// changeAt returns the index of the file of an entry, in the order of writing. It is negative for the remarks.
func (r review) changeAt(i int) int {
	if r.remarkable() {
		return i - 1
	}
	return i
}

// lines returns the open entry, wrapped at a width.
func (r review) lines(m *model, width int) []string {
	say := func(text string) []string { return tui.Indent(tui.Wrap(text, width-2)) }
	switch i := r.changeAt(r.list.Cursor()); {
	case i < 0:
		return r.remarks(m, width)
	case i < len(r.Changes):
		if r.partly() && !r.all {
			return append(say(visible(r.Changes[i].Own)), "", " "+m.Theme.Faint.Render("n shows its text"))
		}
		var lines []string
		if target := r.Changes[i].Target; target != "" {
			lines = append(say(m.Theme.Say(tui.Attention, "this is a link; the file that changes is "+visible(target))), "")
		}
		return append(lines, drawDiff(r.Changes[i].Diff, width, m.Theme)...)
	}
	return r.goodToKnow(m, width)
}

func (r review) goodToKnow(m *model, width int) (lines []string) {
	notes, more := r.Notes, 0
	if !r.all {
		more = installer.Few(&notes, 0)
	}
	for _, s := range notes {
		lines = append(append(lines, tui.Fix(" ", s.ToDo().Map(visible), width-2)...), "")
	}
	if more > 0 {
		lines = append(lines, " "+m.Theme.Faint.Render(fmt.Sprintf("n shows %d more", more)))
	}
	return lines
}

// partly reports whether the open tab shows at first only a part of the notes, or a line about a file.
func (r review) partly() bool {
	if i := r.changeAt(r.list.Cursor()); i >= 0 && i < len(r.Changes) {
		return r.Changes[i].Own != ""
	}
	return installer.Few(&r.Notes, 0) > 0 && r.list.Cursor() == len(r.tabs())-1
}

func (r review) remarks(m *model, width int) (lines []string) {
	say := func(s tui.State, text, command string) {
		lines = append(lines, tui.Fix("  "+m.Theme.Mark(s)+" ", phrase.Fix{Text: text, Command: command}.Map(visible), width-6)...)
	}
	for _, f := range r.Refused {
		say(tui.Broken, f.Says(m.Options.NameOf(f.Harness)), "")
		if f.Fix != (phrase.Fix{}) {
			lines = append(lines, tui.Fix("    ", f.Fix.Map(visible), width-6)...)
		}
		lines = append(lines, "")
	}
	for _, s := range r.Remarks {
		say(tui.Attention, s.Text, s.Command)
		lines = append(lines, "")
	}
	for _, id := range r.Same {
		say(tui.OK, m.Options.NameOf(id)+": "+r.Unchanged(id), "")
	}
	return lines
}

// agree applies the plan, if the user has had time to read it.
func (m *model) agree() {
	switch {
	case m.review.unread > 0 || m.Repeated:
		m.hint = "read it first, then press enter once"
		m.reading()
		m.review.unread *= 3 // who presses it again and again has not read
	case m.pending:
		m.hint = makingAgain
	default:
		m.apply()
	}
}

const makingAgain = "making the plan again; please wait"

// turnTrust switches whether wsi records that the user trusts the hooks.
func (m *model) turnTrust() {
	if m.pending {
		m.hint = makingAgain
		return
	}
	m.makePlan(!m.review.trust)
}

func (m *model) back() { m.step, m.pending, m.review.notice = choosing, false, "" }

// readingTime is how long a review is shown before enter agrees to it, so that a key that is held down, pressed twice by
// accident or typed before the review was there does not agree.
const readingTime = 700 * time.Millisecond

// reading starts the reading time. It has parts, because a key that waits while the machine is busy comes before all of them are over.
func (m *model) reading() {
	m.review.unread = 7
	m.reads++
	m.readOn(m.reads)
}

func (m *model) readOn(number int) {
	m.After(m.readingTime/7, func() {
		if number != m.reads {
			return // it was begun again
		}
		if m.review.unread--; m.review.unread > 0 {
			m.readOn(number)
		}
	})
}

// turn shows the next entry of the list, or the one before.
func (m *model) turn(step int) {
	tabs := len(m.review.tabs())
	m.review.list.At((m.review.list.Cursor() + step + tabs) % tabs)
	m.Top()
}

// listWidth is the least width of the list where the open entry is at its right.
const listWidth = 44

func (m *model) reviewPage() tui.Page {
	r := &m.review
	rows := lists.Map(r.tabs(), func(title string) []string { return []string{title, ""} })
	for i := range rows {
		if c := r.changeAt(i); c >= 0 && c < len(r.Changes) {
			rows[i][1] = r.Changes[c].Size()
		}
	}
	r.list.Show(make([]string, 2), rows)
	return tui.Page{Lead: m.reviewHead(), List: &r.list, Left: max(listWidth, m.Width/3), Text: func(width int) []string { return r.lines(m, width) }}
}

// reviewHead returns the sentence that matters: what is written, and that nothing is yet.
func (m *model) reviewHead() []string {
	r, t := m.review, m.Theme
	switch said := cmp.Or(m.hint, r.notice); {
	case said != "":
		return m.Text(t.Say(tui.Attention, said))
	case m.pending:
		return m.Text(m.working())
	case len(r.Changes) == 0:
		return m.Text(t.Strong.Render("Nothing to write."))
	}
	added, removed := r.Lines()
	yours := fmt.Sprintf("%d removed", removed)
	if removed == 0 {
		yours = "none of yours changed"
	}
	return m.Text(t.Strong.Render("Nothing is written yet.") +
		fmt.Sprintf(" %s: %s added, %s.", phrase.Count(len(r.Changes), "file"), phrase.Count(added, "line"), yours))
}

// gutter is the width of the sign and the line number: "  + 15  ".
const gutter = 9

// drawDiff draws a unified diff with line numbers. It wraps long lines, so that a review shows every command to its end.
func drawDiff(diff string, width int, t tui.Theme) (lines []string) {
	body := strings.Split(strings.TrimSuffix(diff, "\n"), "\n")
	body = body[min(2, len(body)):]
	end, ends := lineEnd(body)
	before, after := 0, 0
	for _, line := range body {
		sign, text := " ", ""
		if line != "" {
			sign, text = line[:1], strings.TrimSuffix(line[1:], end)
		}
		switch sign {
		case "@":
			before, after = hunk(line)
			lines = append(lines, "    "+t.Hunk.Render(t.Glyph("⋯", "...")+" line "+strconv.Itoa(max(after, 1))+ends))
		case "+":
			lines = append(lines, numbered("+", after, text, width, t.Added)...)
			after++
		case "-":
			lines = append(lines, numbered("-", before, text, width, t.Removed)...)
			before++
		case `\`:
			lines = append(lines, strings.Repeat(" ", gutter)+t.Faint.Render("(no line break at the end)"))
		default:
			lines = append(lines, numbered(" ", after, text, width, tui.Ink(""))...)
			before, after = before+1, after+1
		}
	}
	return lines
}

func numbered(sign string, number int, text string, width int, style tui.Ink) (lines []string) {
	lead := fmt.Sprintf(" %s%5d  ", sign, number)
	for _, part := range strings.Split(ansi.Hardwrap(visible(text), max(width-gutter-1, 10), true), "\n") {
		lines = append(lines, style.Render(lead+part))
		lead = fmt.Sprintf(" %s%5s  ", sign, "")
	}
	return lines
}

// hunk returns the line numbers of "@@ -1,4 +1,9 @@".
func hunk(line string) (before, after int) {
	fields := strings.FieldsFunc(line, func(r rune) bool { return r == '@' || r == ' ' })
	for i, n := range []*int{&before, &after} {
		if i < len(fields) {
			first, _, _ := strings.Cut(fields[i][1:], ",")
			*n, _ = strconv.Atoi(first) // 0 if this is no line of a diff
		}
	}
	return before, after
}

// lineEnd returns what precedes every line feed, and a text about it. If only some lines end with a carriage return, it
// is shown in those.
func lineEnd(body []string) (end, word string) {
	for _, line := range body {
		if !strings.HasSuffix(line, "\r") && !strings.HasPrefix(line, "@@") && !strings.HasPrefix(line, `\`) {
			return "", ""
		}
	}
	return "\r", ", lines end with CR LF"
}
