package tui

import (
	"context"
	"io"
	"strings"
	"sync"
	"time"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/spinner"
	tea "charm.land/bubbletea/v2"

	"wsi/internal/printable"
)

// The smallest window in which screens are drawn.
const (
	LeastWidth  = 40
	LeastHeight = 10
)

// Small reports whether a window is too small for screens.
func Small(width, height int) bool { return width < LeastWidth || height < LeastHeight }

// TooSmall returns what is drawn in such a window. The command is one that needs no screens.
func TooSmall(command string, width, height int) string {
	return Fit(Wrap("This window is too small. Make it larger, or quit with q and use "+command+".", width), width, height)
}

type (
	// StopMsg asks a model to end: the context of its Run has ended.
	StopMsg struct{}
	// DrawMsg tells a model to draw, even if the terminal has not reported its background.
	DrawMsg struct{}
)

// Run shows the screens of a model until it quits, and returns its last state. start makes the model; goroutines
// that it starts are added to work, use ctx and may call send. They have ended when Run returns, and the terminal
// is restored, even after a panic. A signal is the caller's to turn into the end of ctx.
func Run[M tea.Model](ctx context.Context, in io.Reader, out io.Writer, start func(ctx context.Context, work *sync.WaitGroup, send func(tea.Msg)) M) (M, error) {
	var work sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	var p *tea.Program
	m := start(ctx, &work, func(msg tea.Msg) { p.Send(msg) })
	p = tea.NewProgram(m, tea.WithInput(in), tea.WithOutput(out), tea.WithoutSignalHandler())
	stop := context.AfterFunc(ctx, func() { p.Send(StopMsg{}) })
	last, err := p.Run()
	stop()
	cancel()
	work.Wait()
	if end, ok := last.(M); ok {
		m = end
	}
	return m, err
}

// Background asks the terminal for its background. A terminal that does not answer in time is sent a [DrawMsg].
func Background() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, tea.Tick(100*time.Millisecond, func(time.Time) tea.Msg { return DrawMsg{} }))
}

// View returns a view that fills the terminal. Nothing is drawn while the background is unknown, because the
// colors would be wrong.
func View(title, screen string, backgroundKnown bool) tea.View {
	v := tea.NewView("")
	if backgroundKnown {
		v.Content = printable.Screen(screen)
	}
	v.AltScreen, v.WindowTitle = true, title
	return v
}

// NewSpinner returns a spinner, of ASCII characters if asked for.
func NewSpinner(ascii bool) spinner.Model {
	if ascii {
		return spinner.New(spinner.WithSpinner(spinner.Line))
	}
	return spinner.New(spinner.WithSpinner(spinner.MiniDot))
}

// Bind returns a key with its name and text for the key line and the help.
func Bind(shown, does string, pressed ...string) key.Binding {
	return key.NewBinding(key.WithKeys(pressed...), key.WithHelp(shown, does))
}

// Does returns a key with another text.
func Does(b key.Binding, what string) key.Binding {
	b.SetHelp(b.Help().Key, what)
	return b
}

// Record joins lines into a text that stays in the scrollback after the screens. It changes the lines.
func Record(lines []string) string {
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}
