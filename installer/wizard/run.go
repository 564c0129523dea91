package wizard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wsi/installer"
	"wsi/internal/tui"
)

// run is the last screen: what is written, the proofs, what is left to do.
type run struct {
	rows    []proofRow
	locked  bool // wsi holds the lock
	waiting bool // for the lock
	written []string
	applied bool
	err     error
	up      int // lines that the user has scrolled up
	stop    context.CancelFunc
	events  chan tea.Msg
}

// proofRow is the proof of one harness.
type proofRow struct {
	id, name string
	proved   bool
	proof    Proof
}

// next returns the next event of an apply.
func (r run) next() tea.Msg { return <-r.events }

// apply writes the reviewed plan. If a file changed meanwhile, the user reviews a new plan.
func (m model) apply() (tea.Model, tea.Cmd) {
	ctx, stop := context.WithCancel(m.ctx)
	m.step, m.review.notice = applying, ""
	m.run = run{stop: stop, events: make(chan tea.Msg, len(m.review.Changes)+2)}
	for _, h := range m.review.options.Harnesses {
		if !m.review.Refuses(h.ID) {
			m.run.rows = append(m.run.rows, proofRow{id: h.ID, name: h.Name})
		}
	}
	plan, fsys, lock, events, show := m.review.plan, m.Options.FS, m.Lock, m.run.events, m.Show
	m.work.Add(1)
	work := m.work
	go func() {
		defer work.Done()
		defer func() { // a panic must not freeze the screen
			if v := recover(); v != nil {
				events <- appliedMsg{fmt.Errorf("wsi failed and restored all files: %v", v)}
			}
		}()
		unlock, err := lock(ctx)
		if err != nil {
			events <- appliedMsg{err}
			return
		}
		events <- lockedMsg{}
		err = func() error {
			defer unlock() // also after a panic
			return installer.Apply(ctx, fsys, plan, func(c installer.Change) { events <- writtenMsg{show(c.Path)} })
		}()
		events <- appliedMsg{err}
	}()
	patience := tea.Tick(300*time.Millisecond, func(time.Time) tea.Msg { return waitMsg{} })
	return m, tea.Batch(m.run.next, m.spinner.Tick, patience)
}

// pressDone scrolls text that does not fit.
func (m model) pressDone(k tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	most := max(len(m.runLines())-(m.height-2), 0)
	if key.Matches(k, m.keys.enter) {
		return m, tea.Quit
	}
	from, _ := m.keys.ScrollTo(k, most-m.run.up, most, most)
	m.run.up = most - from
	return m, nil
}

// applied continues with the proof, or returns to the review.
func (m model) applied(msg appliedMsg) (tea.Model, tea.Cmd) {
	m.run.stop()
	m.run.err = msg.err
	switch {
	case m.stopping:
		if msg.err == nil {
			m.review.Applied = true // too late to stop it
		}
		if errors.Is(msg.err, installer.ErrStopped) && !m.run.locked {
			m.run.err = ErrQuit // nothing was written
		}
		return m, tea.Quit
	case errors.Is(msg.err, installer.ErrChanged):
		m.run, m.step = run{}, reviewing
		m.review.notice = "another program changed a file; nothing was written. Please review again"
		cmd := m.plan(m.review.agreed)
		return m, cmd
	case msg.err != nil:
		m.step = done
		return m, nil
	}
	m.run.applied, m.review.Applied = true, !m.review.AllRefused()
	m.step = proving
	if len(m.run.rows) == 0 {
		m.step = done
		return m, nil
	}
	var all []tea.Cmd
	for _, h := range m.review.options.Harnesses {
		if m.review.Refuses(h.ID) {
			continue
		}
		ctx, o, prove := m.ctx, m.review.options, m.Prove
		all = append(all, func() tea.Msg { return provedMsg{h.ID, prove(ctx, o, h)} })
	}
	return m, tea.Batch(all...)
}

func (m model) proved(msg provedMsg) model {
	left := 0
	for i := range m.run.rows {
		r := &m.run.rows[i]
		if r.id == msg.id {
			r.proved, r.proof = true, msg.proof
		}
		if !r.proved {
			left++
		}
	}
	if left == 0 {
		m.step = done
	}
	return m
}

// viewRun draws the written files, a chain per harness, and what is left to do. If it does not fit, it shows the end
// first.
func (m model) viewRun() []string {
	lines := m.runLines()
	over := len(lines) - (m.height - 2)
	if over <= 0 {
		return lines
	}
	from := over - min(m.run.up, over)
	if m.step == applying {
		from = min(tui.Window(len(lines), len(m.run.written)+1, m.height-2), over)
	}
	if from > 0 {
		lines[from] = m.theme.Faint.Render(fmt.Sprintf(" %s%d more lines", m.theme.Glyph("↑ ", "^ "), from+1))
	}
	return lines[from:]
}

func (m model) runLines() []string {
	r, t := m.run, m.theme
	switch {
	case m.stopping && r.locked:
		return []string{"", " " + m.spinner.View() + " stopping; restoring all files"}
	case m.stopping:
		return []string{"", " " + m.spinner.View() + " stopping; nothing was written"}
	case r.waiting:
		return []string{"", " " + m.spinner.View() + " waiting for another wsi to end; nothing is written yet"}
	case r.err != nil:
		return append([]string{""}, tui.Indent(tui.Wrap(t.In(tui.Broken, t.Symbol(tui.Broken)+" "+oneLine(problem(r.err, m.Show))), m.width-2))...)
	}
	lines := m.viewWritten()
	if !r.applied {
		return lines
	}
	lines = append(lines, "")
	for _, row := range r.rows {
		lines = append(lines, m.viewChain(row)...)
	}
	if m.step != done {
		return lines
	}
	lines = append(lines, "")
	for _, row := range r.rows {
		lines = append(lines, drawSaid(row.name, row.proof, m.review.Review, m.width, t)...)
	}
	return append(append(lines, ""), drawLeft(m.review.Review, m.width, t)...)
}

// viewWritten draws a line per file.
func (m model) viewWritten() []string {
	t, r := m.theme, m.run
	if len(m.review.Changes) == 0 {
		return []string{"", " " + t.Mark(tui.OK) + " nothing to write"}
	}
	lines := []string{""}
	for i, c := range m.review.Changes {
		mark := " "
		switch {
		case i < len(r.written):
			mark = t.Mark(tui.OK)
		case i == len(r.written):
			mark = m.spinner.View()
		}
		lines = append(lines, " "+mark+" "+tui.Middle(visible(c.Name()), m.width-18, t)+" "+t.Faint.Render(tense(c.Action, i-len(r.written))))
	}
	return lines
}

// viewChain draws the chain of a harness with the same size before and after its proof.
func (m model) viewChain(r proofRow) []string {
	wide := leastName
	for _, row := range m.run.rows {
		wide = max(wide, ansi.StringWidth(row.name))
	}
	if r.proved {
		return drawChain(r.name, wide, m.theme.Mark(r.proof.worst(m.review.Review)), r.proof.Links, m.width, m.theme)
	}
	links := make([]Link, len(m.Links))
	for i, word := range m.Links {
		links[i] = Link{Word: word}
	}
	return drawChain(r.name, wide, m.spinner.View(), links, m.width, m.theme)
}

// tense says what happens to a file: in the past if ahead is negative, now if it is 0, else in the future.
func tense(action string, ahead int) string {
	words := map[string][]string{
		"create": {"created", "creating", "to be created"},
		"update": {"changed", "changing", "to be changed"},
		"delete": {"deleted", "deleting", "to be deleted"},
	}[action]
	return words[min(max(ahead, -1), 1)+1]
}

// worst returns the state of the harness. A step that is left for the user does not count as broken.
func (p Proof) worst(r installer.Review) tui.State {
	worst := tui.OK
	for _, s := range p.Says {
		if s.left(r) {
			s.State = min(s.State, tui.Attention)
		}
		worst = max(worst, s.State)
	}
	return worst
}

// left reports whether the review lists the sentence as left for the user.
func (s Finding) left(r installer.Review) bool {
	clause, _, _ := strings.Cut(s.Text, ", ")
	return slices.ContainsFunc(r.Left, func(l installer.Sentence) bool { return strings.Contains(l.Text, clause) })
}

// drawChain draws the links of a harness, on two lines if necessary. wide is the width of the name column.
func drawChain(name string, wide int, mark string, links []Link, width int, t tui.Theme) []string {
	lead := " " + mark + " " + tui.Cell(name, wide, t) + " "
	lines, sep := []string{lead}, t.Faint.Render(t.Glyph(" › ", " > "))
	for i, l := range links {
		part := t.Mark(l.State) + " " + l.Word
		if i > 0 {
			part = sep + part
		}
		if ansi.StringWidth(lines[len(lines)-1]+part) > width {
			lines = append(lines, strings.Repeat(" ", ansi.StringWidth(lead)-ansi.StringWidth(sep)))
		}
		lines[len(lines)-1] += part
	}
	return lines
}

// drawSaid draws the sentences of a proof, except those that are left for the user.
func drawSaid(name string, p Proof, r installer.Review, width int, t tui.Theme) (lines []string) {
	for _, s := range p.Says {
		if s.State == tui.Absent || s.left(r) {
			continue
		}
		text := visible(name + ": " + s.Text)
		if s.Fix != "" {
			text += " (" + visible(s.Fix) + ")"
		}
		lead := " " + t.Mark(s.State) + " "
		lines = append(lines, tui.Hanging(lead, text, width-ansi.StringWidth(lead)-1)...)
	}
	return lines
}

// drawLeft draws what the user must do. It comes last, so that it stays on the screen.
func drawLeft(r installer.Review, width int, t tui.Theme) []string {
	var lines []string
	if len(r.Left) > 0 {
		lines = append(lines, " "+t.Strong.Render("Next steps"))
	}
	for i, s := range r.Left {
		lines = append(lines, tui.Hanging(fmt.Sprintf("  %2d  ", i+1), visible(s.Text), width-7)...)
	}
	return append(lines, " "+t.Faint.Render("Undo all of this at any time:")+"  wsi remove"+scopeFlag(r.Scope))
}

func scopeFlag(scope string) string {
	if scope == "user" {
		return ""
	}
	return " --scope " + scope
}
