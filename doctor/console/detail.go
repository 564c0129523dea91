package console

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wsi/internal/theme"
)

// pressDetail scrolls, goes to the rows beside, or back to the list.
func (m model) pressDetail(k tea.KeyPressMsg) model {
	most := max(len(m.viewDetail())-m.bodyHeight()-1, 0)
	switch {
	case key.Matches(k, m.keys.previous, m.keys.next):
		m.list.move(m, k)
		m.scrolled = 0
		return m
	case key.Matches(k, m.keys.up):
		m.scrolled--
	case key.Matches(k, m.keys.down):
		m.scrolled++
	case key.Matches(k, m.keys.pageUp):
		m.scrolled -= m.bodyHeight()
	case key.Matches(k, m.keys.pageDown):
		m.scrolled += m.bodyHeight()
	case key.Matches(k, m.keys.top):
		m.scrolled = 0
	case key.Matches(k, m.keys.end):
		m.scrolled = most
	case key.Matches(k, m.keys.back):
		m.detail = false
	}
	m.scrolled = min(max(m.scrolled, 0), most)
	return m
}

// viewDetail says everything about the row under the cursor.
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

// about is everything about one check.
func (m model) about(s section, c check) (lines []string) {
	t, e := m.theme, c.entry
	say := func(what, text string) {
		if text == "" {
			return
		}
		for i, line := range wrap(text, m.width-13) {
			if i > 0 {
				what = ""
			}
			lines = append(lines, "  "+t.Faint.Render(pad(what, 9))+" "+line)
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

// notes are what must be known of the harness.
func (m model) notes(s section) (lines []string) {
	if len(s.group.Notes) == 0 {
		return nil
	}
	lines = append(lines, "", "  "+m.theme.Strong.Render("Good to know of "+s.group.Name))
	for _, n := range s.group.Notes {
		for i, line := range wrap(n, m.width-7) {
			lead := "      "
			if i == 0 {
				lead = "    " + m.theme.Glyph("·", "-") + " "
			}
			lines = append(lines, lead+line)
		}
	}
	return lines
}

// longerHelp explains the keys whose word on the key line needs to be known already.
var longerHelp = map[string]string{
	"f":     "setup shows what it would mend, and asks",
	"r":     "examine again (R: only this harness)",
	"l":     "have the programs make calls (L: only one)",
	"y":     "copy the report (wsi doctor --report)",
	"a":     "every check, or only what is wrong",
	"/":     "only checks with a text in them",
	"enter": "everything about the row",
	"q":     "leave; what is going on is stopped first",
}

// viewHelp explains every key of the screen.
func (m model) viewHelp() []string {
	m.help = false
	lines := []string{"", " " + m.theme.Strong.Render("Keys"), ""}
	all := append([]key.Binding{m.keys.page, m.keys.ends}, m.pressable(true)...)
	for _, b := range append(all, m.keys.interrupt, m.keys.suspend) {
		said := b.Help().Desc
		if more, ok := longerHelp[b.Help().Key]; ok && !(m.detail && b.Help().Key == "q") {
			said = more
		}
		lines = append(lines, "   "+m.theme.Accent.Render(pad(b.Help().Key, 12))+said)
	}
	if m.height < 24 {
		return lines
	}
	lines = append(lines, "")
	symbols := m.theme.Mark(theme.OK) + " ok  " + m.theme.Mark(theme.Attention) + " works, but look at it  " + m.theme.Mark(theme.Broken) +
		" broken  " + m.theme.Faint.Render(m.theme.Glyph("·", "[..]")) + " to know  " + m.theme.Mark(theme.Absent) + " not told"
	return append(lines, " "+ansi.Truncate(symbols, m.width-2, ""))
}

// Record is what was found, as plain text as wide as the terminal: it stays on the scrollback when the
// screens are gone.
func (o Outcome) Record() string {
	if !o.Examined {
		return ""
	}
	m := o.m
	m.theme, m.lit, m.width, m.height = theme.Plain(m.ASCII), false, max(m.width, leastWidth), leastHeight
	m.list.all, m.list.filter = false, ""
	m.restore()
	m.run.going = false
	lines := []string{m.header(), ""}
	drawn, _ := m.lines(m.rows())
	lines = append(lines, drawn...)
	lines = append(lines, "", " "+m.counts())
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}
