// Package console shows an examination on a terminal while it runs: one sentence, a table of the harnesses, and the keys. The
// user can look at what was found in a harness, repeat the examination, and run it with the harness's own program.
//
// It changes nothing. If the user wants setup to repair something, the console ends and its Outcome says so. It must
// not know harnesses by name, or how an examination is made: the caller passes that in.
package console

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"wsi/doctor"
	"wsi/doctor/hooklist"
	"wsi/doctor/report"
	"wsi/internal/lists"
	"wsi/internal/tui"
)

// Config has the settings from the command line.
type Config struct {
	// Examine examines these harnesses; none named = all. If live is true, it also runs their own programs. It returns
	// soon after ctx ends, and leaves nothing behind.
	Examine func(ctx context.Context, harnessIDs []string, live bool, watch func(doctor.Event)) (report.Report, error)
	Show    func(text string) string // writes the home folder as ~
	Hooks   func() hooklist.List     // reads the hooks of all programs that are registered with the harnesses

	Harnesses []report.Group // in their order, shown from the start; without findings
	At        string         // id of the harness with the cursor at first, "" = the first one
	Live      bool           // the first examination is live: the user asked for that already
	ASCII     bool           // no characters beyond ASCII
}

// Outcome is the result of Run.
type Outcome struct {
	Report   report.Report // the last completed examination of each harness
	Examined bool          // there is a Report
	Err      error         // why the last examination was not completed
	Fix      string        // id of the harness to set up next, FirstSetup, "" = the user has quit
}

// FirstSetup is Outcome.Fix if wsi was never set up.
const FirstSetup = "wsi"

// ErrStopped means that the user quit before an examination was completed.
var ErrStopped = errors.New("the examination was interrupted")

// Run shows the screens until the user quits or ctx ends. When it returns, no examination is running and the terminal
// is restored, even after a panic.
func Run(ctx context.Context, c Config, in io.Reader, out io.Writer) (Outcome, error) {
	m := newModel(c)
	err := m.Shell.Run(ctx, m, in, out)
	o := m.outcome()
	if o.Err == nil && ctx.Err() != nil {
		o.Err = errors.New("a signal ended the screens")
	}
	return o, err
}

func (m *model) outcome() Outcome {
	o := Outcome{Report: m.report, Examined: m.examined, Err: m.run.err, Fix: m.toFix}
	if o.Err == nil && !o.Examined {
		o.Err = ErrStopped
	}
	return o
}

// model is the whole program.
type model struct {
	tui.Shell
	Config
	clock func() time.Time

	report   report.Report // of the last completed examinations; while the first one runs, what it has found so far
	examined bool          // a whole examination was completed
	run      run

	list   tui.List
	cursor string // id of a harness, "" = wsi itself
	moved  bool   // by the user
	page   page
	hooks  *hooklist.List

	notice   notice
	question question
	toFix    string
}

// page is what covers the table.
type page int

const (
	table page = iota
	detail
	hookPage
)

// notice is a sentence that is shown until the next key.
type notice struct {
	state tui.State
	text  string
}

// question asks whether harnesses may be started.
type question struct {
	asked bool
	since time.Time
	ids   []string
}

// readingTime is how long a question must be shown before a key can answer it.
const readingTime = 300 * time.Millisecond

func newModel(c Config) *model {
	m := &model{Shell: tui.NewShell("wsi doctor", "leave; a live examination is stopped first", c.ASCII), Config: c, clock: time.Now, list: tui.NewList()}
	m.cursor, m.moved = c.At, c.At != ""
	m.report.Groups = c.Harnesses
	return m
}

// Init begins the first examination.
func (m *model) Init() tea.Cmd { return m.Shell.Init(m.start) }

func (m *model) start() { m.begin(nil, m.Live) }

// View draws the screen.
func (m *model) View() tea.View { return m.Shell.View(m) }

// Update handles a message.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		m.notice = notice{}
		switch {
		case k.String() != "ctrl+c":
		case m.Stopping(): // the terminal first; Run waits without it
			return m, tea.Quit
		case m.run.going && m.run.live && m.examined:
			m.cancel()
			msg = nil
		}
	}
	return m, m.Shell.Update(m, msg)
}

// Busy reports whether the spinner turns.
func (m *model) Busy() bool { return m.run.going || m.Stopping() }

// Uncovered does nothing: no key here needs time to read.
func (m *model) Uncovered() {}

// Moved keeps the harness under the cursor: rows come and go while an examination runs.
func (m *model) Moved(row int) {
	m.cursor, m.moved = m.rows()[row].ID, true
}

// turn shows what was found in the next harness, or the one before.
func (m *model) turn(by int) {
	rows := m.rows()
	m.Moved(max(min(index(rows, m.here().ID)+by, len(rows)-1), 0))
	m.Top()
}

// rows returns what has a row: the harnesses that concern the user or, before that is known, all; and wsi itself, if
// something is wrong with it or nothing else has a row.
func (m *model) rows() (rows []report.Group) {
	rows = lists.Filter(m.report.Groups, func(g report.Group) bool { return g.Concerns() || m.run.going && !m.examined })
	if len(rows) == 0 || (report.Report{Own: m.report.Own}).Wrong() != nil {
		rows = append(rows, report.Group{Name: "wsi itself", Findings: m.report.Own})
	}
	return rows
}

// here returns the row of the cursor.
func (m *model) here() report.Group {
	rows := m.rows()
	return rows[max(index(rows, m.cursor), 0)]
}

func (m *model) say(s tui.State, text string) { m.notice = notice{s, text} }

// fixable returns what setup repairs: where the cursor is if it repairs anything there, or else the first; "" = nothing.
func (m *model) fixable() string {
	ids := m.report.Fixable()
	if m.report.NeverSetUp() {
		ids = append([]string{FirstSetup}, ids...)
	}
	if here := m.here().ID; slices.Contains(ids, here) {
		return here
	}
	return cmp.Or(append(ids, "")...)
}

// repair quits, so that setup repairs what is broken.
func (m *model) repair() {
	switch id := m.fixable(); {
	case m.run.going: // the report, which names the fixes, comes at its end
		m.say(tui.Attention, "still checking; please wait")
	case id == "":
		m.say(tui.Absent, "there is nothing that setup could fix")
	default:
		m.toFix = id
		m.Quit()
	}
}

// open shows a page. The hooks are read each time.
func (m *model) open(p page) {
	m.Top()
	if m.page = p; p != hookPage {
		return
	}
	m.hooks = nil
	read := m.Config.Hooks
	m.Go(func() func() {
		list := read()
		return func() { m.hooks = &list }
	})
}

// Keys returns the keys of the screen, the most important first, help and quit last.
func (m *model) Keys() []tui.Key {
	bind := tui.Bind
	back := bind("esc", "back", "", func() { m.open(table) }, "esc", "enter", "q", "backspace")
	switch {
	case m.Stopping():
		return nil
	case m.question.asked:
		return []tui.Key{bind("y", "start", "", m.confirmed), bind("n", "no", "", m.declined, "n", "esc", "enter", "q")}
	case m.page == hookPage:
		return append(tui.PageKeys(), back, m.Arrows("scroll"), m.HelpKey(), bind("q", "back", "", nil))
	}
	var keys []tui.Key
	if m.fixable() != "" && !m.run.going {
		keys = append(keys, bind("f", "fix", "setup shows what it would change, and asks", m.repair))
	} else {
		keys = append(keys, bind("", "", "", m.repair, "f"))
	}
	last := bind("q", "quit", "leave; a running check is stopped first", m.Quit)
	if m.page == detail {
		keys = append(keys, back, bind("", "", "", func() { m.turn(-1) }, "left"),
			bind(m.Theme.Glyph("←→", "left/right"), "harness", "", func() { m.turn(1) }, "right"), m.Arrows("scroll"))
		last = bind("q", "back", "", nil)
	} else {
		keys = append(keys, bind("enter", "why", "all that was found in the harness", func() { m.open(detail) }))
		if m.run.going && m.examined {
			keys = append(keys, bind("esc", "stop", "", m.cancel))
		}
	}
	keys = append(keys,
		bind("l", "live proof", "have the harnesses' own programs make calls", func() { m.again(true) }),
		bind("h", "all hooks", "the hooks of all programs", func() { m.open(hookPage) }),
		bind("r", "again", "examine again", func() { m.again(false) }))
	return append(keys, m.HelpKey(), last)
}

// HelpEnd explains the symbols.
func (m *model) HelpEnd() []string {
	t := m.Theme
	symbols := t.Mark(tui.OK) + " well  " + t.Mark(tui.Attention) + " warning: works, but look at it  " + t.Mark(tui.Broken) +
		" fault  " + t.Mark(tui.Absent) + " not checked"
	return append([]string{"", " In the page of a harness, l and r are for this harness only."}, m.Text(symbols)...)
}
