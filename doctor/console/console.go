// Package console shows an examination on a terminal while it goes on, and lets a person look closer:
// at one check, at all of them, again, by the harness's own program.
//
// Nothing is changed from here. Where setup would mend something the console ends and says so in its
// Outcome. It must not know a harness by name, nor how an examination is made: that is handed in.
package console

import (
	"context"
	"errors"
	"io"
	"sync"

	tea "charm.land/bubbletea/v2"

	"wsi/doctor"
	"wsi/doctor/report"
)

// Config is what the command line has settled already.
type Config struct {
	// Examine makes an examination of these harnesses, of all for none named; live also with their own
	// programs. It returns once nothing of it is left behind, soon after ctx ends.
	Examine func(ctx context.Context, harnessIDs []string, live bool, watch func(doctor.Event)) (report.Report, error)
	Report  func(report.Report) string // as it can be shown to others
	Show    func(text string) string   // writes the home folder as ~

	Harnesses         []Harness // in their order, shown from the start
	Version, Platform string
	At                string // id of the harness on which the cursor is at first, "" = on the first row
	Live              bool   // the first examination is live: the user asked for that already
	ASCII             bool   // no characters beyond ASCII
}

// Harness is one that is examined.
type Harness struct{ ID, Name string }

// Outcome is how it ended.
type Outcome struct {
	Report   report.Report // of every harness the last examination that came to its end
	Examined bool          // there is a Report
	Err      error         // why the last examination did not come to its end, or none did
	Fix      string        // id of the harness that is to be set up next; "" = the user has left

	m model
}

// ErrStopped means that the user left before an examination came to its end.
var ErrStopped = errors.New("the examination was interrupted")

// Run shows the screens until the user leaves or ctx ends. When it returns no examination is going on,
// and the terminal is as it was, after a panic too.
func Run(ctx context.Context, c Config, in io.Reader, out io.Writer) (Outcome, error) {
	var work sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	var p *tea.Program
	m := newModel(ctx, c, &work, func(msg tea.Msg) { p.Send(msg) })
	p = tea.NewProgram(m, tea.WithInput(in), tea.WithOutput(out), tea.WithoutSignalHandler())
	stop := context.AfterFunc(ctx, func() { p.Send(stopMsg{}) })
	last, err := p.Run()
	stop()
	cancel()
	work.Wait()
	if end, ok := last.(model); ok {
		m = end
	}
	return m.outcome(), err
}
