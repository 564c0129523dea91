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
}

// apply writes the reviewed plan. If a file changed meanwhile, the user reviews a new plan.
func (m *model) apply() {
	m.step, m.review.notice, m.run = applying, "", run{}
	for _, h := range m.review.options.Harnesses {
		if !m.Removal && !slices.ContainsFunc(m.review.Refused, func(f installer.Refused) bool { return f.Harness == h.ID }) {
			links := lists.Map(m.Links, func(word string) Link { return Link{Word: word} })
			m.run.proofs = append(m.run.proofs, Proof{Harness: h, Links: links, pending: true})
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

// runPage returns how far it is: what is written, then the proofs, and at the end the verdict and what is left to do.
func (m *model) runPage() tui.Page {
	r, t, o := m.run, m.Theme, m.outcome()
	lead := func(text string) tui.Page { return tui.Page{Lead: m.Text(text)} }
	switch {
	case m.step == applying && m.Ctx().Err() != nil && r.locked:
		return lead(m.Spinner() + " stopping; restoring all files")
	case m.step == applying && m.Ctx().Err() != nil:
		return lead(m.Spinner() + " stopping; nothing was written")
	case r.waiting:
		return lead(m.Spinner() + " waiting for another wsi to end; nothing is written yet")
	case r.err != nil:
		return lead(t.Say(tui.Broken, oneLine(problem(r.err, m.Show))))
	case m.step == done:
		return tui.Page{Lead: o.verdict(t), Text: func(width int) []string { return o.result(o.written(r.written, "", width-18, t), t) }}
	}
	return tui.Page{Lead: m.Text(m.Spinner() + fmt.Sprintf(" %d of %s written", r.written, phrase.Count(len(o.Review.Changes), "file"))), Text: func(width int) (lines []string) {
		if m.step == proving {
			lines = append(o.table(m.Spinner(), t), "")
		}
		return append(lines, o.written(r.written, m.Spinner(), width-18, t)...)
	}}
}

// verdict says whether wsi is set up, and where it is not proved that it works.
func (o Outcome) verdict(t tui.Theme) []string {
	var not, in []string
	state := tui.OK
	for _, p := range o.Proofs {
		if p.pending {
			continue
		}
		in, state = append(in, p.Harness.Name), max(state, p.worst(o.Review))
		if len(p.Links) == 0 || p.Links[len(p.Links)-1].State%tui.Broken == tui.Absent {
			not = append(not, p.Harness.Name)
		}
	}
	proved := ""
	switch {
	case len(not) > 0:
		proved = "wsi is set up, but not tested in " + phrase.List(not, "and")
	case len(in) > 0:
		proved = "wsi is set up, and test calls got the right value in " + phrase.List(in, "and")
	}
	if len(o.Review.Refused) > 0 {
		state = tui.Broken
	}
	lead := " " + t.Mark(state) + " "
	return tui.Hanging(lead, t.Strong.Render(o.Review.Verdict(proved)), o.width-ansi.StringWidth(lead)-1)
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
	o.Proofs = slices.DeleteFunc(slices.Clone(o.Proofs), func(p Proof) bool { return p.pending })
	files := o.written(len(o.Review.Changes), "", math.MaxInt, t)
	return tui.Record(slices.Concat(o.verdict(t), []string{""}, o.result(files, t)))
}

// result draws what follows the verdict: what the user must do, what the proofs say, and the files that were written.
func (o Outcome) result(files []string, t tui.Theme) (lines []string) {
	section := func(part []string) {
		if lines != nil && len(part) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, part...)
	}
	var steps []string
	if len(o.Review.Left) > 0 {
		steps = []string{" " + t.Strong.Render("Next steps")}
	}
	for i, s := range o.Review.Left {
		steps = append(steps, tui.Fix(fmt.Sprintf("  %2d  ", i+1), s.ToDo().Map(visible), o.width-7)...)
	}
	section(steps)
	section(o.table("", t))
	section(o.said(t))
	section(files)
	if o.Review.Verb == "remove" {
		for _, s := range o.Review.Notes {
			section(tui.Fix(" ", s.ToDo().Map(visible), o.width-1))
		}
		return lines
	}
	if !o.Review.Applied {
		return lines
	}
	undo := "wsi remove"
	if o.Review.Scope != string(setup.User) {
		undo += " --scope " + o.Review.Scope
	}
	return append(lines, "", " "+t.Faint.Render("Undo all of this at any time:")+"  "+undo)
}

// table draws a row for each harness, with a column for each link. A proof that is not made yet has a spinner.
func (o Outcome) table(spinner string, t tui.Theme) []string {
	if len(o.Proofs) == 0 {
		return nil
	}
	columns := [][]string{append([]string{""}, lists.Map(o.Proofs, func(p Proof) string { return p.Harness.Name })...)}
	for i, l := range o.Proofs[0].Links {
		column := []string{t.Faint.Render(l.Word)}
		for _, p := range o.Proofs {
			switch {
			case p.pending:
				column = append(column, spinner)
			case i < len(p.Links):
				column = append(column, t.Mark(p.Links[i].State))
			default:
				column = append(column, "")
			}
		}
		columns = append(columns, column)
	}
	return tui.Indent(slices.Concat(tui.Table(columns, o.width-2)...))
}

// said returns what the proofs found wrong, but for what the review leaves to the user.
func (o Outcome) said(t tui.Theme) (lines []string) {
	for _, p := range o.Proofs {
		for _, s := range p.Says {
			if s.State < tui.Attention || p.left(s, o.Review) {
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
	return s.Gate && slices.ContainsFunc(r.Left, func(l installer.Note) bool { return l.Gate && l.Harness == p.Harness.ID })
}
