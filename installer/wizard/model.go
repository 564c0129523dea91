package wizard

import (
	"cmp"
	"errors"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wsi/installer"
	"wsi/installer/refusal"
	"wsi/internal/phrase"
	"wsi/internal/printable"
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
	hint        string // why the last key did nothing
	reads       int    // number of the last reading time

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
		Shell: tui.NewShell(name, "quit at once", c.ASCII), Config: c, readingTime: readingTime,
		choose: newChoose(c), review: review{draft: draft{trust: c.Options.Trust}, list: tui.NewList()},
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
		m.hint = ""
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

// Moved does nothing: each list keeps its own cursor.
func (m *model) Moved(int) {}

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
	m.review.draft = d
	m.Top()
	m.reading()
}

func problem(err error, show func(string) string) string {
	text := err.Error()
	if r, ok := errors.AsType[refusal.Error](err); ok && r.ToDo() != (phrase.Fix{}) {
		text += ": " + r.ToDo().String()
	}
	return show(text)
}

// Page returns the current step.
func (m *model) Page() tui.Page {
	switch {
	case m.step == choosing && m.choose.picking:
		return m.serverPage()
	case m.step == choosing:
		return m.choosePage()
	case m.step == reviewing:
		return m.reviewPage()
	}
	return m.runPage()
}

// Title returns the title and the steps, or in a narrow window only the current one.
func (m *model) Title() (title, right string) {
	title, steps, at := "wsi setup", []string{"choose", "review", "result"}, 2
	switch m.step {
	case choosing:
		at = 0
	case reviewing:
		at = 1
	case applying, proving, done:
	}
	if m.Removal {
		title, steps, at = "wsi remove", steps[1:], at-1
	}
	t := m.Theme
	current := t.Accent.Render(t.Glyph("● ", "* ") + steps[at])
	for i, name := range steps {
		if steps[i] = t.Faint.Render(name); i == at {
			steps[i] = current
		}
	}
	right = strings.Join(steps, t.Faint.Render(t.Glyph(" · ", " - ")))
	if ansi.StringWidth(title)+ansi.StringWidth(right)+4 > m.Width {
		right = current
	}
	return title, right
}

// visible replaces characters that would control the terminal, because the texts come from files.
func visible(s string) string {
	s = printable.Line(strings.ReplaceAll(s, "\t", "    "))
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
}

func oneLine(s string) string { return visible(phrase.OneLine(s)) }

// Keys returns the keys of the screen, the most important first, help and quit last.
func (m *model) Keys() (keys []tui.Key) {
	quit := tui.Bind("q", "quit", "quit without writing anything more", m.Quit)
	switch {
	case m.Stopping():
		return nil
	case m.step == choosing && m.choose.picking:
		return []tui.Key{
			tui.Bind("enter", "done", "", m.picked, "enter", "esc", "v", "q"), tui.Bind("space", "select", "", m.tick, "space", "x"), m.Arrows("move"), m.HelpKey(),
		}
	case m.step == choosing:
		keys = m.chooseKeys()
	case m.step == reviewing:
		keys = m.reviewKeys()
	case m.step == done:
		keys = []tui.Key{tui.Bind("enter", "leave", "", m.Quit), m.Arrows("scroll")}
	}
	return append(keys, m.HelpKey(), quit)
}

func (m *model) chooseKeys() []tui.Key {
	bind := func(name, does, help string, do func(), on ...string) tui.Key {
		if m.pending {
			do = nil
		}
		return tui.Bind(name, does, help, do, on...)
	}
	keys := []tui.Key{
		bind(m.Theme.Glyph("↑↓", "up/down"), "", "the harness", nil), bind("pgup pgdn", "", "scroll the text about the harness", nil), bind("enter", "review", "", m.propose),
		bind("space", "on/off", "", m.choose.toggle, "space", "x"),
	}
	if r := m.choose.here(); len(r.open) > 1 {
		keys = append(keys, bind("w", "wiring", "by hooks or by a relay: how wsi sees the calls", m.turnMode))
	}
	return append(keys,
		bind("s", "scope: "+string(m.choose.scope), "the scope: every project of yours, or this folder only", m.turnScope),
		bind("v", "servers", "the MCP servers whose values are carried", m.choose.openServers))
}

func (m *model) reviewKeys() []tui.Key {
	r, bind := &m.review, tui.Bind
	enter := cmp.Or(Does(r.Review, m.Options.Purge), "prove that it works")
	if r.AllRefused() {
		enter = "end without changes"
	}
	keys := append(tui.PageKeys(), bind("enter", enter, "", m.agree))
	if r.trusts != "" {
		is := "no"
		if r.trust {
			is = "yes"
		}
		keys = append(keys, bind("t", "trust "+r.trusts+": "+is, "record in your name that you trust these hooks", m.turnTrust))
	}
	keys = append(keys, m.Arrows("file"), bind("", "", "", func() { m.turn(1) }, "tab", "right"), bind("", "", "", func() { m.turn(-1) }, "shift+tab", "left"))
	if r.partly() {
		keys = append(keys, bind("n", "show all", "show all notes, and the text of wsi's own files", func() { r.all = !r.all; m.Top() }))
	}
	if !m.Removal {
		keys = append(keys, bind("b", "back", "back to the choice (also esc)", m.back, "b", "esc", "backspace"))
	}
	return keys
}

// HelpEnd says what cannot happen.
func (m *model) HelpEnd() []string {
	text := "Nothing is written before you press enter on the review."
	if !m.Removal {
		text += " wsi remove undoes what setup changes."
	}
	return append([]string{""}, m.Text(m.Theme.Faint.Render(text))...)
}
