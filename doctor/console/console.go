// Package console shows an examination on a terminal while it runs: one sentence, a table of the harnesses, and the keys. The
// user can look at what was found in a harness, repeat the examination, and run it with the harness's own program.
//
// It changes nothing. If the user wants setup to repair something, the console ends and its Outcome says so. It must
// not know harnesses by name, or how an examination is made: the caller passes that in.
package console

import (
	"context"
	"errors"
	"io"

	"wsi/doctor"
	"wsi/doctor/hooklist"
	"wsi/doctor/report"
)

// Config has the settings from the command line.
type Config struct {
	// Examine examines these harnesses; none named = all. If live is true, it also runs their own programs. It returns
	// soon after ctx ends, and leaves nothing behind.
	Examine func(ctx context.Context, harnessIDs []string, live bool, watch func(doctor.Event)) (report.Report, error)
	Show    func(text string) string // writes the home folder as ~
	Hooks   func() hooklist.List     // reads the hooks of all programs that are registered with the harnesses

	Harnesses []report.Group // in their order, shown from the start; without findings
	At        string         // id of the harness with the cursor at first, "" = the first one
	Live      bool           // the first examination is live: the user asked for that already
	ASCII     bool           // no characters beyond ASCII
}

// Outcome is the result of Run.
type Outcome struct {
	Report   report.Report // the last completed examination of each harness
	Examined bool          // there is a Report
	Err      error         // why the last examination was not completed
	Fix      string        // id of the harness to set up next, FirstSetup, "" = the user has quit
}

// FirstSetup is Outcome.Fix if wsi was never set up.
const FirstSetup = "wsi"

// ErrStopped means that the user quit before an examination was completed.
var ErrStopped = errors.New("the examination was interrupted")

// Run shows the screens until the user quits or ctx ends. When it returns, no examination is running and the terminal
// is restored, even after a panic.
func Run(ctx context.Context, c Config, in io.Reader, out io.Writer) (Outcome, error) {
	m := newModel(c)
	err := m.Shell.Run(ctx, m, in, out)
	o := m.outcome()
	if o.Err == nil && ctx.Err() != nil {
		o.Err = errors.New("a signal ended the screens")
	}
	return o, err
}

func (m *model) outcome() Outcome {
	o := Outcome{Report: m.report, Examined: m.examined, Err: m.run.err, Fix: m.toFix}
	if o.Err == nil && !o.Examined {
		o.Err = ErrStopped
	}
	return o
}
