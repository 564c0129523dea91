// Package wizard asks a person what setup is to do: look, choose, review, apply, prove, and what is
// left for them. On a terminal it is a program of screens (Run), elsewhere a few questions (Plain).
//
// What is shown for review is the plan that is applied; nothing is written before it is agreed to.
// The wizard must not know a harness by name, nor how a proof is made: that is handed in.
package wizard

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"

	"wsi/harnesses"
	"wsi/installer"
	"wsi/internal/tui"
)

// Config is what the command line has settled already.
type Config struct {
	// Options say where everything is; Harnesses are those to offer, Scope, Program and Trust what is
	// chosen at first.
	Options installer.Options
	Named   []string // ids of harnesses to choose at first, found or not; none: all that are found
	Mends   bool     // only what is broken of those that are named is asked about: all else stays as it is

	ScopeSet, ServersSet bool // by a flag: Plain does not ask
	Echo                 bool // Plain prints the answers, too: no terminal does

	// Ask asks servers whether they want a login (installer.PlanAsking).
	Ask func(addresses []string) map[string]installer.Answer

	Show  func(path string) string                                          // writes the home folder as ~
	Lock  func(context.Context) (unlock func(), err error)                  // keeps every other setup and remove out
	Prove func(context.Context, installer.Options, harnesses.Harness) Proof // after applying
	Links []string                                                          // the words of a proof's links

	ASCII bool // no characters beyond ASCII
}

// Proof is what the round trip of one harness showed.
type Proof struct {
	Links []Link
	Says  []Said // what needs attention, and what was delivered
}

// Link is one link of the chain from a registered hook to a delivered value.
type Link struct {
	Word  string
	State tui.State
}

// Said is one sentence of a proof.
type Said struct {
	State tui.State
	Text  string
	Fix   string // "" = nothing to do
}

// Outcome is how it ended.
type Outcome struct {
	Review  installer.Review // of the last plan; its Applied tells whether it was written
	Planned bool             // there is a Review
	Err     error            // why it was not written, or not proven
	Proofs  []Proof          // per harness of the plan, as far as they were made
	Names   []string         // of these harnesses

	width int // of the terminal
}

// Broken tells whether a proof showed that something does not work, other than what waits for the user.
func (o Outcome) Broken() bool {
	return slices.ContainsFunc(o.Proofs, func(p Proof) bool { return p.worst(o.Review) == tui.Broken })
}

// ErrQuit means that the user left without having anything written.
var ErrQuit = errors.New("nothing was written")

// ErrUnproven means that all was written, and the user or a signal ended it before it was proven.
var ErrUnproven = errors.New("the proof was interrupted")

// Run shows the screens until the user leaves or ctx ends. When it returns no file is half-way: an
// apply that was interrupted has been undone. Terminal and files are as they were after a panic, too.
func Run(ctx context.Context, c Config, in io.Reader, out io.Writer) (Outcome, error) {
	var work sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	m := newModel(ctx, c, &work)
	p := tea.NewProgram(m, tea.WithInput(in), tea.WithOutput(out), tea.WithoutSignalHandler())
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

// agreed is what is only done if the user says so.
type agreed struct {
	trust   bool // also record that the user trusts the hooks
	replace bool // also replace what is wsi's own and was edited
}

// servers are those to carry for.
type servers struct {
	names   []string
	settled bool                // by a flag or by the user: for every harness
	own     map[string][]string // else: those that are proposed for single harnesses, by their ids
}

// chosen returns the options of the user's choice.
func (c Config) chosen(ids []string, scope harnesses.Scope, servers servers, ways map[string]harnesses.Mode, agreed agreed) installer.Options {
	o := c.Options
	o.Harnesses = nil
	for _, h := range c.Options.Harnesses {
		for _, id := range ids {
			if h.ID == id {
				o.Harnesses = append(o.Harnesses, h)
			}
		}
	}
	o.Scope, o.Program.Servers, o.Keep = scope, servers.names, !servers.settled
	o.Own = servers.own
	o.Modes, o.Trust, o.Replace = maps.Clone(ways), agreed.trust, agreed.replace
	return o
}

// name is how a harness is shown.
func (c Config) name(id string) string {
	for _, h := range c.Options.Harnesses {
		if h.ID == id {
			return h.Name
		}
	}
	return id
}
