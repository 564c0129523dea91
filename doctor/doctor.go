// Package doctor examines how wsi stands with each harness. It keeps five links of a chain apart:
// a hook can be registered and not trusted, trusted and not runnable, runnable and never fired, and
// fire without the value ever being delivered.
//
// A check is a small function in a table; it looks at one thing and says one sentence. The doctor
// writes nothing but into temporary folders of its own, runs nobody's commands but wsi's, and of what a
// project's file names nothing but this very program (vetted.go), and never shows a value. It must not know a harness by name (package harnesses tells), nor how a report is
// drawn on a screen.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"wsi/doctor/report"
	"wsi/harnesses"
	wsihook "wsi/hook"
)

// Options says what is to be examined.
type Options struct {
	Env      harnesses.Env
	StateDir string // of the vault and the journal
	Binary   string // of this wsi
	// Registers is a program that the user has just named as the one to register, "" = none. It may be run
	// wherever a file names it.
	Registers string
	Version   string // of this wsi
	TempDir   string // where temporary folders go, "" = the system's place

	Harnesses []harnesses.Harness
	Named     bool // the user named them: what is not there is then a finding
	Scopes    []harnesses.Scope
	Server    string // name of the MCP server, "" = the one the hooks are registered for

	Only  []string    // ids of checks as List has them, with or without the harness's before; none: all
	Live  Live        // proves with a harness's own binary; nil = it was not asked for
	Watch func(Event) // is told how the examination goes on, by one goroutine at a time; may be nil

	Self   string                 // path of the running program, "" = the one that the system names
	Room   func(dir string) error // returns why nothing more fits into a folder, nil = ask its file system
	Issued func(value string)     // is told every value that a rehearsal issues, by several goroutines; may be nil

	scratch    scratch         // made by Run
	wiring     wiring          // likewise
	journal    []wsihook.Entry // read once, by Run
	journalErr error
}

// Run examines everything, the harnesses beside one another. An error means that it could not be done
// at all.
func Run(ctx context.Context, o Options, platform string) (report.Report, error) {
	r := report.Report{Version: o.Version, Platform: platform, Groups: make([]report.Group, len(o.Harnesses))}
	var err error
	if o.scratch, err = newScratch(o); err != nil {
		return r, err
	}
	defer o.scratch.remove()
	if o.StateDir != "" {
		o.journal, o.journalErr = readJournal(o.StateDir)
	}
	o.Watch = oneByOne(o.Watch)
	o.wiring = o.findWiring(ctx)
	for _, c := range ownChecks {
		if o.wants("", c.id) {
			f := finding(string(c.id), "", c.run(o))
			r.Own = append(r.Own, f)
			o.Watch(Event{Kind: Found, Check: f.ID, Finding: f})
		}
	}
	errs := make([]error, len(o.Harnesses))
	var all sync.WaitGroup
	for i, h := range o.Harnesses {
		all.Go(func() {
			defer func() { // who watches on a terminal gets it back after a bug of ours, too
				if v := recover(); v != nil {
					errs[i] = fmt.Errorf("wsi failed when it examined %s: %v", h.Name, v)
				}
			}()
			r.Groups[i], errs[i] = examine(ctx, o, h)
		})
	}
	all.Wait()
	return r, errors.Join(errs...)
}

// examine runs the checks of one harness in their order. Later ones may look at what earlier ones
// found.
func examine(ctx context.Context, o Options, h harnesses.Harness) (report.Group, error) {
	dir, err := os.MkdirTemp(o.scratch.dir, "")
	if err != nil {
		return report.Group{}, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it goes with all of them
	box, err := newSandbox(dir, o.Env)
	if err != nil {
		return report.Group{}, err
	}
	p := newPatient(ctx, o, h, box)
	if err := p.adoptRules(); err != nil {
		return report.Group{}, err
	}
	g := report.Group{ID: h.ID, Name: h.Name, Found: p.presence.Found, Wired: p.wired(), Notes: append([]string{}, h.CaveatsBy(p.way())...), Findings: []report.Finding{}}
	p.version, p.mute = o.Env.AskVersion(ctx, p.presence.Binary)
	g.Version = p.version
	o.Watch(Event{Kind: Looked, Harness: h.ID, Group: g})
	for _, c := range checks {
		if !o.needs(h.ID, c) {
			continue
		}
		id := c.id.Of(h.ID)
		o.Watch(Event{Kind: Began, Harness: h.ID, Check: id})
		out := c.run(p)
		if err := ctx.Err(); err != nil {
			return report.Group{}, err // what was found when a program was cut off is worth nothing
		}
		p.found[c.id] = out.status
		if f := finding(id, c.link, out); o.wants(h.ID, c.id) {
			g.Findings = append(g.Findings, f)
			o.Watch(Event{Kind: Found, Harness: h.ID, Check: id, Finding: f})
		}
	}
	p.again(&g, report.HarnessVersion, harnessVersion) // the proof came after it
	g.Chain = report.Chain(g.Findings)
	o.Watch(Event{Kind: Ended, Harness: h.ID, Group: g})
	return g, nil
}

// again makes a check once more, and tells what it finds if that is another thing.
func (p *target) again(g *report.Group, check report.Check, run func(*target) outcome) {
	id := check.Of(g.ID)
	for i, was := range g.Findings {
		if was.ID != id {
			continue
		}
		if f := finding(id, was.Link, run(p)); f != was {
			g.Findings[i] = f
			p.Watch(Event{Kind: Found, Harness: g.ID, Check: id, Finding: f})
		}
	}
}

func finding(id string, link report.Link, o outcome) report.Finding {
	return report.Finding{ID: id, Link: link, Status: o.status, Text: report.OneLine(o.text), Fix: report.OneLine(o.fix), Took: o.took.Milliseconds()}
}
