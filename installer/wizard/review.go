package wizard

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wsi/installer"
	"wsi/internal/tui"
)

// review is the second screen: the changes, file by file.
type review struct {
	installer.Review
	plan    installer.Plan
	options installer.Options
	planned bool
	notice  string // why the user must review again
	hint    string // why the last key did nothing

	agreed         // what the user agreed to in this plan
	trustable bool // a harness requires trust records
	edited    bool // a file of wsi's own was edited

	unread bool // not shown long enough, or enter is held down
	shown  int  // counts the reviews shown

	all  bool // show all notes
	at   int  // index of the tab
	port viewport.Model
}

// newReview returns a review without a plan.
func newReview(c Config) review {
	return review{port: viewport.New(), agreed: agreed{c.Options.Trust, c.Options.Replace}}
}

// show starts the review of a plan.
func (r *review) show(m model, msg plannedMsg) {
	r.plan, r.options, r.agreed, r.planned = msg.plan, msg.options, msg.agreed, true
	r.Review, r.trustable = msg.review, msg.trustable
	r.edited = r.replace || edited(r.Review)
	r.at = min(r.at, len(r.tabs())-1)
	r.layout(m)
	r.port.GotoTop()
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

// layout fits the open tab to the window.
func (r *review) layout(m model) {
	if !r.planned {
		return
	}
	r.port.SetWidth(m.width)
	r.port.SetHeight(max(m.height-6, 1))
	i := r.at
	if r.remarkable() {
		i--
	}
	switch {
	case i < 0:
		r.port.SetContentLines(r.remarks(m))
	case i < len(r.Changes):
		r.port.SetContentLines(append(drawTarget(r.Changes[i], m.width, m.theme), drawDiff(r.Changes[i].Diff, m.width, m.theme)...))
	default:
		r.port.SetContentLines(r.goodToKnow(m))
	}
}

// drawTarget names the file that is written through a link.
func drawTarget(c installer.Diffed, width int, t tui.Theme) []string {
	if c.Target == "" {
		return nil
	}
	text := t.Symbol(tui.Attention) + " this is a link; the file that changes is " + visible(c.Target)
	return append(tui.Indent(tui.Wrap(t.In(tui.Attention, text), width-2)), "")
}

func (r review) goodToKnow(m model) (lines []string) {
	notes, more := r.Few()
	if r.all {
		notes, more = r.Notes, 0
	}
	for _, s := range notes {
		lines = append(lines, "")
		lines = append(lines, tui.Indent(tui.Wrap(visible(s.Text), m.width-2))...)
	}
	if more > 0 {
		lines = append(lines, "", " "+m.theme.Faint.Render(fmt.Sprintf("n shows %d more", more)))
	}
	return lines
}

// noted reports whether the tab of notes is open and has more notes than it shows at first.
func (r review) noted() bool {
	_, more := r.Few()
	return more > 0 && r.at == len(r.tabs())-1
}

// remarks draws the refusals and remarks.
func (r review) remarks(m model) (lines []string) {
	say := func(s tui.State, text string) {
		lines = append(lines, tui.Hanging("  "+m.theme.Mark(s)+" ", text, m.width-6)...)
	}
	for _, f := range r.Refused {
		where := m.Options.NameOf(f.Harness) + " stays as it is: "
		if f.File != "" {
			where += f.File + ": "
		}
		say(tui.Broken, visible(where+f.Error))
		if f.Hint != "" {
			lines = append(lines, tui.Indent(tui.Indent(tui.Indent(tui.Indent(tui.Wrap(m.theme.Faint.Render(visible(f.Hint)), m.width-6)))))...)
		}
		if f.Diff != "" {
			lines = append(lines, "", "    "+m.theme.Faint.Render("Press r to replace it. That would change:"))
			lines = append(lines, drawDiff(f.Diff, m.width, m.theme)...)
		}
		lines = append(lines, "")
	}
	for _, s := range r.Remarks {
		say(tui.Attention, visible(s.Text))
		lines = append(lines, "")
	}
	for _, id := range r.Same {
		say(tui.OK, m.Options.NameOf(id)+": nothing to do")
	}
	return lines
}

func (m model) pressReview(k tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	r := &m.review
	tabs := len(r.tabs())
	r.hint = ""
	switch {
	case key.Matches(k, m.keys.back):
		m.step, m.pending, r.notice = choosing, false, ""
	case key.Matches(k, m.keys.enter) && (r.unread || k.IsRepeat):
		r.hint = "read it first, then press enter once"
		cmd := m.reading()
		return m, cmd
	case m.pending && key.Matches(k, m.keys.enter, m.keys.trust, m.keys.replace):
		r.hint = "making the plan again; please wait"
	case key.Matches(k, m.keys.enter):
		return m.apply()
	case r.trustable && key.Matches(k, m.keys.trust):
		cmd := m.plan(agreed{!r.trust, r.replace})
		return m, cmd
	case r.edited && key.Matches(k, m.keys.replace):
		cmd := m.plan(agreed{r.trust, !r.replace})
		return m, cmd
	case r.noted() && key.Matches(k, m.keys.notes):
		r.all = !r.all
		r.turn(m, r.at)
	case key.Matches(k, m.keys.next):
		r.turn(m, (r.at+1)%tabs)
	case key.Matches(k, m.keys.previous):
		r.turn(m, (r.at+tabs-1)%tabs)
	default:
		to, _ := m.keys.ScrollTo(k, r.port.YOffset(), r.port.Height(), r.port.TotalLineCount())
		r.port.SetYOffset(to)
	}
	return m, nil
}

// readingTime is how long a review is shown before enter agrees to it, so that a key that is held down or pressed twice
// by accident does not agree.
const readingTime = 700 * time.Millisecond

// reading starts the reading time.
func (m *model) reading() tea.Cmd {
	m.review.shown++
	m.review.unread = true
	shown := m.review.shown
	return tea.Tick(m.readingTime, func(time.Time) tea.Msg { return readMsg{shown} })
}

func (r *review) turn(m model, to int) {
	r.at = to
	r.layout(m)
	r.port.GotoTop()
}

func (m model) viewReview() []string {
	r, t := m.review, m.theme
	lines := []string{m.viewTabs(), t.Faint.Render(strings.Repeat(t.Glyph("─", "-"), m.width))}
	lines = append(lines, strings.Split(r.port.View(), "\n")...)
	below := ""
	if !r.port.AtBottom() {
		below = t.Glyph("↓ ", "v ") + fmt.Sprintf("%d more lines", r.port.TotalLineCount()-r.port.YOffset()-r.port.VisibleLineCount())
	}
	lines = append(lines, t.Faint.Render(" "+below))
	return append(lines, " "+m.viewStatus())
}

// viewStatus says that nothing is written yet, and how much the plan changes.
func (m model) viewStatus() string {
	r, t := m.review, m.theme
	if said := cmp.Or(r.hint, r.notice); said != "" {
		return t.In(tui.Attention, t.Symbol(tui.Attention)+" "+said)
	}
	if m.pending {
		return m.spinner.View() + " " + m.working()
	}
	if len(r.Changes) == 0 {
		return "nothing to write"
	}
	added, removed := r.Lines()
	line := t.Strong.Render("nothing is written yet")
	for _, more := range []string{
		fmt.Sprintf("%d lines added, %d removed", added, removed), "backup: " + visible(m.Show(m.Options.StateDir)), "undo: wsi remove",
	} {
		if longer := line + " " + t.Glyph("·", "-") + " " + more; ansi.StringWidth(longer) < m.width-1 {
			line = longer
		}
	}
	return line
}

// place returns the number of the open file in the order of writing.
func (r review) place() string {
	i := r.at
	if r.remarkable() {
		i--
	}
	if i < 0 || i >= len(r.Changes) {
		return ""
	}
	return fmt.Sprintf("file %d of %d ", i+1, len(r.Changes))
}

// viewTabs draws the title of the open tab, and as many around it as fit.
func (m model) viewTabs() string {
	r, t := m.review, m.theme
	titles := r.tabs()
	place := r.place()
	room := m.width - len(place) - 2
	from, to := r.at, r.at+1
	width := func() int { return ansi.StringWidth(strings.Join(titles[from:to], "   ")) }
	for grown := true; grown; {
		grown = false
		if to < len(titles) {
			if to++; width() > room {
				to--
			} else {
				grown = true
			}
		}
		if from > 0 {
			if from--; width() > room {
				from++
			} else {
				grown = true
			}
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
	line := " " + strings.Join(shown, "   ")
	return line + strings.Repeat(" ", max(m.width-ansi.StringWidth(line)-len(place), 1)) + t.Faint.Render(place)
}
