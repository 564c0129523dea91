// Package prose writes a report in sentences, as a terminal shows them: the plain doctor, its screens and the status.
//
// It must not know how a check is made, or harnesses by name.
package prose

import (
	"cmp"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"wsi/doctor/report"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

// Style says how a report is shown.
type Style struct {
	Theme   tui.Theme
	Width   int // of the lines, 0 = 80: wsi writes to a pipe or a file
	Now     time.Time
	Show    func(string) string // writes the home folder as ~; nil = as it is
	Verbose bool                // with all findings
	Live    bool                // a live proof was requested: always say what it found
}

// States are the states of the symbols with which findings are shown.
var States = map[report.Status]tui.State{report.OK: tui.OK, report.Warn: tui.Attention, report.Fail: tui.Broken}

// Text writes a report in sentences: what matters most, what is wrong with what to do, then each harness that concerns the user.
func (s Style) Text(w io.Writer, r report.Report) error {
	s = s.whole()
	lines := append(s.Wrong(r), "")
	if s.Verbose {
		lines = append(lines, "wsi "+r.Version+", "+r.Platform)
		lines = append(lines, s.all(r.Own)...)
	}
	var idle []string
	for _, g := range r.Examined() {
		switch {
		case s.Verbose:
			lines = append(append(lines, s.sentence(g)...), s.all(g.Findings)...)
			for _, n := range g.Limits {
				lines = append(lines, s.hang("    note: ", n)...)
			}
		case g.Concerns():
			lines = append(lines, s.sentence(g)...)
		case g.Idle() && !g.Absent():
			idle = append(idle, g.Name)
		}
	}
	if idle != nil {
		lines = append(lines, tui.Wrap(Idle(idle), s.Width)...)
	}
	_, err := io.WriteString(w, tui.Record(lines))
	return err
}

// Idle says in which harnesses wsi has nothing to do.
func Idle(names []string) string {
	return "Nothing to do in " + phrase.List(names, "and") + ": no server there has a rule."
}

// whole returns the style with what was left out.
func (s Style) whole() Style {
	s.Width = cmp.Or(s.Width, 80)
	if s.Show == nil {
		s.Show = func(text string) string { return text }
	}
	return s
}

// Wrong returns the lines of what matters most, and of all that is wrong, with what to do.
func (s Style) Wrong(r report.Report) []string {
	s = s.whole()
	lines := s.Lead(r)
	for i, f := range r.Wrong() {
		if i > 0 { // the first one leads
			lines = append(lines, s.Row(r.Says(f), f)...)
		}
	}
	return lines
}

// hang wraps a text after a lead.
func (s Style) hang(lead, text string) []string {
	return tui.Hanging(lead, text, s.Width-ansi.StringWidth(lead))
}

// Lead returns the sentence that matters most, and what to do.
func (s Style) Lead(r report.Report) (lines []string) {
	worst, verdict := r.Verdict()
	mark := ""
	if state, ok := States[worst]; ok {
		mark = s.Theme.Mark(state) + " "
	}
	lines = s.hang(mark, s.Theme.Strong.Render(s.Show(verdict)))
	if wrong := r.Wrong(); wrong != nil {
		lines = append(lines, s.fix(wrong[0])...)
	}
	return lines
}

// Row returns the lines of a finding: a symbol, a text, and what to do. How long the check took is only in verbose ones.
func (s Style) Row(text string, f report.Finding) []string {
	state := States[f.Status]
	if s.Verbose {
		text += f.Duration()
	}
	lines := s.hang(s.Theme.Mark(state)+" ", s.Show(text))
	return append(lines, s.fix(f)...)
}

// fix returns what to do about a finding. A command is on one line, so that it can be copied.
func (s Style) fix(f report.Finding) []string {
	if f.Fix == (phrase.Fix{}) {
		return nil
	}
	lead := "  " + s.Theme.Accent.Render(f.Fix.Label()) + " "
	return tui.Fix(lead, f.Fix.Map(s.Show), s.Width-ansi.StringWidth(lead))
}

// all returns the rows of findings with their ids.
func (s Style) all(found []report.Finding) (lines []string) {
	s.Width -= 2
	for _, f := range found {
		row := s.Row(f.ID+"  "+f.Text, f)
		for i := range row {
			row[i] = "  " + row[i]
		}
		lines = append(lines, row...)
	}
	return lines
}

// sentence says how far wsi is in a harness, as one sentence.
func (s Style) sentence(g report.Group) []string {
	var parts []string
	for _, c := range g.Cells(s.Now) {
		if c.Words != "" {
			parts = append(parts, c.Words)
		}
	}
	said, name := cmp.Or(strings.Join(parts, ", "), "not set up"), g.Name
	switch {
	case g.Absent():
		said = "not on this machine"
	case g.Idle():
		said = "nothing to do"
	}
	if s.Verbose {
		name = strings.TrimSpace(name + " " + g.Version)
	}
	lines := s.hang("", name+": "+said+".")
	for _, f := range g.Findings {
		proof := f.ID == report.LiveDelivered.Of(g.ID) && !g.Passes || f.ID == report.RelayAnswers.Of(g.ID) && f.Status == report.OK
		if s.Live && proof && !s.Verbose && f.Status != report.Fail && f.Status != report.Warn {
			lines = append(lines, s.hang("  "+s.Theme.Mark(States[f.Status])+" ", s.Show(f.Text+f.Duration()))...)
		}
	}
	return lines
}
