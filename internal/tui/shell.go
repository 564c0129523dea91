package tui

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"charm.land/bubbles/v2/spinner"
	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
)

// The smallest window in which screens are drawn.
const (
	LeastWidth  = 40
	LeastHeight = 10
)

// Program is what a [Shell] shows: a title, a page, and a line of keys.
type Program interface {
	tea.Model
	Title() (left, right string)
	Page() Page
	Keys() []Key       // of the screen, the most important first; those for help and quitting last
	Moved(row int)     // the cursor of the page's list is at another row
	HelpEnd() []string // what the help says below the keys
	Busy() bool        // the spinner turns
	Uncovered()        // the screen is visible again: the help, or a window that was too small, covered it
}

// Shell is the part of a program that is the same for all screens. The program is its only user, except for the functions
// that are passed to Go and Finish: these run concurrently, and may only Send.
type Shell struct {
	Width, Height int
	Theme         Theme
	Repeated      bool // the key that is handled is held down
	Helping       bool // the help covers the screen

	name, interrupt string
	pane, manual    viewport.Model  // the text of the page, and the help
	ctx             context.Context //nolint:containedctx // of the only run
	cancel          context.CancelFunc
	send            func(tea.Msg)
	work            *sync.WaitGroup
	open            int  // calls of Finish that have not ended
	drawn           bool // the background is known, or the terminal did not report it in time
	turning         bool // the spinner turns
	spinner         spinner.Model
	cmds            []tea.Cmd // to be returned by Update
}

// NewShell returns the shell of a command, such as "wsi setup". interrupt is what the help says of ctrl+c.
func NewShell(name, interrupt string, ascii bool) Shell {
	look := spinner.MiniDot
	if ascii {
		look = spinner.Line
	}
	return Shell{
		Width: 80, Height: 24, Theme: New(true, ascii), name: name, interrupt: interrupt,
		work: &sync.WaitGroup{}, spinner: spinner.New(spinner.WithSpinner(look)), pane: newPane(), manual: newPane(),
	}
}

// Run shows a program until it quits or ctx ends, which a signal must do. When Run returns, what was passed to Finish has
// ended, and the terminal is restored, even after a panic.
func (s *Shell) Run(ctx context.Context, p Program, in io.Reader, out io.Writer) error {
	t := tea.NewProgram(p, tea.WithInput(in), tea.WithOutput(out), tea.WithoutSignalHandler())
	end := s.Connect(ctx, t.Send)
	defer end()
	stop := context.AfterFunc(ctx, func() { t.Send(then(s.Quit)) })
	defer stop()
	_, err := t.Run()
	return err
}

// Connect sets what messages are sent with. The caller must call end at the end.
func (s *Shell) Connect(ctx context.Context, send func(tea.Msg)) (end func()) {
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.send = send
	return func() { s.cancel(); s.work.Wait() }
}

type (
	// then is called to change the program.
	then func()
	// drawMsg says that the terminal has not reported its background in time.
	drawMsg struct{}
)

// Init asks the terminal for its background, and calls start.
func (s *Shell) Init(start func()) tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, tea.Tick(100*time.Millisecond, func(time.Time) tea.Msg { return drawMsg{} }),
		func() tea.Msg { return then(start) })
}

// Do runs a command after the current message.
func (s *Shell) Do(cmd tea.Cmd) { s.cmds = append(s.cmds, cmd) }

// Send calls f, which may change the program. It is for work that is going on.
func (s *Shell) Send(f func()) { s.send(then(f)) }

// Go runs work, and then the function that it returns.
func (s *Shell) Go(work func() func()) { s.Do(func() tea.Msg { return then(work()) }) }

// After calls f after some time.
func (s *Shell) After(d time.Duration, f func()) {
	s.Do(tea.Tick(d, func(time.Time) tea.Msg { return then(f) }))
}

// Finish is Go for work that must not be cut off: the program waits for it before it ends, and ends ctx to hurry it. If
// work panics, recovered is called. The function stop ends its ctx.
func (s *Shell) Finish(work func(ctx context.Context) func(), recovered func(error)) (stop func()) {
	ctx, cancel := context.WithCancel(s.ctx)
	s.open++
	s.work.Add(1)
	after := make(chan func(), 1)
	go func() {
		defer s.work.Done()
		defer cancel()
		defer func() { // a panic must neither hang the screen nor break the terminal
			if v := recover(); v != nil {
				after <- func() { recovered(fmt.Errorf("%v", v)) }
			}
		}()
		after <- work(ctx)
	}()
	s.Go(func() func() {
		end := <-after
		return func() { s.open--; end(); s.leave() }
	})
	return cancel
}

// Ctx ends when the program is about to end.
func (s *Shell) Ctx() context.Context { return s.ctx }

// Stopping reports whether the program waits for work before it ends.
func (s *Shell) Stopping() bool { return s.open > 0 && s.ctx.Err() != nil }

// Quit ends the program, after what must not be cut off.
func (s *Shell) Quit() {
	s.cancel()
	s.leave()
}

func (s *Shell) leave() {
	if s.open == 0 && s.ctx.Err() != nil {
		s.Do(tea.Quit)
	}
}

// Update handles a message.
func (s *Shell) Update(p Program, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		small := s.small()
		if s.Width, s.Height = msg.Width, msg.Height; small && !s.small() {
			p.Uncovered()
		}
	case tea.BackgroundColorMsg:
		s.Theme, s.drawn = New(msg.IsDark(), s.Theme.ASCII), true
	case drawMsg:
		s.drawn = true
	case spinner.TickMsg:
		if s.turning = p.Busy(); s.turning {
			var next tea.Cmd
			s.spinner, next = s.spinner.Update(msg)
			s.Do(next)
		}
	case then:
		msg()
	case tea.KeyPressMsg:
		s.press(p, msg)
	}
	if !s.turning && p.Busy() {
		s.turning = true
		s.Do(s.spinner.Tick)
	}
	cmds := s.cmds
	s.cmds = nil
	return tea.Batch(cmds...)
}

func (s *Shell) press(p Program, k tea.KeyPressMsg) {
	s.Repeated = k.IsRepeat
	switch name := k.String(); {
	case name == "ctrl+c", s.small() && name == "q":
		s.Quit()
	case name == "ctrl+z":
		s.Do(tea.Suspend)
	case s.small(): // the effect of a key would not be visible
	case s.Helping:
		if !scroll(&s.manual, k) {
			s.Helping = false
			p.Uncovered()
		}
	case !press(p.Keys(), k):
		s.move(p, k)
	}
}

// HelpKey returns the key that explains all keys.
func (s *Shell) HelpKey() Key {
	return Bind("?", "help", "", s.Help)
}

// Help shows what all keys do.
func (s *Shell) Help() {
	s.Helping = true
	s.manual.GotoTop()
}

func (s *Shell) help(p Program) []string {
	all := append(p.Keys(), Bind("ctrl+c", "", s.interrupt, nil), Bind("ctrl+z", "", "suspend; fg resumes", nil))
	return append(keyHelp(all, s.Theme), p.HelpEnd()...)
}

func (s *Shell) small() bool { return s.Width < LeastWidth || s.Height < LeastHeight }

// View draws the program. Nothing is drawn while the background is unknown, because the colors would be wrong.
func (s *Shell) View(p Program) tea.View {
	v := tea.NewView("")
	if s.drawn {
		v.Content = Screen(s.Screen(p))
	}
	v.AltScreen, v.WindowTitle = true, s.name
	return v
}

// Screen returns the lines of the window.
func (s *Shell) Screen(p Program) string {
	if s.small() {
		const text = "This window is too small. Make it larger, or quit with q and use "
		return lipgloss.NewStyle().Width(s.Width).MaxWidth(s.Width).Height(s.Height).MaxHeight(s.Height).Render(text + s.name + " --plain.")
	}
	page, pane, keys := p.Page(), &s.pane, p.Keys()
	if s.Helping {
		page, pane = Page{Text: func(int) []string { return s.help(p) }}, &s.manual
		keys = []Key{s.Arrows("scroll"), Bind("?", "back", "", nil), Bind("q", "back", "", nil)}
	}
	left, right := p.Title()
	left = " " + s.Theme.Faint.Render(left)
	title := left + lipgloss.PlaceHorizontal(s.Width-1-lipgloss.Width(left), lipgloss.Right, right)
	return strings.Join([]string{title, s.draw(page, pane), " " + keyLine(keys, s.Width-1, s.Theme)}, "\n")
}

// Spinner returns the spinner as it is now.
func (s *Shell) Spinner() string { return s.spinner.View() }

// Text wraps a text at the width of the window.
func (s *Shell) Text(text string) []string { return Indent(Wrap(text, s.Width-2)) }

// Record joins lines into a text that stays in the scrollback after the screens. It changes the lines.
func Record(lines []string) string {
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n" // it may end with empty lines
}
