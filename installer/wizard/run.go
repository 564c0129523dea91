package wizard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"wsi/harnesses/setup"
	"wsi/installer"
	"wsi/installer/notes"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

// run is the last screen: what is written, the proofs, what is left to do.
type run struct {
	proofs  []Proof
	locked  bool // wsi holds the lock
	waiting bool // for the lock
	written int  // number of files
	applied bool // also if there was nothing to write
	err     error
	first   int // the first line that is shown at the end
}

// apply writes the reviewed plan. If a file changed meanwhile, the user reviews a new plan.
func (m *model) apply() {
	m.step, m.review.notice, m.run = applying, "", run{}
	for _, h := range m.review.options.Harnesses {
		if !m.Removal && !m.review.Refuses(h.ID) {
			m.run.proofs = append(m.run.proofs, Proof{Harness: h, Links: m.unproven(), pending: true})
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
		m.makePlan(m.review.trust)
		return
	case err != nil:
		m.step = done
		return
	}
	m.run.applied, m.review.Applied = true, !m.review.AllRefused()
	m.step = proving
	if len(m.run.proofs) == 0 {
		m.step = done
	}
	ctx, o, prove := m.Ctx(), m.review.options, m.Prove
	for i, p := range m.run.proofs {
		m.Go(func() func() {
			proof := prove(ctx, o, p.Harness)
			return func() { m.proved(i, proof) }
		})
	}
}

func (m *model) proved(i int, proof Proof) {
	proof.Harness = m.run.proofs[i].Harness
	m.run.proofs[i] = proof
	if !slices.ContainsFunc(m.run.proofs, func(p Proof) bool { return p.pending }) {
		m.step = done
	}
}

func (m *model) unproven() []Link {
	return lists.Map(m.Links, func(word string) Link { return Link{Word: word} })
}

// viewRun draws the written files, a chain per harness, and what is left to do. At the end the verdict is first.
func (m *model) viewRun() []string {
	lines, height := m.runLines(), m.BodyHeight(m)
	over := max(len(lines)-height, 0)
	from := over
	switch m.step {
	case applying:
		from = min(tui.Window(len(lines), m.run.written+1, height), over)
	case done:
		from = min(m.run.first, over)
	}
	if below := over - from; below > 0 {
		lines[from+height-1] = m.Theme.Faint.Render(" " + m.Theme.Down(phrase.Count(below+1, "more line")))
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
	o := m.outcome()
	lines := []string{""}
	if m.step == done {
		lines = o.verdict(t)
	}
	lines = append(lines, o.written(r.written, m.Spinner(), m.Width-18, t)...)
	if m.review.Applied {
		lines = append(append(lines, ""), o.result(m.step == done, m.Spinner(), t)...)
	}
	return lines
}

// verdict says in how many harnesses wsi carries values, and in which it does not.
func (o Outcome) verdict(t tui.Theme) []string {
	var not []string
	state, made := tui.OK, 0
	for _, p := range o.Proofs {
		if p.pending {
			continue
		}
		made, state = made+1, max(state, p.worst(o.Review))
		if len(p.Links) == 0 || p.Links[len(p.Links)-1].State%tui.Broken == tui.Absent {
			not = append(not, p.Harness.Name)
		}
	}
	proved := ""
	switch {
	case len(not) > 0:
		proved = fmt.Sprintf("wsi carries values in %d of %s, not in %s", made-len(not), phrase.Count(made, "harness"), notes.List(not))
	case made > 0:
		proved = "wsi carries values in " + phrase.Count(made, "harness")
	}
	if len(o.Review.Refused) > 0 {
		state = tui.Broken
	}
	return append(tui.Hanging(" "+t.Mark(state)+" ", t.Strong.Render(o.Review.Verdict(proved)), o.width-4), "")
}

// written draws a line per file, of which n are written. The names are cut to a width.
func (o Outcome) written(n int, spinner string, width int, t tui.Theme) (lines []string) {
	for i, c := range o.Review.Changes {
		mark := " "
		switch {
		case i < n:
			mark = t.Mark(tui.OK)
		case i == n:
			mark = spinner
		}
		lines = append(lines, " "+mark+" "+tui.Middle(visible(c.Name()), width, t)+" "+t.Faint.Render(c.Tense(i-n)))
	}
	if len(lines) == 0 {
		lines = append(lines, " "+t.Mark(tui.OK)+" nothing to write")
	}
	return lines
}

// Record returns the result as plain text of the width of the terminal, which remains in the scrollback after the
// screens are closed.
func (o Outcome) Record(ascii bool) string {
	if !o.Review.Applied {
		return ""
	}
	t := tui.Plain(ascii)
	o.width = cmp.Or(o.width, 80)
	lines := append(o.verdict(t), o.written(len(o.Review.Changes), "", math.MaxInt, t)...)
	o.Proofs = slices.DeleteFunc(slices.Clone(o.Proofs), func(p Proof) bool { return p.pending })
	return tui.Record(append(append(lines, ""), o.result(true, "", t)...))
}

// result draws a chain per harness. At the end it also draws what the proofs say, and what the user must do.
func (o Outcome) result(ended bool, spinner string, t tui.Theme) (lines []string) {
	wide := leastName
	for _, p := range o.Proofs {
		wide = max(wide, ansi.StringWidth(p.Harness.Name))
	}
	for _, p := range o.Proofs {
		mark := spinner
		if !p.pending {
			mark = t.Mark(p.worst(o.Review))
		}
		lines = append(lines, drawChain(" "+mark+" "+tui.Cell(p.Harness.Name, wide, t)+" ", p.Links, o.width, t)...)
	}
	if !ended {
		return lines
	}
	if len(o.Proofs) > 0 {
		lines = append(append(append(lines, ""), o.said(t)...), "")
	}
	if len(o.Review.Left) > 0 {
		lines = append(lines, " "+t.Strong.Render("Next steps"))
	}
	for i, s := range o.Review.Left {
		lines = append(lines, tui.Fix(fmt.Sprintf("  %2d  ", i+1), s.ToDo().Map(visible), o.width-7)...)
	}
	if o.Review.Verb == "remove" {
		for _, s := range o.Review.Notes {
			lines = append(lines, tui.Fix(" ", s.ToDo().Map(visible), o.width-1)...)
		}
		return lines
	}
	undo := "wsi remove"
	if o.Review.Scope != string(setup.User) {
		undo += " --scope " + o.Review.Scope
	}
	return append(lines, " "+t.Faint.Render("Undo all of this at any time:")+"  "+undo)
}

// said returns what the proofs say, but for what the review leaves to the user.
func (o Outcome) said(t tui.Theme) (lines []string) {
	for _, p := range o.Proofs {
		for _, s := range p.Says {
			if s.State == tui.Absent || p.left(s, o.Review) {
				continue
			}
			fix, lead := s.Fix, " "+t.Mark(s.State)+" "
			fix.Text = strings.TrimSuffix(p.Harness.Name+": "+s.Text+": "+fix.Text, ": ")
			lines = append(lines, tui.Fix(lead, fix.Map(visible), o.width-ansi.StringWidth(lead)-1)...)
		}
	}
	return lines
}

// worst returns the state of the harness. A step that is left for the user does not count as broken.
func (p Proof) worst(r installer.Review) tui.State {
	worst := tui.OK
	for _, s := range p.Says {
		if p.left(s, r) {
			s.State = min(s.State, tui.Attention)
		}
		worst = max(worst, s.State)
	}
	return worst
}

// left reports whether the review lists what was found as left for the user.
func (p Proof) left(s Finding, r installer.Review) bool {
	return s.Gate && slices.ContainsFunc(r.Left, func(l notes.Note) bool { return l.Gate && l.Harness == p.Harness.ID })
}

// drawChain draws the links of a harness behind lead, on more lines if necessary.
func drawChain(lead string, links []Link, width int, t tui.Theme) []string {
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
