package wizard

import (
	"github.com/charmbracelet/x/ansi"

	"wsi/internal/tui"
)

// Record returns the result as plain text of the width of the terminal, which remains in the scrollback after the
// screens are closed.
func (o Outcome) Record(ascii bool) string {
	t, width := tui.Plain(ascii), o.width
	var lines []string
	if !o.Review.Applied {
		return ""
	}
	for _, c := range o.Review.Changes {
		lines = append(lines, " "+t.Symbol(tui.OK)+" "+visible(c.Name())+" "+tense(c.Action, -1))
	}
	if len(o.Review.Changes) == 0 {
		lines = append(lines, " "+t.Symbol(tui.OK)+" nothing to write")
	}
	lines = append(lines, "")
	wide := leastName
	for _, name := range o.Names {
		wide = max(wide, ansi.StringWidth(name))
	}
	for i, p := range o.Proofs {
		lines = append(lines, drawChain(o.Names[i], wide, t.Symbol(p.worst(o.Review)), p.Links, width, t)...)
	}
	lines = append(lines, "")
	for i, p := range o.Proofs {
		lines = append(lines, drawSaid(o.Names[i], p, o.Review, width, t)...)
	}
	lines = append(lines, "")
	return tui.Record(append(lines, drawLeft(o.Review, width, t)...))
}
