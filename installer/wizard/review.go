package wizard

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"wsi/installer"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

// review is the second screen: the changes, file by file.
type review struct {
	draft
	notice string // why the user must review again
	hint   string // why the last key did nothing

	since time.Time // when it was shown
	all   bool      // show all notes
	at    int       // index of the tab
	first int       // the first line of the tab that is shown
}

func (r *review) show(d draft) {
	r.draft, r.first = d, 0
	r.at = min(r.at, len(r.tabs())-1)
}

// tabs returns the titles: remarks if any, the files, the notes if any.
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

// change returns the index of the open file in the order of writing. It is negative for the remarks.
func (r review) change() int {
	if r.remarkable() {
		return r.at - 1
	}
	return r.at
}

func (r review) lines(m *model) []string {
	switch i := r.change(); {
	case i < 0:
		return r.remarks(m)
	case i < len(r.Changes):
		if r.partly() && !r.all {
			return append(m.Text(visible(r.Changes[i].Own)), "", " "+m.Theme.Faint.Render("n shows its text"))
		}
		return append(drawTarget(m, r.Changes[i].Target), drawDiff(r.Changes[i].Diff, m.Width, m.Theme)...)
	}
	return r.goodToKnow(m)
}

func drawTarget(m *model, target string) []string {
	if target == "" {
		return nil
	}
	return append(m.Text(m.Theme.Say(tui.Attention, "this is a link; the file that changes is "+visible(target))), "")
}

func (r review) goodToKnow(m *model) (lines []string) {
	notes, more := r.Notes, 0
	if !r.all {
		more = installer.Few(&notes)
	}
	for _, s := range notes {
		lines = append(append(lines, ""), tui.Fix(" ", s.ToDo().Map(visible), m.Width-2)...)
	}
	if more > 0 {
		lines = append(lines, "", " "+m.Theme.Faint.Render(fmt.Sprintf("n shows %d more", more)))
	}
	return lines
}

// partly reports whether the open tab shows at first only a part of the notes, or a line about a file.
func (r review) partly() bool {
	if i := r.change(); i >= 0 && i < len(r.Changes) {
		return r.Changes[i].Own != ""
	}
	return installer.Few(&r.Notes) > 0 && r.at == len(r.tabs())-1
}

func (r review) remarks(m *model) (lines []string) {
	say := func(s tui.State, text, command string) {
		lines = append(lines, tui.Fix("  "+m.Theme.Mark(s)+" ", phrase.Fix{Text: text, Command: command}.Map(visible), m.Width-6)...)
	}
	for _, f := range r.Refused {
		say(tui.Broken, f.Says(m.Options.NameOf(f.Harness)), "")
		if f.Fix != (phrase.Fix{}) {
			lines = append(lines, tui.Fix("    ", f.Fix.Map(visible), m.Width-6)...)
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
	case m.clock().Sub(m.review.since) < m.readingTime || m.Repeated:
		m.review.hint = "read it first, then press enter once"
		m.reading()
	case m.pending:
		m.review.hint = makingAgain
	default:
		m.apply()
	}
}

const makingAgain = "making the plan again; please wait"

// turnTrust switches whether wsi records that the user trusts the hooks.
func (m *model) turnTrust() {
	if m.pending {
		m.review.hint = makingAgain
		return
	}
	m.makePlan(!m.review.trust)
}

func (m *model) back() { m.step, m.pending, m.review.notice = choosing, false, "" }

// readingTime is how long a review is shown before enter agrees to it, so that a key that is held down or pressed twice
// by accident does not agree.
const readingTime = 700 * time.Millisecond

// reading starts the reading time.
func (m *model) reading() { m.review.since = m.clock() }

func (r *review) turn(step int) {
	tabs := len(r.tabs())
	r.at, r.first = (r.at+step+tabs)%tabs, 0
}

// reviewHeight is the height of the open tab: without the tabs, a line below them, and two lines at the end.
func (m *model) reviewHeight() int { return max(m.BodyHeight(m)-4, 1) }

func (m *model) viewReview() []string {
	r, t, height := m.review, m.Theme, m.reviewHeight()
	tab := r.lines(m)
	tab = tab[max(min(r.first, len(tab)-height), 0):]
	below := ""
	if more := len(tab) - height; more > 0 {
		below = t.Down(phrase.Count(more, "more line"))
	}
	lines := []string{m.viewTabs(), t.Faint.Render(strings.Repeat(t.Glyph("─", "-"), m.Width))}
	lines = append(lines, strings.Split(tui.Fit(tab, m.Width, height), "\n")...)
	return append(lines, t.Faint.Render(" "+below), " "+m.viewStatus())
}

// viewStatus says that nothing is written yet, and how much the plan changes.
func (m *model) viewStatus() string {
	r, t := m.review, m.Theme
	if said := cmp.Or(r.hint, r.notice); said != "" {
		return t.Say(tui.Attention, said)
	}
	if m.pending {
		return m.working()
	}
	if len(r.Changes) == 0 {
		return "nothing to write"
	}
	added, removed := r.Lines()
	line := t.Strong.Render("nothing is written yet")
	parts := []string{fmt.Sprintf("%s added, %d removed", phrase.Count(added, "line"), removed), "backup: " + visible(m.Show(m.Options.StateDir)), "undo: wsi remove"}
	if m.Removal {
		parts = parts[:1]
	}
	for _, more := range parts {
		if longer := line + " " + t.Glyph("·", "-") + " " + more; ansi.StringWidth(longer) < m.Width-1 {
			line = longer
		}
	}
	return line
}

// viewTabs draws the title of the open tab, as many around it as fit, and the number of the open file.
func (m *model) viewTabs() string {
	r, t := m.review, m.Theme
	titles, place := r.tabs(), ""
	if i := r.change(); i >= 0 && i < len(r.Changes) {
		place = fmt.Sprintf("file %d of %d ", i+1, len(r.Changes))
	}
	room := m.Width - len(place) - 2
	fits := func(from, to int) bool {
		return from >= 0 && to <= len(titles) && ansi.StringWidth(strings.Join(titles[from:to], "   ")) <= room
	}
	from, to := r.at, r.at+1
	for grown := true; grown; {
		grown = false
		if fits(from, to+1) {
			to, grown = to+1, true
		}
		if fits(from-1, to) {
			from, grown = from-1, true
		}
	}
	var shown []string
	for i := from; i < to; i++ {
		if i == r.at {
			shown = append(shown, t.Accent.Render(tui.Middle(titles[i], room, t)))
		} else {
			shown = append(shown, t.Faint.Render(titles[i]))
		}
	}
	return tui.Spread(" "+strings.Join(shown, "   "), t.Faint.Render(place), m.Width)
}
