// Package console shows an examination on a terminal while it runs. The user can look at one check or all checks,
// repeat the examination, and run it with the harness's own program.
//
// It changes nothing. If the user wants setup to repair something, the console ends and its Outcome says so. It must
// not know harnesses by name, or how an examination is made: the caller passes that in.
package console

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"wsi/doctor"
	"wsi/doctor/hooklist"
	"wsi/doctor/report"
	"wsi/internal/tui"
)

// Config has the settings from the command line.
type Config struct {
	// Examine examines these harnesses; none named = all. If live is true, it also runs their own programs. It returns
	// soon after ctx ends, and leaves nothing behind.
	Examine func(ctx context.Context, harnessIDs []string, live bool, watch func(doctor.Event)) (report.Report, error)
	Report  func(report.Report) string // the report for other people
	Show    func(text string) string   // writes the home folder as ~
	Hooks   func() hooklist.List       // reads the hooks of all programs that are registered with the harnesses

	Harnesses         []Harness // in their order, shown from the start
	Version, Platform string
	At                string // id of the harness with the cursor at first, "" = the first row
	Live              bool   // the first examination is live: the user asked for that already
	ASCII             bool   // no characters beyond ASCII
}

// Harness is a harness that is examined.
type Harness struct{ ID, Name string }

// Outcome is the result of Run.
type Outcome struct {
	Report   report.Report // the last completed examination of each harness
	Examined bool          // there is a Report
	Err      error         // why the last examination was not completed
	Fix      string        // id of the harness to set up next, FirstSetup, "" = the user has quit

	m *model
}

// FirstSetup is Outcome.Fix if wsi was never set up.
const FirstSetup = "wsi"

// ErrStopped means that the user quit before an examination was completed.
var ErrStopped = errors.New("the examination was interrupted")

var errSignal = errors.New("a signal ended the screens")

// Run shows the screens until the user quits or ctx ends. When it returns, no examination is running and the terminal
// is restored, even after a panic.
func Run(ctx context.Context, c Config, in io.Reader, out io.Writer) (Outcome, error) {
	m := newModel(c)
	err := m.Shell.Run(ctx, m, in, out)
	o := m.outcome()
	if o.Err == nil && ctx.Err() != nil {
		o.Err = errSignal
	}
	return o, err
}

func (m *model) outcome() Outcome {
	o := Outcome{Report: m.run.report, Examined: m.run.before, Err: m.run.err, Fix: m.fix, m: m}
	if o.Err == nil && !o.Examined {
		o.Err = ErrStopped
	}
	return o
}

// Record returns the findings as plain text of the terminal's width. It stays in the scrollback after the screens.
func (o Outcome) Record() string {
	if !o.Examined {
		return ""
	}
	m := *o.m
	m.Theme, m.Width, m.Height, m.recorded = tui.Plain(m.ASCII), max(m.Width, tui.LeastWidth), tui.LeastHeight, true
	m.list.all, m.list.filter = false, ""
	m.restore()
	m.run.going = false
	drawn, _ := m.lines(m.rows())
	return tui.Record(slices.Concat(m.verdict(), []string{m.Header(), ""}, drawn, []string{""}, m.Text(strings.Join(m.counts(), m.dot()))))
}
