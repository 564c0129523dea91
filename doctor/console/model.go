package console

import (
	"cmp"
	"context"
	"sync"
	"time"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/spinner"
	tea "charm.land/bubbletea/v2"

	"wsi/doctor"
	"wsi/doctor/report"
	"wsi/internal/tui"
)

// model is the whole program. It has no side effects: an examination runs concurrently and sends messages.
type model struct {
	Config
	ctx   context.Context //nolint:containedctx // of the program's one run
	work  *sync.WaitGroup // of examinations, which must not be cut off
	send  func(tea.Msg)   // sends their messages
	clock func() time.Time
	table []doctor.Listed

	width, height   int
	theme           tui.Theme
	backgroundKnown bool // the background is known, or the terminal does not answer
	spinner         spinner.Model
	keys            keys

	board board
	run   run
	list  list

	detail   bool // of the row under the cursor
	scrolled int  // lines of the detail
	help     bool // the keys are explained
	hooks    hooks
	notice   notice
	confirm  confirm
	stopping bool // the user has quit, but an examination is still running
	fix      string
}

// notice is a sentence that is shown until the next key.
type notice struct {
	state tui.State
	text  string
}

// Messages.
type (
	startMsg struct{}
	eventMsg struct {
		run   int // its number
		event doctor.Event
	}
	endedMsg struct {
		run    int
		report report.Report
		err    error
	}
)

func newModel(ctx context.Context, c Config, work *sync.WaitGroup, send func(tea.Msg)) model {
	m := model{
		Config: c, ctx: ctx, work: work, send: send, clock: time.Now, table: doctor.List(),
		width: 80, height: 24, keys: newKeys(c.ASCII), theme: tui.New(true, c.ASCII),
		board: newBoard(c.Harnesses),
	}
	if c.At != "" {
		m.list.cursor = place{c.At, c.At, true}
	}
	m.spinner = tui.NewSpinner(c.ASCII)
	return m
}

// Init asks the terminal for its background and begins.
func (m model) Init() tea.Cmd {
	return tea.Batch(tui.Background(), func() tea.Msg { return startMsg{} })
}

// Update handles a message. Only here the model changes.
func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m, cmd := m.update(msg)
	m.list.follow(m)
	return m, cmd
}

func (m model) update(msg tea.Msg) (model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		m.theme, m.backgroundKnown = tui.New(msg.IsDark(), m.ASCII), true
	case tui.DrawMsg:
		m.backgroundKnown = true
	case spinner.TickMsg:
		if !m.run.going && !m.stopping {
			return m, nil
		}
		var cmd tea.Cmd
		m.spinner, cmd = m.spinner.Update(msg)
		return m, cmd
	case startMsg:
		return m.begin(nil, m.Live)
	case tui.StopMsg:
		return m.quit()
	case eventMsg:
		if m.run.going && msg.run == m.run.number {
			m.board.tell(msg.event, msg.run)
		}
	case endedMsg:
		return m.ended(msg)
	case hooksMsg:
		m.hooks.list, m.hooks.known = msg.list, true
	case tea.KeyPressMsg:
		return m.press(msg)
	case tea.PasteMsg:
		if m.list.typing {
			m.list.add(msg.Content)
		}
	}
	return m, nil
}

// press handles a key: first those that work everywhere, then those of the screen.
func (m model) press(k tea.KeyPressMsg) (model, tea.Cmd) {
	m.notice = notice{}
	switch {
	case m.stopping && key.Matches(k, m.keys.Interrupt):
		return m, tea.Quit // the terminal first; Run waits without it
	case m.stopping:
		return m, nil
	case key.Matches(k, m.keys.Interrupt) && m.run.going && m.run.live && m.run.before:
		return m.cancel(), nil
	case key.Matches(k, m.keys.Interrupt):
		return m.quit()
	case key.Matches(k, m.keys.Suspend):
		return m, tea.Suspend
	case m.help:
		m.help = false
		return m, nil
	case m.small():
		if key.Matches(k, m.keys.Quit) {
			return m.quit()
		}
		return m, nil // the screen shows nothing for a key to act on
	case m.confirm.asked:
		return m.pressConfirm(k)
	case m.list.typing:
		m.list.typed(k, m.keys)
		return m, nil
	case key.Matches(k, m.keys.Help):
		m.help = true
		return m, nil
	}
	if m.hooks.open {
		return m.pressHooks(k), nil
	}
	if next, cmd, ok := m.act(k); ok {
		return next, cmd
	}
	if m.detail {
		return m.pressDetail(k), nil
	}
	return m.pressList(k)
}

// act handles the keys that are the same in the list and in the detail.
func (m model) act(k tea.KeyPressMsg) (next model, cmd tea.Cmd, ok bool) {
	here := m.list.here().section
	switch {
	case key.Matches(k, m.keys.fix):
		next, cmd = m.repair()
	case key.Matches(k, m.keys.copy):
		next, cmd = m.copyReport()
	case key.Matches(k, m.keys.hooks):
		next, cmd = m.openHooks()
	case m.run.going && key.Matches(k, m.keys.again, m.keys.againOne, m.keys.live, m.keys.liveOne):
		next = m.say(tui.Attention, "it is still being examined; esc stops that")
		if !m.run.before {
			next = m.say(tui.Attention, "it is still being examined; a moment")
		}
	case key.Matches(k, m.keys.again):
		next, cmd = m.begin(nil, false)
	case key.Matches(k, m.keys.live):
		next = m.ask(nil)
	case here == "" && key.Matches(k, m.keys.againOne, m.keys.liveOne):
		next = m.say(tui.Attention, "choose a harness with the cursor first")
	case key.Matches(k, m.keys.againOne):
		next, cmd = m.begin([]string{here}, false)
	case key.Matches(k, m.keys.liveOne):
		next = m.ask([]string{here})
	default:
		return m, nil, false
	}
	return next, cmd, true
}

func (m model) pressList(k tea.KeyPressMsg) (model, tea.Cmd) {
	switch {
	case key.Matches(k, m.keys.Quit):
		return m.quit()
	case key.Matches(k, m.keys.enter):
		m.detail, m.scrolled = m.list.here().id != "", 0
	case key.Matches(k, m.keys.all):
		m.list.all = !m.list.all
	case key.Matches(k, m.keys.filter):
		m.list.typing = true
	case key.Matches(k, m.keys.cancel) && m.list.filter != "":
		m.list.filter = ""
	case key.Matches(k, m.keys.cancel) && m.run.going && m.run.before:
		return m.cancel(), nil
	default:
		m.list.move(m, k)
	}
	return m, nil
}

func (m model) say(s tui.State, text string) model {
	m.notice = notice{s, text}
	return m
}

// repair quits, so that setup repairs the harness under the cursor.
func (m model) repair() (model, tea.Cmd) {
	s := m.board.section(m.list.here().section)
	fixable, fix := m.fixable()
	switch {
	case !s.ended:
		return m.say(tui.Attention, "it is still being examined; a moment"), nil
	case fixable:
		m.fix = s.group.ID
		return m.quit()
	case fix != "":
		return m.say(tui.Attention, "setup cannot fix that: "+m.Show(fix)), nil
	}
	return m.say(tui.OK, "there is nothing to fix here"), nil
}

// fixable reports whether setup repairs what is under the cursor, and returns the other fixes.
func (m model) fixable() (ok bool, fix string) {
	r := m.list.here()
	s := m.board.section(r.section)
	for _, c := range s.checks(m.table) {
		if c.known && (r.heading || r.id == c.id) {
			ok = ok || c.entry.Fixable() && s.group.ID != ""
			fix = cmp.Or(fix, c.entry.Fix)
		}
	}
	return ok, fix
}

// copyReport copies the report to the clipboard, if the terminal permits it.
func (m model) copyReport() (model, tea.Cmd) {
	switch {
	case !m.run.before && m.run.going:
		return m.say(tui.Attention, "it is still being examined; a moment"), nil
	case !m.run.before:
		return m.say(tui.Attention, "no report yet"), nil
	}
	return m.say(tui.OK, "copied, if this terminal lets it; wsi doctor --report prints the same"),
		tea.SetClipboard(m.Config.Report(m.run.report))
}

// quit leaves as soon as no examination is running.
func (m model) quit() (model, tea.Cmd) {
	if m.run.open == 0 {
		return m, tea.Quit
	}
	m.run.stop()
	m.stopping = true
	return m, m.spinner.Tick
}

// outcome returns the state at the end of the program.
func (m model) outcome() Outcome {
	o := Outcome{Report: m.run.report, Examined: m.run.before, Err: m.run.err, Fix: m.fix, m: m}
	if o.Err == nil && !o.Examined {
		o.Err = ErrStopped
	}
	return o
}
