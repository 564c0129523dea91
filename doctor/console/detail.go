package console

import (
	"fmt"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"wsi/internal/tui"
)

// pressDetail scrolls, goes to the next or previous row, or back to the list.
func (m model) pressDetail(k tea.KeyPressMsg) model {
	switch {
	case key.Matches(k, m.keys.previous, m.keys.next):
		m.list.move(m, k)
		m.scrolled = 0
		return m
	case key.Matches(k, m.keys.back):
		m.detail = false
	}
	m.scrolled = m.scroll(k, m.scrolled, len(m.viewDetail()))
	return m
}

// scroll returns the first line of a page to show after a key, of which at shows now. The page has so many lines.
func (m model) scroll(k tea.KeyPressMsg, at, lines int) int {
	to, _ := m.keys.ScrollTo(k, at, m.bodyHeight(), max(lines-m.bodyHeight()-1, 0))
	return to
}

// viewDetail shows everything about the row under the cursor.
func (m model) viewDetail() []string {
	here := m.list.here()
	s := *m.board.section(here.section)
	lines := []string{""}
	if here.heading {
		lines = append(lines, m.heading(s)...)
		lines = append(lines, "")
		for _, c := range s.checks(m.table) {
			if c.known {
				lines = append(lines, m.finding(s, c)...)
			}
		}
		return append(lines, m.notes(s)...)
	}
	for _, c := range s.checks(m.table) {
		if c.id != here.id {
			continue
		}
		lines = append(lines, m.about(s, c)...)
	}
	return append(lines, m.notes(s)...)
}

// about returns everything about one check.
func (m model) about(s section, c check) (lines []string) {
	t, e := m.theme, c.entry
	say := func(what, text string) {
		if text == "" {
			return
		}
		for i, line := range tui.Wrap(text, m.width-13) {
			if i > 0 {
				what = ""
			}
			lines = append(lines, "  "+t.Faint.Render(tui.Pad(what, 9))+" "+line)
		}
	}
	if !c.known {
		lines = append(lines, "  "+m.turning()+" "+t.Strong.Render(c.id), "")
		say("asks", c.Asks)
		return lines
	}
	lines = append(lines, "  "+m.mark(e.Status)+" "+t.Strong.Render(c.id)+"  "+words[e.Status], "")
	say("asks", c.Asks)
	say("link", string(c.Link))
	say("found", m.Show(e.Text))
	say("fix", m.Show(e.Fix))
	if e.Took > 0 {
		say("took", fmt.Sprintf("%d ms", e.Took))
	}
	if !s.fresh(c, m.run.number) {
		lines = append(lines, "", "  "+m.turning()+" "+t.Faint.Render("from the examination before; it goes on"))
	}
	return lines
}

// notes returns the harness's notes.
func (m model) notes(s section) (lines []string) {
	if len(s.group.Notes) == 0 {
		return nil
	}
	lines = append(lines, "", "  "+m.theme.Strong.Render("Good to know of "+s.group.Name))
	for _, n := range s.group.Notes {
		for i, line := range tui.Wrap(n, m.width-7) {
			lead := "      "
			if i == 0 {
				lead = "    " + m.theme.Glyph("·", "-") + " "
			}
			lines = append(lines, lead+line)
		}
	}
	return lines
}
