// Package wizard guides the user through setup: choose, review, and the result with what is left to do. A removal has
// the same review, of the changes in reverse.
// [Run] shows its screens on a terminal. What is printed instead of them, the command line prints.
//
// The reviewed plan is the plan that is applied; nothing is written before the user agrees.
// The wizard must not know a harness by name, nor how a proof is made: the caller passes that in.
package wizard

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"

	"wsi/harnesses/setup"
	"wsi/installer"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

// Config is what the command line has set.
type Config struct {
	// Options.Harnesses are the harnesses to offer; Scope, Program and Trust are the initial choice.
	Options    installer.Options
	Named      []string // ids of harnesses to select at first, found or not; none: all that are found
	Removal    bool     // there is nothing to choose and to prove; Options are those of a removal
	ServersSet bool     // by a flag

	// Ask asks servers whether they require a login; see [installer.PlanAsking].
	Ask func(addresses []string) map[string]installer.Answer

	Show  func(path string) string                                      // shortens the home folder to ~
	Lock  func(context.Context) (unlock func(), err error)              // see [installer.Lock]
	Prove func(context.Context, installer.Options, setup.Harness) Proof // after applying
	Links []string                                                      // the names of a proof's links

	ASCII bool // only ASCII characters
}

// Proof is the result of the round trip of one harness.
type Proof struct {
	Harness setup.Harness
	Links   []Link
	Says    []Finding // what needs attention, and what was delivered

	pending bool
}

// Link is one step from a registered hook to a delivered value.
type Link struct {
	Word  string
	State tui.State
}

// Finding is one sentence of a proof.
type Finding struct {
	State tui.State
	Text  string
	Fix   phrase.Fix
	Gate  bool // it is why the harness would skip the hooks, as in a review's [installer.Note]
}

// Outcome is the result of a wizard.
type Outcome struct {
	Review installer.Review // of the last plan; Applied reports whether it was written
	Err    error            // why it was not written or not proven
	Proofs []Proof          // also those that were not made

	width int // of the terminal
}

// Broken reports whether a proof failed for another reason than a missing step of the user.
func (o Outcome) Broken() bool {
	return slices.ContainsFunc(o.Proofs, func(p Proof) bool { return !p.pending && p.worst(o.Review) == tui.Broken })
}

// ErrQuit means that the user left and nothing was written.
var ErrQuit = errors.New("nothing was written")

// ErrUnproven means that everything was written, but the user or a signal interrupted the proof.
var ErrUnproven = errors.New("the proof was interrupted")

// Run shows the screens until the user leaves or ctx ends. An interrupted apply has been undone when Run
// returns. After a panic, terminal and files are restored too.
func Run(ctx context.Context, c Config, in io.Reader, out io.Writer) (Outcome, error) {
	m := newModel(c)
	err := m.Shell.Run(ctx, m, in, out)
	return m.outcome(), err
}

// chosen returns the options for these harnesses, and for what else the user has chosen. With trust, wsi records that the
// user trusts the hooks.
func (c Config) chosen(all choose, ids []string, trust bool) installer.Options {
	if c.Removal {
		return c.Options
	}
	o := c.Options
	o.Harnesses = slices.DeleteFunc(slices.Clone(o.Harnesses), func(h setup.Harness) bool { return !slices.Contains(ids, h.ID) })
	o.Scope, o.Modes, o.Trust = all.scope, maps.Clone(all.modes), trust
	o.Keep, o.Own = !all.servers.settled, map[string][]string{}
	if o.Adds, o.All = o.Adds && !all.servers.ticked, o.All && !all.servers.ticked; !o.Adds {
		o.Program.Servers = all.servers.chosen
	}
	others := all.others(c.Options)
	for _, r := range all.rows {
		own := c.Options.Proposed(r.status)
		if all.servers.settled || r.idle && r.touched {
			own = all.servers.chosen
		}
		if all.servers.ticked && r.mode != setup.ByRelay {
			own = slices.DeleteFunc(slices.Clone(own), func(name string) bool { return slices.Contains(others, name) })
		}
		o.Own[r.harness.ID] = own
	}
	return o
}

// lack says what an idle harness does not have.
func (c Config) lack(all choose) string { return visible(c.chosen(all, nil, false).Lack()) }

// plan makes a plan, and its review.
func (c Config) plan(o installer.Options, ask func(addresses []string) map[string]installer.Answer) (draft, error) {
	var p installer.Plan
	var err error
	if c.Removal {
		p, err = installer.PlanRemove(o)
	} else {
		o, p, err = installer.PlanAsking(o, ask)
	}
	if err != nil {
		return draft{}, err
	}
	d := draft{o.Trust, p.Review(o, c.Show), o, p, trusts(o, p)}
	if c.Removal {
		d.Same = nil // most were never set up
	}
	if o.Purge {
		d.Remarks = append(d.Remarks, installer.Note{Harness: installer.Self, Text: "When you leave, --purge also deletes wsi's backups, journal and stored values."})
	}
	return d, nil
}

// Does says what wsi does if the user agrees to a plan, "" if nothing.
func Does(r installer.Review, purge bool) string {
	var parts []string
	deleted := len(lists.Filter(r.Changes, func(d installer.Diffed) bool { return d.Action == "delete" }))
	if written := len(r.Changes) - deleted; written > 0 {
		parts = append(parts, "write "+phrase.Count(written, "file"))
	}
	if deleted > 0 {
		parts = append(parts, "delete "+phrase.Count(deleted, "file"))
	}
	if purge {
		parts = append(parts, "purge")
	}
	return phrase.List(parts, "and")
}

// trusts names the hooks that need the user's approval after the plan is applied, "" if none do.
func trusts(o installer.Options, plan installer.Plan) string {
	var names []string
	after := plan.Env(o.Env)
	for _, h := range o.Harnesses {
		gates := installer.Gates(o, after, h)
		left := slices.ContainsFunc(gates, func(n installer.Note) bool { return n.Kind == installer.Left })
		mode := plan.Modes[h.ID]
		if h.Hooks.TrustRecords != nil && mode == setup.ByHooks && (o.Trust || left) {
			names = append(names, h.Name+"'s hooks")
		}
	}
	return phrase.List(names, "and")
}
