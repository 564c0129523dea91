package wizard

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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

type row struct {
	harness setup.Harness
	looked  bool
	idle    bool // see [installer.Options.Idle]
	status  installer.Status
	version string
	chosen  bool
	touched bool // selected or deselected by the user, also with a flag

	open []setup.Choice // the possible modes, the most reliable first
	mode setup.Mode     // the mode to set up, "" = unknown
}

func newChoose(c Config) choose {
	servers := c.Options.Program.Servers
	all := choose{scope: c.Options.Scope, named: c.Named, modes: map[string]setup.Mode{}, servers: picker{names: servers, chosen: servers, settled: c.ServersSet}}
	maps.Copy(all.modes, c.Options.Modes)
	for _, h := range c.Options.Harnesses {
		all.rows = append(all.rows, row{harness: h})
	}
	return all
}

func (m *model) look() {
	m.choose.problem = ""
	m.looks++
	for i := range m.choose.rows {
		m.choose.rows[i].looked = false
		m.lookAt(m.choose.rows[i])
	}
}

// lookAt inspects one harness. It does not ask again for a known version.
func (m *model) lookAt(r row) {
	o := m.chosen(m.choose, []string{r.harness.ID}, m.review.trust)
	ctx, look, asked := m.Ctx(), m.looks, m.choose.modes[r.harness.ID]
	m.Go(func() func() {
		r.status, _ = installer.Inspect(o, r.harness) // the status says why it is unclear
		if r.version == "" {
			r.version, _ = o.Env.AskVersion(ctx, r.status.Presence.Binary)
		}
		o.Own = map[string][]string{r.harness.ID: o.Proposed(r.status)}
		r.open, r.mode = installer.Modes(o, r.harness)
		r.idle = o.Idle(r.harness)
		return func() {
			if look == m.looks && asked == m.choose.modes[r.harness.ID] { // the user has not chosen another mode since
				m.choose.looked(r, o)
			}
		}
	})
}

// looked stores the result for one harness.
func (c *choose) looked(found row, o installer.Options) {
	i := slices.IndexFunc(c.rows, func(r row) bool { return r.harness.ID == found.harness.ID })
	r := &c.rows[i]
	found.looked, found.chosen, found.touched = true, r.chosen, r.touched
	*r = found
	c.preselect()
	if !c.looking() { // so that the order is that of the rows
		c.offer(o)
	}
	if c.problem == stillLooking && c.unready() != stillLooking {
		c.problem = ""
	}
}

// preselect selects the harnesses that the user has neither selected nor deselected. A server that the user names, and that no
// harness has, may be registered later.
func (c *choose) preselect() {
	some := slices.ContainsFunc(c.rows, func(r row) bool { return !r.looked || !r.idle })
	for i := range c.rows {
		r := &c.rows[i]
		r.idle = r.idle && (some || !c.servers.settled)
		if r.looked && !r.touched {
			r.touched = slices.Contains(c.named, r.harness.ID)
			r.chosen = r.touched || len(c.named) == 0 && r.status.Presence.Found && !r.idle
		}
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

// pressList moves the cursor of the open list, or scrolls the text below it.
func (m *model) pressList(key string) {
	c := &m.choose
	cursor, last := &c.cursor, len(c.rows)-1
	if c.picking {
		cursor, last = &c.servers.cursor, len(c.servers.names)-1
	}
	switch key {
	case "up", "k":
		*cursor, c.scrolled = max(*cursor-1, 0), 0
	case "down", "j":
		*cursor, c.scrolled = min(*cursor+1, last), 0
	case "pgup", "ctrl+u", "pgdown", "ctrl+d":
		c.scrolled = m.list().page(key == "pgdown" || key == "ctrl+d", m.BodyHeight(m))
	}
}

func (m *model) propose() {
	m.choose.scrolled = 0 // a problem is shown at the top
	if m.choose.problem = m.choose.unready(); m.choose.problem == "" {
		m.makePlan(m.review.trust)
	}
}

func (m *model) turnScope() {
	m.choose.scope = m.choose.scope.Other()
	clear(m.choose.modes) // they are about other files
	m.look()
}

// turnMode chooses the next possible mode for the harness under the cursor, a more reliable one first, and inspects the
// harness again.
func (m *model) turnMode() {
	r := &m.choose.rows[m.choose.cursor]
	i := slices.IndexFunc(r.open, func(c setup.Choice) bool { return c.Mode == r.mode })
	if i < 0 { // the requested mode is not possible
		i = 1
	}
	r.mode = r.open[(i+len(r.open)-1)%len(r.open)].Mode
	m.choose.modes[r.harness.ID] = r.mode
	m.choose.problem = ""
	m.lookAt(*r)
}

func (c *choose) toggle() {
	if r := &c.rows[c.cursor]; r.looked {
		r.chosen, r.touched = !r.chosen, true
		c.problem = ""
	}
}

func (c choose) looking() bool {
	return slices.ContainsFunc(c.rows, func(r row) bool { return !r.looked })
}

const stillLooking = "still looking; please wait"

// unready returns why no plan can be made yet.
func (c choose) unready() string {
	switch {
	case c.looking():
		return stillLooking
	case len(c.ids()) == 0:
		return "select a harness with space"
	}
	return ""
}

// list returns the open list: the harnesses and the text about the one under the cursor, or the servers.
func (m *model) list() listing {
	if m.choose.picking {
		return m.listServers()
	}
	widths := m.widths()
	head := m.drawRow(widths, "   ", "Harness", "Version", "Configuration", "Server", "By", "Wired")
	l := listing{
		head:   []string{"", m.Theme.Faint.Render("  " + head)},
		cursor: m.choose.cursor, scrolled: m.choose.scrolled,
		text: append(m.viewProblem(), m.viewDetail()...),
	}
	for i, r := range m.choose.rows {
		l.rows = append(l.rows, m.viewRow(widths, i == m.choose.cursor, r))
	}
	return l
}

func (m *model) cursor(here bool) string {
	if here {
		return m.Theme.Accent.Render(m.Theme.Glyph("▸", ">")) + " "
	}
	return "  "
}

func box(chosen bool) string {
	if chosen {
		return "[x]"
	}
	return "[ ]"
}

func (m *model) viewRow(widths [5]int, here bool, r row) string {
	t, p, version, file, box := m.Theme, r.status.Presence, r.version, "", box(r.chosen)
	if !r.looked {
		return m.cursor(here) + m.drawRow(widths, " "+m.Spinner()+" ", r.harness.Name, "", t.Faint.Render("looking"), "", "", "")
	}
	if !p.Found {
		version = "not found"
	}
	if !p.Found && !r.chosen {
		box = " " + t.Glyph("–", "-") + " "
	}
	if r.idle && !r.chosen && p.Found {
		file, r.mode = m.lack(m.choose), ""
	} else if len(r.status.Files) > 0 {
		file = tui.Middle(visible(m.Show(r.status.Files[0])), widths[2], t)
	}
	line := m.drawRow(widths, box, r.harness.Name, version, file, m.viewServer(r), string(r.mode), m.viewState(r.status))
	if here {
		line = t.Strong.Render(line)
	} else if !p.Found && !r.chosen {
		line = t.Faint.Render(line)
	}
	return m.cursor(here) + line
}

func (m *model) viewServer(r row) string {
	p, wanted := r.status.Presence, m.wantedBy(r)
	has := len(wanted) - len(lacking(p, wanted))
	switch {
	case !p.Found:
		return ""
	case r.idle && !r.chosen:
		return ""
	case len(wanted) > 1:
		return fmt.Sprintf("%d of %d", has, len(wanted))
	case has == 0:
		return m.Theme.Say(tui.Attention, "no")
	}
	return m.Theme.Say(tui.OK, "yes")
}

func (m *model) viewState(s installer.Status) string {
	switch {
	case s.State == installer.Current:
		return m.Theme.Say(tui.OK, "yes")
	case s.State == installer.Stale:
		return m.Theme.Say(tui.Attention, "to update")
	case s.State == installer.Unclear:
		return m.Theme.Say(tui.Broken, "unclear")
	case !s.Presence.Found:
		return ""
	}
	return "no"
}

func (m *model) viewProblem() []string {
	switch {
	case m.pending && len(m.asking) > 0:
		return append(m.Text(m.working()), "")
	case m.choose.problem != "":
		return append(m.Text(m.Theme.Say(tui.Attention, oneLine(m.choose.problem))), "")
	}
	return nil
}

func (m *model) viewDetail() (lines []string) {
	r := m.choose.rows[m.choose.cursor]
	say := func(s string) { lines = append(lines, m.Text(s)...) }
	if !r.looked {
		return lines
	}
	s := r.status
	if s.Why != "" {
		say(m.Theme.In(tui.Attention, oneLine(m.Show(s.Why))))
	}
	if s.FindErr != nil {
		say(m.Theme.In(tui.Attention, "not all of its configuration can be read: "+oneLine(m.Show(s.FindErr.Error()))))
	}
	if !s.Presence.Found {
		say(r.harness.Name + " was not found. Select it to set it up in advance.")
		return lines
	}
	if s.Presence.MovedBy != "" {
		say("Its configuration is in " + visible(m.Show(s.Presence.ConfigHome)) + " because of " + s.Presence.MovedBy + ".")
	}
	if missing := lacking(s.Presence, m.wantedBy(r)); len(missing) > 0 {
		lack := "no server named " + visible(strings.Join(missing, " or "))
		if r.idle && !r.chosen {
			lack = m.lack(m.choose)
		}
		say(r.harness.Name + " has " + lack + m.known(s.Presence) + ".")
	}
	switch {
	case r.idle && (!r.chosen || r.harness.RelayOnly()):
		return lines // a relay needs the server
	case r.mode != "" && s.Mode == r.mode: // docs/setup.md says why
		say("Wired by " + string(r.mode) + ".")
	case r.mode != "":
		say("Setup wires it by " + string(r.mode) + ".")
	}
	for _, c := range r.harness.CaveatsBy(r.mode) {
		say(c)
	}
	for _, f := range r.harness.Flaws {
		if r.mode == setup.ByHooks && f.In(r.version) {
			say(r.harness.Name + " " + visible(r.version) + " " + f.Why + ": " + f.Fix + ".")
		}
	}
	return lines
}

func (m *model) known(p setup.Presence) string {
	names := inspect.Offer(p)
	if len(names) == 0 {
		return ""
	}
	return "; it has " + visible(strings.Join(names, ", "))
}

// widths returns the widths of the columns harness, version, file, server and mode. In a narrow window, the least important
// are 0: these are not drawn.
func (m *model) widths() [5]int {
	const state = 11
	w := [...]int{leastName, 10, 0, 6, 5}
	for _, r := range m.choose.rows {
		w[0] = max(w[0], ansi.StringWidth(r.harness.Name))
	}
	left := m.Width - 7 - w[0] - 1 - w[1] - 1 - w[3] - 1 - w[4] - 1 - state
	for _, i := range []int{1, 3} {
		if left < 20 {
			left += w[i] + 1
			w[i] = 0
		}
	}
	if w[2] = min(left-1, 60); w[2] < 8 {
		w[2] = 0
	}
	return w
}

func (m *model) drawRow(widths [5]int, box string, cells ...string) string {
	line := box + " "
	for i, wide := range widths {
		if wide > 0 {
			line += tui.Cell(cells[i], wide, m.Theme) + " "
		}
	}
	return line + cells[len(widths)]
}
