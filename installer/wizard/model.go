package wizard

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/spinner"
	tea "charm.land/bubbletea/v2"

	"wsi/harnesses/setup"
	"wsi/installer"
	"wsi/installer/refusal"
	"wsi/internal/tui"
)

// step is the current step of the wizard.
type step int

const (
	choosing step = iota
	reviewing
	applying
	proving
	done
)

// model is the state of the program. It has no side effects: commands have, and report back as messages.
type model struct {
	Config
	ctx  context.Context //nolint:containedctx // of the only run
	work *sync.WaitGroup // commands to wait for at the end

	width, height   int
	theme           tui.Theme
	backgroundKnown bool // the background is known, or the terminal did not report it in time
	spinner         spinner.Model
	keys            keys
	step            step
	help            bool     // the help is open
	helpAt          int      // the first line of the help that is shown
	stopping        bool     // the user quit while files are being written
	asked           int      // number of the last requested plan
	pending         bool     // that plan is being made
	asking          []string // addresses of servers that are asked for that plan
	looks           int      // number of the last look
	readingTime     time.Duration

	choose choose
	review review
	run    run
}

// What commands report.
type (
	lookedMsg struct { // the status of a harness
		look    int // number of the look
		id      string
		asked   setup.Mode // the mode that the user had chosen
		status  installer.Status
		version string
		open    []setup.Choice
		mode    setup.Mode
	}
	askMsg struct { // a plan depends on answers of servers
		number    int
		agreed    agreed
		options   installer.Options
		addresses []string
	}
	plannedMsg struct {
		number    int
		agreed    agreed
		options   installer.Options
		plan      installer.Plan
		review    installer.Review
		trustable bool
		err       error
	}
	lockedMsg  struct{} // wsi holds the lock
	waitMsg    struct{} // some time has passed without the lock
	readMsg    struct{ shown int }
	writtenMsg struct{ file string }
	appliedMsg struct{ err error }
	provedMsg  struct {
		id    string
		proof Proof
	}
)

func newModel(ctx context.Context, c Config, work *sync.WaitGroup) model {
	m := model{Config: c, ctx: ctx, work: work, width: 80, height: 24, keys: newKeys(c.ASCII), readingTime: readingTime}
	m.theme = tui.New(true, c.ASCII)
	m.spinner = tui.NewSpinner(c.ASCII)
	m.choose = newChoose(c)
	m.review = newReview(c)
	return m
}

// Init asks the terminal for its background and inspects every harness.
func (m model) Init() tea.Cmd {
	return tea.Batch(tui.Background(), m.spinner.Tick, m.look())
}

// Update handles all messages.
func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		small := m.small()
		m.width, m.height = msg.Width, msg.Height
		m.review.layout(m)
		if small && !m.small() && m.step == reviewing {
			cmd := m.reading()
			return m, cmd
		}
	case tea.BackgroundColorMsg:
		m.theme, m.backgroundKnown = tui.New(msg.IsDark(), m.ASCII), true
		m.review.layout(m)
	case spinner.TickMsg:
		if !m.busy() {
			return m, nil
		}
		var cmd tea.Cmd
		m.spinner, cmd = m.spinner.Update(msg)
		return m, cmd
	case tui.DrawMsg:
		m.backgroundKnown = true
	case tui.StopMsg:
		return m.quit()
	case tea.KeyPressMsg:
		return m.press(msg)
	case lookedMsg:
		if msg.look == m.looks {
			m.choose.looked(msg, m.Options)
		}
	case askMsg:
		return m.ask(msg)
	case plannedMsg:
		return m.planned(msg)
	case readMsg:
		m.review.unread = m.review.unread && msg.shown != m.review.shown
	case waitMsg:
		m.run.waiting = m.step == applying && !m.run.locked
	case lockedMsg:
		m.run.locked, m.run.waiting = true, false
		return m, m.run.next
	case writtenMsg:
		m.run.written = append(m.run.written, msg.file)
		return m, m.run.next
	case appliedMsg:
		return m.applied(msg)
	case provedMsg:
		return m.proved(msg), nil
	}
	return m, nil
}

// press handles a key: first the keys of all steps, then those of the current one.
func (m model) press(k tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	switch {
	case key.Matches(k, m.keys.Interrupt):
		return m.quit()
	case key.Matches(k, m.keys.Suspend):
		return m, tea.Suspend
	case m.small() && !key.Matches(k, m.keys.Quit): // its effect would not be visible
		return m, nil
	case m.small():
		return m.quit()
	case m.help:
		return m.pressHelp(k)
	case key.Matches(k, m.keys.Help):
		m.help, m.helpAt = true, 0
		return m, nil
	case m.step == choosing && m.choose.picking:
		return m.pick(k)
	case key.Matches(k, m.keys.Quit):
		return m.quit()
	}
	switch m.step {
	case choosing:
		return m.pressChoose(k)
	case reviewing:
		return m.pressReview(k)
	case done:
		return m.pressDone(k)
	}
	return m, nil
}

// quit ends the program. An apply in progress is undone first.
func (m model) quit() (tea.Model, tea.Cmd) {
	if m.step == applying { // applied quits
		m.stopping = true
		m.run.stop()
		return m, nil
	}
	return m, tea.Quit
}

// small reports whether the window is too small.
func (m model) small() bool { return tui.Small(m.width, m.height) }

// busy reports whether the spinner turns.
func (m model) busy() bool {
	return m.step == applying || m.step == proving || m.pending || m.choose.looking()
}

// outcome returns the result at the end of the program.
func (m model) outcome() Outcome {
	o := Outcome{Review: m.review.Review, Planned: m.review.planned, Err: m.run.err, width: max(m.width, tui.LeastWidth)}
	if !o.Review.Applied && o.Err == nil {
		o.Err = ErrQuit
	}
	if o.Review.Applied && o.Err == nil && m.step != done {
		o.Err = ErrUnproven
	}
	for _, r := range m.run.rows {
		if r.proved {
			o.Proofs, o.Names = append(o.Proofs, r.proof), append(o.Names, r.name)
		}
	}
	return o
}

// plan returns a command that makes a plan for the choice and what the user has agreed to. Only the last requested plan
// counts.
func (m *model) plan(agreed agreed) tea.Cmd {
	m.asked++
	m.pending, m.asking = true, nil
	number, show := m.asked, m.Show
	o := m.chosen(m.choose.ids(), m.choose.scope, m.wanted(), m.choose.modes, agreed)
	return tea.Batch(m.spinner.Tick, func() tea.Msg {
		p, err := installer.PlanSetup(o)
		if err == nil && len(p.Unasked) > 0 {
			return askMsg{number, agreed, o, p.Unasked}
		}
		return newPlanned(number, agreed, o, p, err, show)
	})
}

// ask asks the servers that a plan depends on, then plans again.
func (m model) ask(msg askMsg) (tea.Model, tea.Cmd) {
	if !m.pending || msg.number != m.asked {
		return m, nil
	}
	m.asking = msg.addresses
	ask, show := m.Ask, m.Show
	return m, func() tea.Msg {
		o := msg.options
		o.Answers = ask(msg.addresses)
		p, err := installer.PlanSetup(o)
		return newPlanned(msg.number, msg.agreed, o, p, err, show)
	}
}

func newPlanned(number int, agreed agreed, o installer.Options, p installer.Plan, err error, show func(string) string) plannedMsg {
	if err != nil {
		return plannedMsg{number: number, err: err}
	}
	return plannedMsg{number, agreed, o, p, p.Review(o, show), o.Trust || distrusted(o, p), nil}
}

// working says what the wizard waits for while a plan is made.
func (m model) working() string {
	if len(m.asking) == 0 {
		return "making the plan"
	}
	return "asking whether a login is required: " + visible(strings.Join(m.asking, ", "))
}

// planned shows a plan if it is the last requested one.
func (m model) planned(msg plannedMsg) (tea.Model, tea.Cmd) {
	if !m.pending || msg.number != m.asked {
		return m, nil
	}
	m.pending = false
	if msg.err != nil {
		m.choose.problem = problem(msg.err, m.Show)
		m.step = choosing
		return m, nil
	}
	m.choose.problem = ""
	m.step = reviewing
	m.review.show(m, msg)
	cmd := m.reading()
	return m, cmd
}

// problem returns an error and its hint.
func problem(err error, show func(string) string) string {
	var r refusal.Error
	text := err.Error()
	if errors.As(err, &r) && r.Hint != "" {
		text += ": " + r.Hint
	}
	return show(text)
}
