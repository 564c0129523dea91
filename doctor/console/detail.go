package console

import (
	"fmt"

	"wsi/internal/tui"
)

func (m *model) viewDetail() []string {
	here := m.list.cursor
	s := *m.board.section(here.section)
	lines := []string{""}
	if here.heading {
		lines = append(append(lines, m.heading(s)...), "")
	}
	for _, c := range s.checks {
		switch {
		case here.heading && c.known:
			lines = append(lines, m.finding(s, c)...)
		case c.id == here.id:
			lines = append(lines, m.about(s, c)...)
		}
	}
	return append(lines, m.notes(s)...)
}

func (m *model) about(s section, c check) (lines []string) {
	t := m.Theme
	say := func(what, text string) {
		if text != "" {
			lines = append(lines, tui.Hanging("  "+t.Faint.Render(tui.Pad(what, 9))+" ", text, m.Width-13)...)
		}
	}
	if !c.known {
		lines = append(lines, "  "+m.turning()+" "+t.Strong.Render(c.id), "")
		say("asks", c.listed.Asks)
		return lines
	}
	lines = append(lines, "  "+m.mark(c.Status)+" "+t.Strong.Render(c.id)+"  "+words[c.Status], "")
	say("asks", c.listed.Asks)
	say("link", string(c.listed.Link))
	say("found", m.Show(c.Text))
	say("fix", m.Show(c.Fix))
	if c.Took > 0 {
		say("took", fmt.Sprintf("%d ms", c.Took))
	}
	if !s.fresh(c, m.run.number) {
		lines = append(lines, "", "  "+m.turning()+" "+t.Faint.Render("from the examination before; it goes on"))
	}
	return lines
}

// notes returns the harness's notes.
func (m *model) notes(s section) (lines []string) {
	if len(s.group.Notes) == 0 {
		return nil
	}
	lines = append(lines, "", "  "+m.Theme.Strong.Render("Good to know of "+s.group.Name))
	for _, n := range s.group.Notes {
		lines = append(lines, tui.Hanging("    "+m.Theme.Glyph("·", "-")+" ", n, m.Width-7)...)
	}
	return lines
}
