// Package doctor checks whether wsi works with each harness. It distinguishes five links of a chain: a hook can be
// registered and not trusted, trusted and not runnable, runnable and never fired, and it can fire without delivering
// a value.
//
// A check is a function in a table. It examines one thing and returns one sentence. The doctor writes only into
// temporary folders of its own and never shows a value. It runs only commands of wsi; where a project's file names
// one, it runs only this program or one that setup installed (vetted.go). It must not know harnesses by name, or how
// a report is drawn on a screen.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/harnesses/setup"
)

// Run examines wsi and, concurrently, all harnesses. It returns an error if the examination itself failed or was
// cancelled; what is wrong with wsi or a harness is in the report.
func Run(ctx context.Context, o Options, platform string) (report.Report, error) {
	r := report.Report{Version: o.Version, Platform: platform, Groups: make([]report.Group, len(o.Harnesses))}
	var err error
	if o.scratch, err = newScratch(o.TempDir, o.StateDir); err != nil {
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
			defer func() { // a panic must not leave the terminal in raw mode
				if v := recover(); v != nil {
					errs[i] = fmt.Errorf("wsi failed while examining %s: %v", h.Name, v)
				}
			}()
			r.Groups[i], errs[i] = examine(ctx, o, h)
		})
	}
	all.Wait()
	return r, errors.Join(errs...)
}

// examine runs the checks of one harness in their order. A later check may use the result of an earlier one.
func examine(ctx context.Context, o Options, h setup.Harness) (report.Group, error) {
	dir, err := os.MkdirTemp(o.scratch.dir, "")
	if err != nil {
		return report.Group{}, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // Run removes the folder above it
	box, err := rehearse.NewSandbox(dir, o.Env)
	if err != nil {
		return report.Group{}, err
	}
	p := newTarget(ctx, o, h, box)
	if err := p.adoptRules(); err != nil {
		return report.Group{}, err
	}
	g := report.Group{ID: h.ID, Name: h.Name, Found: p.presence.Found, Wired: p.wired(), Notes: append([]string{}, h.CaveatsBy(p.mode())...), Findings: []report.Finding{}}
	p.version, p.mute = o.Env.AskVersion(ctx, p.presence.Binary)
	g.Version = p.version
	o.Watch(Event{Kind: Looked, Harness: h.ID, Group: g})
	for _, c := range checks {
		if !o.needs(h.ID, c) {
			continue
		}
		id := c.id.Of(h.ID)
		o.Watch(Event{Kind: Began, Harness: h.ID, Check: id})
		out := c.try(p)
		if err := ctx.Err(); err != nil {
			return report.Group{}, err // a check that was interrupted proves nothing
		}
		p.found[c.id] = out.status
		if f := finding(id, c.link, out); o.wants(h.ID, c.id) {
			g.Findings = append(g.Findings, f)
			o.Watch(Event{Kind: Found, Harness: h.ID, Check: id, Finding: f})
		}
	}
	p.again(&g, report.HarnessVersion, harnessVersion) // the live proof came after it
	g.Chain = report.Chain(g.Findings)
	o.Watch(Event{Kind: Ended, Harness: h.ID, Group: g})
	return g, nil
}

// again repeats a check and updates its finding if the result has changed.
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
