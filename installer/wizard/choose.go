package wizard

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wsi/harnesses/setup"
	"wsi/installer"
	"wsi/installer/inspect"
	"wsi/internal/tui"
)

// choose is the first screen: the harnesses, and what to set up.
type choose struct {
	rows   []row
	cursor int
	scope  setup.Scope
	named  []string // ids to select at first

	servers picker // for which wsi carries values
	picking bool   // their list is open

	modes    map[string]setup.Mode // chosen by the user, by harness id
	scrolled int                   // lines of the text about the harness under the cursor

	problem string // why no plan could be made
}

// row is one harness.
type row struct {
	harness setup.Harness
	looked  bool
	status  installer.Status
	version string
	chosen  bool
	touched bool // selected or deselected by the user

	open []setup.Choice // the possible modes, the most reliable first
	mode setup.Mode     // the mode to set up, "" = unknown
}

func newChoose(c Config) choose {
	all := choose{scope: c.Options.Scope, named: c.Named, servers: picker{settled: c.ServersSet}, modes: map[string]setup.Mode{}}
	for _, h := range c.Options.Harnesses {
		all.rows = append(all.rows, row{harness: h})
	}
	for _, s := range c.Options.Program.Servers {
		all.servers.names = append(all.servers.names, name{s, true})
	}
	return all
}

// look inspects every harness and asks its program for the version. Earlier results are dropped.
func (m model) look() tea.Cmd {
	var all []tea.Cmd
	for _, r := range m.choose.rows {
		all = append(all, m.lookAt(r))
	}
	return tea.Batch(all...)
}

// lookAt inspects one harness. It does not ask again for a known version.
func (m model) lookAt(r row) tea.Cmd {
	o := m.chosen([]string{r.harness.ID}, m.choose.scope, m.wanted(), m.choose.modes, m.review.agreed)
	asked := m.choose.modes[r.harness.ID]
	return func() tea.Msg {
		o := o.ReadOnce()
		msg := lookedMsg{look: m.looks, id: r.harness.ID, asked: asked}
		msg.status, msg.version = lookAt(m.ctx, o, r.harness, r.version)
		o.Own = map[string][]string{r.harness.ID: o.Proposed(msg.status)}
		msg.open, msg.mode = installer.Modes(o, r.harness)
		return msg
	}
}

// looked stores the result for one harness.
func (c *choose) looked(msg lookedMsg, o installer.Options) {
	i := slices.IndexFunc(c.rows, func(r row) bool { return r.harness.ID == msg.id })
	if i < 0 {
		return
	}
	r := &c.rows[i]
	if msg.asked != c.modes[msg.id] {
		return // the user chose another mode since
	}
	r.looked, r.status, r.version, r.open, r.mode = true, msg.status, msg.version, msg.open, msg.mode
	if !r.touched {
		r.chosen = slices.Contains(c.named, msg.id) || len(c.named) == 0 && r.status.Presence.Found
	}
	if !c.looking() { // so that the order is that of the rows
		c.offer(o.Proposed)
	}
	if c.problem == stillLooking && c.unready() != stillLooking {
		c.problem = ""
	}
}

func (c choose) ids() (ids []string) {
	for _, r := range c.rows {
		if r.chosen {
			ids = append(ids, r.harness.ID)
		}
	}
	return ids
}

func (m model) pressChoose(k tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	c := &m.choose
	switch {
	case m.pending:
	case key.Matches(k, m.keys.Up):
		c.cursor, c.scrolled = max(c.cursor-1, 0), 0
	case key.Matches(k, m.keys.Down):
		c.cursor, c.scrolled = min(c.cursor+1, len(c.rows)-1), 0
	case key.Matches(k, m.keys.toggle):
		c.toggle()
	case key.Matches(k, m.keys.PageUp, m.keys.PageDown):
		l := m.layChoose()
		l.page(key.Matches(k, m.keys.PageDown), m.height-2)
		c.scrolled = l.scrolled
	case key.Matches(k, m.keys.scope):
		c.scope = c.scope.Other()
		clear(c.modes) // they are about other files
		return m.lookAgain()
	case key.Matches(k, m.keys.mode):
		cmd := m.turnMode()
		return m, cmd
	case key.Matches(k, m.keys.server):
		c.openServers()
	case key.Matches(k, m.keys.enter):
		c.scrolled = 0 // a problem is shown at the top
		if c.problem = c.unready(); c.problem == "" {
			cmd := m.plan(m.review.agreed)
			return m, cmd
		}
	}
	return m, nil
}

func (m model) lookAgain() (tea.Model, tea.Cmd) {
	m.choose.problem = ""
	m.looks++
	for i := range m.choose.rows {
		m.choose.rows[i].looked = false
	}
	return m, tea.Batch(m.look(), m.spinner.Tick)
}

func (c *choose) toggle() {
	if r := &c.rows[c.cursor]; r.looked {
		r.chosen, r.touched = !r.chosen, true
		c.problem = ""
	}
}

// looking reports whether a harness is not inspected yet.
func (c choose) looking() bool {
	return slices.ContainsFunc(c.rows, func(r row) bool { return !r.looked })
}

const stillLooking = "still looking; please wait"

// unready returns why no plan can be made yet.
func (c choose) unready() string {
	switch {
	case c.looking():
		return stillLooking
	case len(c.ids()) == 0 && !slices.ContainsFunc(c.rows, func(r row) bool { return r.status.Presence.Found }):
		return "no harness was found; select one with space to set it up in advance"
	case len(c.ids()) == 0:
		return "select a harness with space"
	}
	return ""
}

// viewChoose draws a row per harness, and the text about the one under the cursor.
func (m model) viewChoose() []string {
	if m.choose.picking {
		return m.layPick().lines(m.height-2, m.theme)
	}
	return m.layChoose().lines(m.height-2, m.theme)
}

func (m model) layChoose() listing {
	cols := m.columns()
	l := listing{
		head:   []string{"", m.theme.Faint.Render("  " + cols.line(m.theme, "   ", "Harness", "Version", "Configuration", "Server", "By", "Wired"))},
		cursor: m.choose.cursor, scrolled: m.choose.scrolled,
		text: slices.Concat(m.viewProblem(), m.viewStronger(), m.viewDetail()),
	}
	for i, r := range m.choose.rows {
		l.rows = append(l.rows, m.viewRow(cols, i, r))
	}
	return l
}

func (m model) viewRow(cols cols, i int, r row) string {
	t, cursor, box := m.theme, "  ", "[ ]"
	if i == m.choose.cursor {
		cursor = t.Accent.Render(t.Glyph("▸", ">")) + " "
	}
	if r.chosen {
		box = "[x]"
	}
	if !r.looked {
		return cursor + cols.line(m.theme, " "+m.spinner.View()+" ", r.harness.Name, "", t.Faint.Render("looking"), "", "", "")
	}
	p := r.status.Presence
	version := r.version
	if !p.Found {
		version = "not found"
		if !r.chosen {
			box = " " + t.Glyph("–", "-") + " "
		}
	}
	file := ""
	if len(r.status.Files) > 0 {
		file = visible(m.Show(r.status.Files[0]))
	}
	line := cols.line(m.theme, box, r.harness.Name, version, tui.Middle(file, cols.file, m.theme), m.viewServer(r), string(r.mode), m.viewState(r.status))
	if i == m.choose.cursor {
		line = t.Strong.Render(line)
	} else if !p.Found && !r.chosen {
		line = t.Faint.Render(line)
	}
	return cursor + line
}

// viewServer says how many of the servers the harness has.
func (m model) viewServer(r row) string {
	p, wanted := r.status.Presence, m.wantedBy(r)
	has := len(wanted) - len(lacking(p, wanted))
	switch {
	case !p.Found:
		return ""
	case len(wanted) > 1:
		return fmt.Sprintf("%d of %d", has, len(wanted))
	case has == 0:
		return m.theme.In(tui.Attention, m.theme.Symbol(tui.Attention)+" no")
	}
	return m.theme.In(tui.OK, m.theme.Symbol(tui.OK)+" yes")
}

func (m model) viewState(s installer.Status) string {
	switch s.State {
	case installer.Current:
		return m.theme.In(tui.OK, m.theme.Symbol(tui.OK)+" yes")
	case installer.Stale:
		return m.theme.In(tui.Attention, m.theme.Symbol(tui.Attention)+" to update")
	case installer.Unclear:
		return m.theme.In(tui.Broken, m.theme.Symbol(tui.Broken)+" unclear")
	}
	if !s.Presence.Found {
		return ""
	}
	return "no"
}

// viewProblem says why no plan could be made.
func (m model) viewProblem() []string {
	if m.pending && len(m.asking) > 0 {
		return append(tui.Indent(tui.Wrap(m.spinner.View()+" "+m.working(), m.width-2)), "")
	}
	if m.choose.problem == "" {
		return nil
	}
	text := m.theme.In(tui.Attention, m.theme.Symbol(tui.Attention)+" "+oneLine(m.choose.problem))
	return append(tui.Indent(tui.Wrap(text, m.width-2)), "")
}

// viewDetail describes the harness under the cursor.
func (m model) viewDetail() (lines []string) {
	r := m.choose.rows[m.choose.cursor]
	say := func(s string) { lines = append(lines, tui.Indent(tui.Wrap(s, m.width-2))...) }
	if in := m.Options.Install; in != nil {
		say(m.theme.In(tui.Attention, m.theme.Symbol(tui.Attention)+" wsi runs from a temporary place: setup first installs it at "+visible(m.Show(in.To))+"."))
		lines = append(lines, "")
	}
	if !r.looked {
		return lines
	}
	s := r.status
	if s.Why != "" {
		say(m.theme.In(tui.Attention, oneLine(m.Show(s.Why))))
	}
	if s.FindErr != nil {
		say(m.theme.In(tui.Attention, "not all of its configuration can be read: "+oneLine(m.Show(s.FindErr.Error()))))
	}
	if !s.Presence.Found {
		say(r.harness.Name + " was not found. Select it to set it up in advance.")
		return lines
	}
	if s.Presence.MovedBy != "" {
		say("Its configuration is in " + visible(m.Show(s.Presence.ConfigHome)) + " because of " + s.Presence.MovedBy + ".")
	}
	if missing := lacking(s.Presence, m.wantedBy(r)); len(missing) > 0 {
		say(r.harness.Name + " has no server named " + visible(strings.Join(missing, " or ")) + m.known(s.Presence) + ".")
	}
	lines = append(lines, m.viewModes(r)...)
	for _, c := range r.harness.CaveatsBy(r.mode) {
		say(c)
	}
	return lines
}

// known lists the servers that a harness has.
func (m model) known(p setup.Presence) string {
	names := inspect.Offer(p)
	if len(names) == 0 {
		return ""
	}
	return ", but " + visible(strings.Join(names, ", ")) + " (v: servers)"
}

// cols are the widths of the columns.
type cols struct{ name, version, file, server, mode, state int }

// columns fits the table to the window: it drops the least important columns first.
func (m model) columns() cols {
	c := cols{name: leastName, version: 10, server: 6, mode: 5, state: 11}
	for _, r := range m.choose.rows {
		c.name = max(c.name, ansi.StringWidth(r.harness.Name))
	}
	left := m.width - 7 - c.name - 1 - c.version - 1 - c.server - 1 - c.mode - 1 - c.state
	if left < 20 {
		left += c.version + 1
		c.version = 0
	}
	if left < 20 {
		left += c.server + 1
		c.server = 0
	}
	if c.file = min(left-1, 60); c.file < 8 {
		c.file = 0
	}
	return c
}

func (c cols) line(t tui.Theme, box, harness, version, file, server, mode, state string) string {
	var b strings.Builder
	b.WriteString(box + " ")
	for _, cell := range []struct {
		text string
		wide int
	}{{harness, c.name}, {version, c.version}, {file, c.file}, {server, c.server}, {mode, c.mode}} {
		if cell.wide > 0 {
			b.WriteString(tui.Cell(cell.text, cell.wide, t) + " ")
		}
	}
	return b.String() + state
}
