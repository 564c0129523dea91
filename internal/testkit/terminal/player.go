package terminal

import (
	"image/color"
	"testing"
	"time"

	"charm.land/bubbles/v2/spinner"
	tea "charm.land/bubbletea/v2"

	"wsi/internal/tui"
)

// Player drives a program of screens without a terminal.
type Player struct {
	T    *testing.T
	Quit bool // the program has quit
	Todo chan tea.Msg

	program tui.Program
	screen  func() string
	runs    int // commands that have not reported yet
}

// Play begins a program in a window. shell is its shell.
func Play(t *testing.T, p tui.Program, shell *tui.Shell, start func(), width, height int) *Player {
	t.Helper()
	player := &Player{T: t, Todo: make(chan tea.Msg, 10000), program: p, screen: func() string { return shell.Screen(p) }}
	t.Cleanup(shell.Connect(t.Context(), func(msg tea.Msg) { player.Todo <- msg }))
	player.Send(tea.BackgroundColorMsg{Color: color.Black})
	player.Send(tea.WindowSizeMsg{Width: width, Height: height})
	start()
	player.Send(nil)
	return player
}

// result is what a command has reported.
type result struct{ msg tea.Msg }

func (p *Player) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	p.runs++
	go func() { p.Todo <- result{cmd()} }()
}

// Send passes a message to the program.
func (p *Player) Send(msg tea.Msg) {
	_, cmd := p.program.Update(msg)
	p.do(cmd)
}

// One waits for one message.
func (p *Player) One() {
	p.T.Helper()
	var msg tea.Msg
	select {
	case msg = <-p.Todo:
	case <-time.After(20 * time.Second):
		p.T.Fatalf("nothing happens any more:\n%s", p.Text())
	}
	if r, ok := msg.(result); ok {
		p.runs--
		msg = r.msg
	}
	switch msg := msg.(type) {
	case spinner.TickMsg: // the spinner stands still
	case tea.BatchMsg:
		for _, cmd := range msg {
			p.do(cmd)
		}
	case tea.QuitMsg:
		p.Quit = true
	default:
		p.Send(msg)
	}
}

// Running reports whether a command has not reported yet.
func (p *Player) Running() bool { return p.runs > 0 && !p.Quit }

// Settle waits until nothing is running.
func (p *Player) Settle() {
	p.T.Helper()
	for p.Running() {
		p.One()
	}
}

// EverySize shows the program in windows of every shape, each of which it must fill.
func (p *Player) EverySize(check func(width, height int)) {
	p.T.Helper()
	for _, size := range windows {
		p.Send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		filled(p.T, p.Screen(), size[0], size[1])
		check(size[0], size[1])
	}
}

// DiffersInColorOnly fails the test unless a light terminal shows the same words as a dark one, in other colors.
func (p *Player) DiffersInColorOnly() {
	p.T.Helper()
	dark, text := p.Screen(), p.Text()
	p.Send(tea.BackgroundColorMsg{Color: color.White})
	if p.Screen() == dark {
		p.T.Error("a light background changes nothing")
	}
	if p.Text() != text {
		p.T.Errorf("the words differ:\n%s\n%s", text, p.Text())
	}
}

// Screen returns what the program draws, and Text the same without colors and without spaces at the end of lines.
func (p *Player) Screen() string { return p.screen() }

// Text returns the screen as it is read.
func (p *Player) Text() string { return Plain(p.screen()) }
