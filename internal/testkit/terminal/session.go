package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"
)

// Program is a program to start, and its terminal.
type Program struct {
	Args          []string // the first is looked up on the PATH of this process
	Env           []string // the whole environment; TERM and COLORTERM have defaults
	Dir           string
	Width, Height int           // default 80x24
	Light         bool          // white background instead of black
	Patience      time.Duration // limit of Wait and Exit; default 15 seconds
}

// Session is a program that runs in a terminal. It is safe for concurrent use.
type Session struct {
	program Program
	cmd     *exec.Cmd
	pty     *os.File
	input   chan []byte

	mu      sync.Mutex // guards the fields below
	emu     *emulator
	raw     []byte
	changed chan struct{} // closed and replaced when the screen may have changed

	done chan struct{} // closed when the program has ended and its output is on the screen
	err  error         // of cmd.Wait; set before done is closed
}

// Start starts the program. The program is killed when ctx ends. The caller must call [Session.Exit] or end ctx.
func Start(ctx context.Context, p Program) (*Session, error) {
	if p.Width == 0 || p.Height == 0 {
		p.Width, p.Height = 80, 24
	}
	if p.Patience == 0 {
		p.Patience = time.Minute // a loaded machine is slow
	}
	if len(p.Args) == 0 {
		return nil, errors.New("start a program in a terminal: no program given")
	}
	cmd := exec.CommandContext(ctx, p.Args[0], p.Args[1:]...)
	cmd.Env = append([]string{"TERM=xterm-256color", "COLORTERM=truecolor"}, p.Env...)
	cmd.Dir = p.Dir
	tty, err := pty.StartWithSize(cmd, winsize(p.Width, p.Height))
	if err != nil {
		return nil, fmt.Errorf("start %s in a terminal: %w", p.Args[0], err)
	}
	s := &Session{
		program: p, cmd: cmd, pty: tty,
		input:   make(chan []byte, 1024),
		emu:     newEmulator(p.Width, p.Height, p.Light),
		changed: make(chan struct{}),
		done:    make(chan struct{}),
	}
	read := make(chan struct{})
	go func() { defer close(read); s.read() }()
	go s.answer()
	go s.write()
	go s.end(read)
	return s, nil
}

func winsize(w, h int) *pty.Winsize {
	return &pty.Winsize{Rows: uint16(h), Cols: uint16(w)}
}

// read writes the program's output to the screen.
func (s *Session) read() {
	buf := make([]byte, 32<<10)
	for {
		n, err := s.pty.Read(buf)
		s.mu.Lock()
		s.raw = append(s.raw, buf[:n]...)
		s.emu.write(buf[:n])
		s.notify()
		s.mu.Unlock()
		if err != nil { // EIO when no process has the terminal open
			return
		}
	}
}

// notify wakes all that wait for the screen to change. The caller must hold the lock.
func (s *Session) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// answer queues the terminal's answers to queries. The emulator must never wait for the program, because its methods
// run under the lock.
func (s *Session) answer() {
	buf := make([]byte, 1024)
	for {
		n, err := s.emu.Read(buf)
		if err != nil {
			return
		}
		s.send(bytes.Clone(buf[:n]))
	}
}

func (s *Session) send(b []byte) {
	select {
	case s.input <- b:
	case <-s.done:
	}
}

func (s *Session) write() {
	for {
		select {
		case b := <-s.input:
			if _, err := s.pty.Write(b); err != nil {
				return // the program has ended; Exit returns how
			}
		case <-s.done:
			return
		}
	}
}

func (s *Session) end(read <-chan struct{}) {
	s.err = s.cmd.Wait()
	select {
	case <-read:
	case <-time.After(time.Second): // a child of the program still has the terminal
	}
	s.mu.Lock()
	s.emu.ended(s.pty)
	s.notify()
	s.mu.Unlock()
	close(s.done)
	_ = s.pty.Close() // only read
}

// Type sends a text.
func (s *Session) Type(text string) { s.send([]byte(text)) }

// Press sends keys, one after the other.
func (s *Session) Press(keys ...Key) {
	for _, k := range keys {
		s.send([]byte(k))
	}
}

// Signal sends the program a signal.
func (s *Session) Signal(sig os.Signal) error { return s.cmd.Process.Signal(sig) }

// Screen returns the current screen.
func (s *Session) Screen() Screen {
	screen, _, _ := s.look()
	return screen
}

// look returns the screen, how long it must not change to be a complete frame, and a channel that is closed when it
// changes.
func (s *Session) look() (screen Screen, settleTime time.Duration, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emu.shown(), s.emu.settleTime(), s.changed
}

// Raw returns the program's output so far.
func (s *Session) Raw() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.raw)
}

// LeftOn returns what the program has switched on in the terminal and not off again, such as "alternate screen",
// "hidden cursor", "mouse" or "raw mode". It should be empty after the program has ended.
func (s *Session) LeftOn() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emu.leftOn()
}

// quietTime is how long the screen must not change if the program does not use synchronised output. A screen that
// keeps changing must match for several times as long.
const quietTime = 20 * time.Millisecond

// Wait waits for a complete frame for which want returns true, and returns it. If the time is over or the program
// ends first, the error contains the last frame.
func (s *Session) Wait(want func(Screen) bool) (Screen, error) { return s.wait("the screen", want) }

// WaitFor waits until a line of the screen contains text; see [Session.Wait].
func (s *Session) WaitFor(text string) (Screen, error) {
	return s.wait(strconv.Quote(text), func(screen Screen) bool { return strings.Contains(screen.Text(), text) })
}

func (s *Session) wait(what string, want func(Screen) bool) (Screen, error) {
	deadline := time.NewTimer(s.program.Patience)
	defer deadline.Stop()
	var since time.Time // when want became true
	for {
		ended := s.ended()
		screen, settleTime, changed := s.look()
		ok := want(screen)
		if ok && (settleTime == 0 || ended || !since.IsZero() && time.Since(since) > 5*settleTime) {
			return screen, nil
		}
		if ended {
			return screen, fmt.Errorf("%s ended before %s was there:\n%s", s.program.Args[0], what, screen.dump())
		}
		var still <-chan time.Time
		switch {
		case !ok:
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
			fallthrough
		default:
			still = time.After(settleTime)
		}
		select {
		case <-still:
			return screen, nil
		case <-changed:
		case <-s.done:
		case <-deadline.C:
			return screen, fmt.Errorf("waited %v for %s, but %s shows:\n%s", s.program.Patience, what, s.program.Args[0], screen.dump())
		}
	}
}

func (s *Session) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// Exit waits until the program has ended and returns its exit status. It returns an error if the program did not end
// in time, or ended by a signal.
func (s *Session) Exit() (int, error) {
	select {
	case <-s.done:
	case <-time.After(s.program.Patience):
		return -1, fmt.Errorf("%s has not ended after %v:\n%s", s.program.Args[0], s.program.Patience, s.Screen().dump())
	}
	var status *exec.ExitError
	if errors.As(s.err, &status) && status.Exited() {
		return status.ExitCode(), nil
	}
	if s.err != nil {
		return -1, fmt.Errorf("%s: %w", s.program.Args[0], s.err)
	}
	return 0, nil
}
