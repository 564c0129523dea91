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
	"strings"
	"sync"
	"unicode"

	"wsi/harnesses"
	"wsi/hook/journal"
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

	testOnlyThis  string             // the program that stands for the running one
	testOnlyRoom  error              // what is found where there is no room to keep anything
	testOnlyHeard func(value string) // is told every value that a rehearsal hands out, from several goroutines

	scratch    scratch         // made by Run
	wiring     wiring          // likewise
	journal    []journal.Entry // read once, by Run
	journalErr error
}

// Status is the outcome of a check.
type Status string

// The outcomes, the best first.
const (
	OK   Status = "ok"
	Info Status = "info" // nothing to do, but good to know
	Skip Status = "skip" // could not be told, or is not there to be examined
	Warn Status = "warn" // works, but needs attention
	Fail Status = "fail" // does not work
)

// Link is a link of the chain from a registered hook to a delivered value.
type Link string

// The links in their order.
const (
	Registered Link = "registered"
	Trusted    Link = "trusted"
	Runnable   Link = "runnable"
	Fired      Link = "fired"
	Delivered  Link = "delivered"
)

var links = []Link{Registered, Trusted, Runnable, Fired, Delivered}

// Links are the words of the links in their order.
func Links() []string {
	words := make([]string, len(links))
	for i, l := range links {
		words[i] = string(l)
	}
	return words
}

// Finding is what one check found. Its id is stable: "codex.hook.trusted".
type Finding struct {
	ID     string `json:"id"`
	Link   Link   `json:"link,omitempty"`
	Status Status `json:"status"`
	Text   string `json:"text"`          // one sentence, without any value
	Fix    string `json:"fix,omitempty"` // what a person can do
	Took   int64  `json:"took_ms,omitempty"`
}

// Group is what was found about one harness.
type Group struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Version  string    `json:"version,omitempty"`
	Found    bool      `json:"found"`
	Wired    bool      `json:"wired"` // a hook of wsi's is registered, or wsi is in front of the server
	Chain    []Joint   `json:"chain"`
	Findings []Finding `json:"checks"`
	Notes    []string  `json:"notes"` // what must be known of the harness: limits, what is not proven
}

// Joint is one link of a harness's chain.
type Joint struct {
	Link   Link   `json:"link"`
	Status Status `json:"status"`
}

// Report is the whole examination.
type Report struct {
	Version  string    `json:"version"`
	Platform string    `json:"platform"`
	Own      []Finding `json:"checks"` // about wsi itself
	Groups   []Group   `json:"harnesses"`
}

// Run examines everything, the harnesses beside one another. An error means that it could not be done
// at all.
func Run(ctx context.Context, o Options, platform string) (Report, error) {
	r := Report{Version: o.Version, Platform: platform, Groups: make([]Group, len(o.Harnesses))}
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
		if id := "wsi." + c.id; o.wants("", c.id) {
			f := finding(id, "", c.run(o))
			r.Own = append(r.Own, f)
			o.Watch(Event{Kind: Found, Check: id, Finding: f})
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
func examine(ctx context.Context, o Options, h harnesses.Harness) (Group, error) {
	dir, err := os.MkdirTemp(o.scratch.dir, "")
	if err != nil {
		return Group{}, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it goes with all of them
	box, err := newSandbox(dir, o.Env)
	if err != nil {
		return Group{}, err
	}
	p := newPatient(ctx, o, h, box)
	if err := p.adoptRules(); err != nil {
		return Group{}, err
	}
	g := Group{ID: h.ID, Name: h.Name, Found: p.presence.Found, Wired: p.wired(), Notes: append([]string{}, h.CaveatsBy(p.way())...), Findings: []Finding{}}
	p.version, p.mute = o.Env.AskVersion(ctx, p.presence.Binary)
	g.Version = p.version
	o.Watch(Event{Kind: Looked, Harness: h.ID, Group: g})
	for _, c := range checks {
		if !o.needs(h.ID, c) {
			continue
		}
		id := h.ID + "." + c.id
		o.Watch(Event{Kind: Began, Harness: h.ID, Check: id})
		out := c.run(p)
		if err := ctx.Err(); err != nil {
			return Group{}, err // what was found when a program was cut off is worth nothing
		}
		p.found[c.id] = out.status
		if f := finding(id, c.link, out); o.wants(h.ID, c.id) {
			g.Findings = append(g.Findings, f)
			o.Watch(Event{Kind: Found, Harness: h.ID, Check: id, Finding: f})
		}
	}
	p.again(&g, "harness.version", harnessVersion) // the proof came after it
	g.Chain = Chain(g.Findings)
	o.Watch(Event{Kind: Ended, Harness: h.ID, Group: g})
	return g, nil
}

// again makes a check once more, and tells what it finds if that is another thing.
func (p *target) again(g *Group, check string, run func(*target) outcome) {
	id := g.ID + "." + check
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

func finding(id string, link Link, o outcome) Finding {
	return Finding{ID: id, Link: link, Status: o.status, Text: oneLine(o.text), Fix: oneLine(o.fix), Took: o.took.Milliseconds()}
}

// oneLine keeps what comes from files from moving the reader's terminal.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
}

// Chain sums the findings of a harness up: a link is as good as the worst of its checks that could tell.
func Chain(found []Finding) []Joint {
	weight := map[Status]int{Fail: 4, Warn: 3, OK: 2, Info: 1, Skip: 0}
	joints := make([]Joint, len(links))
	for i, l := range links {
		joints[i] = Joint{l, Skip}
		for _, f := range found {
			if f.Link == l && weight[f.Status] > weight[joints[i].Status] {
				joints[i].Status = f.Status
			}
		}
	}
	return joints
}

// Counts tells how many findings there are of each status.
func (r Report) Counts() map[Status]int {
	n := map[Status]int{}
	for _, f := range r.Own {
		n[f.Status]++
	}
	for _, g := range r.Groups {
		for _, f := range g.Findings {
			n[f.Status]++
		}
	}
	return n
}

// Healthy is true if nothing failed.
func (r Report) Healthy() bool { return r.Counts()[Fail] == 0 }

// Flawless is true if nothing needs attention, either.
func (r Report) Flawless() bool { return r.Healthy() && r.Counts()[Warn] == 0 }
