package wizard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"wsi/installer"
	"wsi/internal/tui"
)

// run is the last screen: what is written, the proofs, what is left to do.
type run struct {
	rows    []proofRow
	locked  bool // wsi holds the lock
	waiting bool // for the lock
	written int  // number of files
	applied bool
	err     error
	up      int // lines that the user has scrolled up
}

// proofRow is the proof of one harness.
type proofRow struct {
	id, name string
	proved   bool
	proof    Proof
}

// apply writes the reviewed plan. If a file changed meanwhile, the user reviews a new plan.
func (m *model) apply() {
	m.step, m.review.notice, m.run = applying, "", run{}
	for _, h := range m.review.options.Harnesses {
		if !m.review.Refuses(h.ID) {
			m.run.rows = append(m.run.rows, proofRow{id: h.ID, name: h.Name})
		}
	}
	plan, fsys, lock := m.review.plan, m.Options.FS, m.Lock
	m.After(300*time.Millisecond, func() { m.run.waiting = m.step == applying && !m.run.locked })
	m.Finish(func(ctx context.Context) func() {
		unlock, err := lock(ctx)
		if err == nil {
			defer unlock() // also after a panic
			m.Send(func() { m.run.locked, m.run.waiting = true, false })
			err = installer.Apply(ctx, fsys, plan, func(installer.Change) { m.Send(func() { m.run.written++ }) })
		}
		return func() { m.applied(err) }
	}, func(err error) { m.applied(fmt.Errorf("wsi failed and restored all files: %w", err)) })
}

// applied continues with the proof, or returns to the review.
func (m *model) applied(err error) {
	m.run.err = err
	switch {
	case m.Ctx().Err() != nil: // the program ends
		if err == nil {
			m.review.Applied = true // too late to stop it
		}
		if errors.Is(err, installer.ErrStopped) && !m.run.locked {
			m.run.err = ErrQuit // nothing was written
		}
		return
	case errors.Is(err, installer.ErrChanged):
		m.run, m.step = run{}, reviewing
		m.review.notice = "another program changed a file; nothing was written. Please review again"
		m.makePlan(m.review.agreed)
		return
	case err != nil:
		m.step = done
		return
	}
	m.run.applied, m.review.Applied = true, !m.review.AllRefused()
	m.step = proving
	if len(m.run.rows) == 0 {
		m.step = done
	}
	ctx, o, prove := m.Ctx(), m.review.options, m.Prove
	for _, h := range o.Harnesses {
		if !m.review.Refuses(h.ID) {
			m.Go(func() func() {
				proof := prove(ctx, o, h)
				return func() { m.proved(h.ID, proof) }
			})
		}
	}
}

func (m *model) proved(id string, proof Proof) {
	for i := range m.run.rows {
		if r := &m.run.rows[i]; r.id == id {
			r.proved, r.proof = true, proof
		}
	}
	if !slices.ContainsFunc(m.run.rows, func(r proofRow) bool { return !r.proved }) {
		m.step = done
	}
}

// viewRun draws the written files, a chain per harness, and what is left to do. If it does not fit, it shows the end
// first.
func (m *model) viewRun() []string {
	lines := m.runLines()
	over := len(lines) - m.BodyHeight(m)
	if over <= 0 {
		return lines
	}
	from := over - min(m.run.up, over)
	if m.step == applying {
		from = min(tui.Window(len(lines), m.run.written+1, m.BodyHeight(m)), over)
	}
	if from > 0 {
		lines[from] = m.Theme.Faint.Render(fmt.Sprintf(" %s%d more lines", m.Theme.Glyph("↑ ", "^ "), from+1))
	}
	return lines[from:]
}

func (m *model) runLines() []string {
	r, t := m.run, m.Theme
	switch {
	case m.step == applying && m.Ctx().Err() != nil && r.locked:
		return []string{"", " " + m.Spinner() + " stopping; restoring all files"}
	case m.step == applying && m.Ctx().Err() != nil:
		return []string{"", " " + m.Spinner() + " stopping; nothing was written"}
	case r.waiting:
		return []string{"", " " + m.Spinner() + " waiting for another wsi to end; nothing is written yet"}
	case r.err != nil:
		return append([]string{""}, m.Text(t.Say(tui.Broken, oneLine(problem(r.err, m.Show))))...)
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
		lines = append(lines, drawSaid(row.name, row.proof, m.review.Review, m.Width, t)...)
	}
	return append(append(lines, ""), drawLeft(m.review.Review, m.Width, t)...)
}

// viewWritten draws a line per file.
func (m *model) viewWritten() []string {
	t, r := m.Theme, m.run
	if len(m.review.Changes) == 0 {
		return []string{"", " " + t.Mark(tui.OK) + " nothing to write"}
	}
	lines := []string{""}
	for i, c := range m.review.Changes {
		mark := " "
		switch {
		case i < r.written:
			mark = t.Mark(tui.OK)
		case i == r.written:
			mark = m.Spinner()
		}
		lines = append(lines, " "+mark+" "+tui.Middle(visible(c.Name()), m.Width-18, t)+" "+t.Faint.Render(tense(c.Action, i-r.written)))
	}
	return lines
}

// viewChain draws the chain of a harness with the same size before and after its proof.
func (m *model) viewChain(r proofRow) []string {
	wide := leastName
	for _, row := range m.run.rows {
		wide = max(wide, ansi.StringWidth(row.name))
	}
	if r.proved {
		return drawChain(r.name, wide, m.Theme.Mark(r.proof.worst(m.review.Review)), r.proof.Links, m.Width, m.Theme)
	}
	links := make([]Link, len(m.Links))
	for i, word := range m.Links {
		links[i] = Link{Word: word}
	}
	return drawChain(r.name, wide, m.Spinner(), links, m.Width, m.Theme)
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
