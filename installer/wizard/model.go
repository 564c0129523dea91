package wizard

import (
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"wsi/installer"
	"wsi/installer/refusal"
	"wsi/internal/phrase"
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

// model is the whole program.
type model struct {
	tui.Shell
	Config
	step        step
	asked       int      // number of the last requested plan
	pending     bool     // that plan is being made
	asking      []string // addresses of servers that are asked for that plan
	looks       int      // number of the last look
	readingTime time.Duration
	clock       func() time.Time

	choose choose
	review review
	run    run
}

func newModel(c Config) *model {
	name := "wsi setup"
	if c.Removal {
		name = "wsi remove"
	}
	return &model{
		Shell: tui.NewShell(name, "quit at once", c.ASCII), Config: c, readingTime: readingTime, clock: time.Now,
		choose: newChoose(c), review: review{draft: draft{trust: c.Options.Trust}},
	}
}

// Init begins.
func (m *model) Init() tea.Cmd { return m.Shell.Init(m.begin) }

// begin inspects every harness, or plans a removal.
func (m *model) begin() {
	if !m.Removal {
		m.look()
		return
	}
	m.step = reviewing
	m.makePlan(m.review.trust)
}

// View draws the screen.
func (m *model) View() tea.View { return m.Shell.View(m) }

// Update handles a message.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(tea.KeyPressMsg); ok {
		m.review.hint = ""
	}
	return m, m.Shell.Update(m, msg)
}

// Busy reports whether the spinner turns.
func (m *model) Busy() bool {
	return m.step == applying || m.step == proving || m.pending || m.choose.looking()
}

// Uncovered lets the user read a review that was covered.
func (m *model) Uncovered() {
	if m.step == reviewing {
		m.reading()
	}
}

// Press handles the keys that move a cursor or scroll.
func (m *model) Press(k tea.KeyPressMsg) {
	switch {
	case m.step == choosing && !m.pending:
		m.pressList(k.String())
	case m.step == reviewing:
		_, width, height := m.layout()
		tui.Scroll(k, &m.review.first, height, len(m.review.lines(m, width))-height)
	case m.step == done:
		height := m.BodyHeight(m)
		tui.Scroll(k, &m.run.first, height, len(m.runLines())-height)
	}
}

// outcome returns the result at the end of the program.
func (m *model) outcome() Outcome {
	o := Outcome{Review: m.review.Review, Err: m.run.err, Proofs: m.run.proofs, width: max(m.Width, tui.LeastWidth)}
	if !o.Review.Applied && !m.run.applied && o.Err == nil {
		o.Err = ErrQuit
	}
	if o.Review.Applied && o.Err == nil && m.step != done && !m.Removal {
		o.Err = ErrUnproven
	}
	return o
}

// draft is a plan that is not applied yet.
type draft struct {
	trust bool // record that the user trusts the hooks
	installer.Review

	options installer.Options
	plan    installer.Plan
	trusts  string // the hooks that require trust records
}

// makePlan makes a plan for the choice. Only the last requested plan counts.
func (m *model) makePlan(trust bool) {
	m.asked++
	m.pending, m.asking = true, nil
	number, c, o := m.asked, m.Config, m.chosen(m.choose, m.choose.ids(), trust)
	m.Go(func() func() {
		d, err := c.plan(o, func(addresses []string) map[string]installer.Answer {
			m.Send(func() {
				if number == m.asked {
					m.asking = addresses
				}
			})
			return c.Ask(addresses)
		})
		return func() { m.planned(number, d, err) }
	})
}

func (m *model) working() string {
	if len(m.asking) == 0 {
		return m.Spinner() + " making the plan"
	}
	return m.Spinner() + " asking whether a login is required: " + visible(strings.Join(m.asking, ", "))
}

// planned shows a plan if it is the last requested one.
func (m *model) planned(number int, d draft, err error) {
	if !m.pending || number != m.asked {
		return
	}
	m.pending, m.choose.problem = false, ""
	switch {
	case err != nil && m.Removal:
		m.step, m.run.err = done, err
		return
	case err != nil:
		m.step, m.choose.problem = choosing, problem(err, m.Show)
		return
	}
	m.step = reviewing
	m.review.show(d)
	m.reading()
}

func problem(err error, show func(string) string) string {
	var r refusal.Error
	text := err.Error()
	if errors.As(err, &r) && r.ToDo() != (phrase.Fix{}) {
		text += ": " + r.ToDo().String()
	}
	return show(text)
}
