package terminal

import (
	"image/color"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/term"
)

// emulator is the terminal: its screen, its modes, and its answers to queries, which Read returns. All methods except
// Read need the session's lock.
type emulator struct {
	*vt.Emulator
	modes   map[ansi.DECMode]bool
	kitty   int  // depth of the kitty keyboard protocol's stack
	keys    bool // modifyOtherKeys is on
	raw     bool // the program ended without restoring the line discipline
	title   string
	pending *Screen // the last frame, while the program draws a synchronised one
	frames  bool    // the program draws synchronised frames
}

func newEmulator(w, h int, light bool) *emulator {
	e := &emulator{Emulator: vt.NewEmulator(w, h), modes: map[ansi.DECMode]bool{}}
	if light {
		e.SetDefaultForegroundColor(color.Black)
		e.SetDefaultBackgroundColor(color.White)
	}
	e.SetCallbacks(vt.Callbacks{
		EnableMode:  func(m ansi.Mode) { e.set(m, true) },
		DisableMode: func(m ansi.Mode) { e.set(m, false) },
		Title:       func(t string) { e.title = t },
	})
	// The emulator does not support synchronised output, but reports its mode once it was set.
	e.RegisterCsiHandler(ansi.Command('?', '$', 'p'), func(params ansi.Params) bool {
		if mode, _, _ := params.Param(0, 0); mode != ansi.ModeSynchronizedOutput.Mode() || e.pending != nil {
			return false
		}
		_, _ = io.WriteString(e.InputPipe(), ansi.ReportMode(ansi.ModeSynchronizedOutput, ansi.ModeReset))
		return true
	})
	e.RegisterCsiHandler(ansi.Command('>', 0, 'u'), func(ansi.Params) bool { e.kitty++; return true })
	e.RegisterCsiHandler(ansi.Command('<', 0, 'u'), func(params ansi.Params) bool {
		n, _, _ := params.Param(0, 1)
		e.kitty = max(0, e.kitty-n)
		return true
	})
	e.RegisterCsiHandler(ansi.Command('>', 0, 'm'), func(params ansi.Params) bool {
		resource, _, _ := params.Param(0, 0)
		value, _, _ := params.Param(1, 0)
		if resource == 4 {
			e.keys = value > 0
		}
		return true
	})
	e.RegisterCsiHandler('r', func(params ansi.Params) bool { return marginsTooLarge(params, e.Height()) })
	e.RegisterCsiHandler('s', func(params ansi.Params) bool { return marginsTooLarge(params, e.Width()) })
	return e
}

// marginsTooLarge reports whether margins exceed the screen. They are ignored, because the emulator would panic (x/vt of
// 2026-03-30).
func marginsTooLarge(margins ansi.Params, size int) bool {
	first, _, _ := margins.Param(0, 1)
	last, _, _ := margins.Param(1, size)
	return first > size || last > size
}

func (e *emulator) set(mode ansi.Mode, on bool) {
	dec, ok := mode.(ansi.DECMode)
	if !ok {
		return
	}
	if dec == ansi.ModeSynchronizedOutput {
		if e.pending != nil && !on {
			e.frames = true
		}
		e.pending = nil
		if on {
			before := e.snapshot()
			e.pending = &before
		}
	}
	e.modes[dec] = on
}

func (e *emulator) write(b []byte) { _, _ = e.Write(b) } // fails only when closed

// ended records the state in which the program left the terminal.
func (e *emulator) ended(tty *os.File) {
	e.pending = nil
	e.raw = !isCooked(tty)
	e.hangUp()
}

// hangUp ends Read. The emulator's Close must not be called during a Read.
func (e *emulator) hangUp() {
	if c, ok := e.InputPipe().(io.Closer); ok {
		_ = c.Close() // closing a pipe cannot fail
	}
}

// isCooked reports whether the line discipline is that of a new terminal: echo, lines, signals.
func isCooked(tty *os.File) bool {
	ptm, pts, err := pty.Open()
	if err != nil {
		return true // nothing to compare with
	}
	defer func() { _, _ = ptm.Close(), pts.Close() }()
	want, err := term.GetState(int(pts.Fd()))
	if err != nil {
		return true
	}
	got, err := term.GetState(int(tty.Fd()))
	return err != nil || *got == *want
}

// settleTime returns how long the screen must not change to be a complete frame. It is 0 if the program draws
// synchronised frames.
func (e *emulator) settleTime() time.Duration {
	if e.frames {
		return 0
	}
	return quietTime
}

// shown returns the last complete frame.
func (e *emulator) shown() Screen {
	if e.pending != nil {
		return *e.pending
	}
	return e.snapshot()
}

// names are the names of modes that programs leave on.
var names = map[ansi.DECMode]string{
	1: "cursor keys of an application", 6: "origin mode", 9: "mouse",
	47: "alternate screen", 1047: "alternate screen", 1049: "alternate screen",
	1000: "mouse", 1001: "mouse", 1002: "mouse", 1003: "mouse", 1005: "mouse", 1006: "mouse", 1015: "mouse", 1016: "mouse",
	1004: "focus reports", 2004: "bracketed paste",
	2026: "synchronised output", 2027: "grapheme clusters", 2048: "reports of the size",
}

func (e *emulator) leftOn() []string {
	var left []string
	for mode, on := range e.modes {
		switch name := names[mode]; {
		case mode == ansi.ModeTextCursorEnable && !on:
			left = append(left, "hidden cursor")
		case mode == ansi.ModeAutoWrap && !on:
			left = append(left, "no line wrap")
		case mode == ansi.ModeTextCursorEnable, mode == ansi.ModeAutoWrap, mode == ansi.ModeSaveCursor, !on:
		case name == "":
			left = append(left, "mode "+strconv.Itoa(mode.Mode()))
		default:
			left = append(left, name)
		}
	}
	for name, on := range map[string]bool{"kitty keyboard": e.kitty > 0, "other keys": e.keys, "raw mode": e.raw} {
		if on {
			left = append(left, name)
		}
	}
	slices.Sort(left)
	return slices.Compact(left)
}
