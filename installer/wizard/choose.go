package wizard

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/installer"
	"wsi/installer/inspect"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

// choose is the first screen: the harnesses, and what to set up.
type choose struct {
	rows  []row
	list  tui.List
	scope setup.Scope
	named []string // ids to select at first

	servers picker // for which wsi carries values
	picking bool   // their list is open

	modes map[string]setup.Mode // chosen by the user, by harness id

	problem string // why no plan could be made
}

type row struct {
	harness setup.Harness
	looked  bool
	idle    bool // see [installer.Options.Idle]
	status  installer.Status
	version string
	silent  error // why the version is not known, if the program does not answer
	chosen  bool
	touched bool // selected or deselected by the user, also with a flag

	open []setup.Choice // the possible modes, the most reliable first
	mode setup.Mode     // the mode to set up, "" = unknown
}

func newChoose(c Config) choose {
	servers := c.Options.Program.Servers
	all := choose{
		scope: c.Options.Scope, named: c.Named, modes: map[string]setup.Mode{}, list: tui.NewList(),
		servers: picker{names: servers, chosen: servers, settled: c.ServersSet, list: tui.NewList()},
	}
	if c.ServersSet {
		all.servers.named = servers
	}
	maps.Copy(all.modes, c.Options.Modes)
	all.rows = lists.Map(c.Options.Harnesses, func(h setup.Harness) row { return row{harness: h} })
	all.list.At(slices.IndexFunc(all.rows, func(r row) bool { return slices.Contains(c.Named, r.harness.ID) }))
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
	ctx, look, asked, ticked := m.Ctx(), m.looks, m.choose.modes[r.harness.ID], m.choose.ticked()
	m.Go(func() func() {
		r.status, _ = installer.Inspect(o, r.harness) // the status says why it is unclear
		if r.version == "" && r.silent == nil {
			var err error
			if r.version, err = o.Env.AskVersion(ctx, r.status.Presence.Binary); errors.Is(err, setup.ErrSilent) {
				r.silent = err
			}
		}
		if o.Own = map[string][]string{r.harness.ID: o.Proposed(r.status)}; ticked != nil {
			o.Own[r.harness.ID] = ticked
		}
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
			r.chosen = r.touched || len(c.named) == 0 && r.status.Presence.Found && !r.idle && r.status.State != installer.Unclear
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

// here returns the row under the cursor.
func (c *choose) here() *row { return &c.rows[c.list.Cursor()] }

func (m *model) propose() {
	if m.choose.problem = m.choose.unready(); m.choose.problem == "" {
		m.makePlan(m.review.trust)
	}
}

func (m *model) turnScope() {
	m.choose.scope = m.choose.scope.Other()
	clear(m.choose.modes) // they are about other files
	m.look()
}

// turnMode chooses the other mode for the harness under the cursor, and inspects the harness again.
func (m *model) turnMode() {
	r := m.choose.here()
	next, ok := r.other()
	if !ok {
		next = r.open[0] // the requested mode is not possible
	}
	r.mode = next.Mode
	m.choose.modes[r.harness.ID] = r.mode
	m.choose.problem = ""
	m.lookAt(*r)
}

// other returns the mode that is possible besides the one to set up.
func (r row) other() (setup.Choice, bool) {
	if len(r.open) < 2 {
		return setup.Choice{}, false
	}
	return lists.Find(r.open, func(c setup.Choice) bool { return c.Mode != r.mode })
}

func (c *choose) toggle() {
	if r := c.here(); r.looked {
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

// choosePage returns the harnesses, and the text about the one under the cursor. In a narrow window the versions leave first.
func (m *model) choosePage() tui.Page {
	c := &m.choose
	c.list.Show(make([]string, 4), lists.Map(c.rows, m.cells), 1, 2)
	lead := m.Theme.Strong.Render(m.sentence())
	switch {
	case m.pending:
		lead = m.working()
	case c.problem != "":
		lead = m.Theme.Say(tui.Attention, oneLine(c.problem))
	}
	return tui.Page{Lead: m.Text(lead), List: &c.list, Text: m.about}
}

// sentence says who has the servers, and what setup does.
func (m *model) sentence() string {
	if m.choose.looking() {
		return "Looking for your harnesses and their servers."
	}
	found := 0
	var have, wanted []string
	for _, r := range m.choose.rows {
		if r.status.Presence.Found {
			found++
		}
		own := m.wantedBy(r)
		if len(lacking(r.status.Presence, own)) < len(own) {
			have, wanted = append(have, r.harness.Name), lists.AddUnique(wanted, own...)
		}
	}
	all, verb := phrase.Count(found, "harness"), "is"
	if len(wanted) > 1 {
		verb = "are"
	}
	where := fmt.Sprintf("%d of your %s", len(have), all)
	switch len(have) {
	case 0:
		return "No server for wsi is registered in your " + all + " yet. Set up wsi in:"
	case 1:
		where = have[0]
	case found:
		where = "all of your " + all
	}
	return visible(phrase.List(wanted, "and")) + " " + verb + " in " + where + ". Set up wsi in:"
}

// choice draws what can be selected.
func (m *model) choice(chosen bool, name string) string {
	if chosen {
		return m.Theme.Glyph("◉", "[x]") + " " + visible(name)
	}
	return m.Theme.Glyph("○", "[ ]") + " " + visible(name)
}

// cells returns the row of a harness: its name, its version, the file that changes, and what there is to know about it.
func (m *model) cells(r row) []string {
	t, file := m.Theme, ""
	if !r.looked {
		return []string{m.Spinner() + " " + r.harness.Name, "", "", t.Faint.Render("looking")}
	}
	if len(r.status.Files) > 0 && (r.chosen || !r.idle) {
		file = filepath.Base(r.status.Files[0])
	}
	cells := []string{m.choice(r.chosen, r.harness.Name), visible(r.version), visible(file), m.remark(r)}
	if !r.status.Presence.Found && !r.chosen {
		cells = lists.Map(cells, t.Faint.Render)
	}
	return cells
}

// remark returns the most important thing to know about a harness, "" if there is none.
func (m *model) remark(r row) string {
	s, t, wanted := r.status, m.Theme, m.wantedBy(r)
	missing := lacking(s.Presence, wanted)
	switch {
	case s.State == installer.Unclear:
		return t.Say(tui.Broken, oneLine(m.Show(s.Why)))
	case r.silent != nil:
		return t.Say(tui.Attention, visible(r.silent.Error()))
	case s.State == installer.Current:
		return t.Say(tui.OK, "set up")
	case s.State == installer.Stale:
		return t.Say(tui.Attention, "to update")
	case !s.Presence.Found:
		return "not found"
	case r.idle && !r.chosen:
		return m.lack(m.choose)
	case len(missing) > 0 && len(wanted) > 1:
		return t.Say(tui.Attention, fmt.Sprintf("%d of %s", len(wanted)-len(missing), phrase.Count(len(wanted), "server")))
	case len(missing) > 0:
		return t.Say(tui.Attention, "no "+visible(missing[0]))
	}
	return ""
}

// about returns what there is to know about the harness under the cursor.
func (m *model) about(width int) (lines []string) {
	r := m.choose.here()
	say := func(text string) { lines = append(lines, tui.Indent(tui.Wrap(text, width-2))...) }
	if !r.looked {
		return lines
	}
	s := r.status
	if s.Why != "" {
		say(m.Theme.In(tui.Attention, r.harness.Name+": "+oneLine(m.Show(s.Why))))
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
	if missing := lacking(s.Presence, m.wantedBy(*r)); len(missing) > 0 {
		lack := "no server named " + visible(strings.Join(missing, " or "))
		if r.idle && !r.chosen {
			lack = m.lack(m.choose)
		}
		if has := inspect.Offer(s.Presence); len(has) > 0 {
			lack += "; it has " + visible(strings.Join(has, ", "))
		}
		say(r.harness.Name + " has " + lack + ".")
	}
	if r.idle && (!r.chosen || r.harness.RelayOnly()) { // a relay needs the server
		return lines
	}
	if c, ok := r.harness.Choice(r.mode); ok {
		say(r.harness.Name + ": by " + string(c.Mode) + ". " + c.Sentence())
	}
	if c, ok := r.other(); ok {
		lines = append(lines, tui.Hanging(" "+m.Theme.Accent.Render("w")+"  ", m.Theme.Faint.Render("by "+string(c.Mode)+": "+c.Why), width-6)...)
	}
	for _, c := range r.harness.TextsBy(r.mode).All() {
		say(c)
	}
	for _, f := range r.harness.Flaws {
		if r.mode == setup.ByHooks && f.In(r.version) {
			say(r.harness.Name + " " + visible(r.version) + " " + f.Why + ": " + f.Fix + ".")
		}
	}
	return lines
}
