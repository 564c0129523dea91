// Package doctor checks whether wsi works with each harness. It distinguishes five links of a chain: a hook can be
// registered and not trusted, trusted and not runnable, runnable and never fired, and it can fire without delivering
// a value.
//
// A check is a function in a table. It examines one thing and returns one sentence. The doctor writes only into
// temporary folders of its own, and none if it only reads files. It never shows a value. It runs only commands of wsi; where a project's file names
// one, it runs only this program or a copy of it ([Options.vetted]). It must not know harnesses by name, or how
// a report is drawn on a screen.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/hook/journal"
	"wsi/internal/phrase"
)

// Run examines wsi and, concurrently, all harnesses. It returns an error if the examination itself failed or was
// cancelled; what is wrong with wsi or a harness is in the report.
func Run(ctx context.Context, o Options, platform string) (report.Report, error) {
	r := report.Report{Version: o.Version, Platform: platform, Groups: make([]report.Group, len(o.Harnesses))}
	if !o.Static {
		var err error
		if o.scratch, err = newScratch(o.TempDir); err != nil {
			return r, err
		}
		defer o.scratch.remove()
	}
	if o.Self == "" {
		o.Self, _ = os.Executable() // "": it is not known
	}
	if o.StateDir != "" {
		o.journal, o.journalErr = readJournal(o.StateDir)
	}
	var one sync.Mutex
	watch := o.Watch
	o.Watch = func(e Event) { // one by one, though the harnesses are examined concurrently
		one.Lock()
		defer one.Unlock()
		if watch != nil {
			watch(e)
		}
	}
	o.targets = make([]*target, len(o.Harnesses))
	err := o.each(func(i int, h setup.Harness) error {
		box, err := o.sandbox()
		o.targets[i] = newTarget(ctx, o, h, box)
		return err
	})
	if err != nil {
		return r, err
	}
	for _, c := range ownChecks {
		if o.wants("", c.ID) {
			f := finished(string(c.ID), "", c.run(&target{Options: o}))
			r.Own = append(r.Own, f)
			o.Watch(Event{Kind: Found, Check: f.ID, Finding: f})
		}
	}
	return r, o.each(func(i int, _ setup.Harness) (err error) {
		r.Groups[i], err = o.targets[i].examine()
		return err
	})
}

// each calls f for all harnesses, concurrently.
func (o Options) each(f func(i int, h setup.Harness) error) error {
	errs := make([]error, len(o.Harnesses))
	var all sync.WaitGroup
	for i, h := range o.Harnesses {
		all.Go(func() {
			defer func() { // a panic must not leave the terminal in raw mode
				if v := recover(); v != nil {
					errs[i] = fmt.Errorf("wsi failed while examining %s: %v", h.Name, v)
				}
			}()
			errs[i] = f(i, h)
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// sandbox returns the folders in which one harness is examined, none for a static examination.
func (o Options) sandbox() (box rehearse.Sandbox, err error) {
	if o.Static {
		return box, nil
	}
	dir, err := os.MkdirTemp(o.scratch.dir, "")
	if err != nil {
		return box, err
	}
	return rehearse.NewSandbox(dir, o.Env)
}

// examine runs the checks of one harness in their order. A later check may use the result of an earlier one.
func (p *target) examine() (report.Group, error) {
	h := p.harness
	if text := p.ruleFile(); text != nil && !p.Static {
		if err := os.WriteFile(p.box.Rules, text, 0o600); err != nil {
			return report.Group{}, err
		}
	}
	g := report.Group{ID: h.ID, Name: h.Name, Found: p.presence.Found, Wired: p.wired(), Registration: p.registered(), Passes: p.passes(), Findings: []report.Finding{}}
	texts := h.TextsBy(p.mode())
	g.Limits = texts.Limits() // setup says the rest
	if is, ok := h.Choice(p.mode()); ok && is.Why != "" && p.wired() {
		g.Limits = append(g.Limits, fmt.Sprintf(setup.WiredBy, h.Name, is.Mode, is.Why))
	}
	g.Notes = append([]string{}, texts.All()...)
	if last := p.activity().used; !last.IsZero() {
		g.Used = &last
	}
	if !p.Static {
		p.version, p.mute = p.Env.AskVersion(p.ctx, p.presence.Binary)
	}
	g.Version = p.version
	p.Watch(Event{Kind: Looked, Harness: h.ID, Group: g})
	for _, c := range checks {
		if !p.needs(h.ID, c) {
			continue
		}
		id := c.ID.Of(h.ID)
		p.Watch(Event{Kind: Began, Harness: h.ID, Check: id})
		f := finished(id, c.Link, c.try(p))
		if err := p.ctx.Err(); err != nil {
			return report.Group{}, err // a check that was interrupted proves nothing
		}
		if p.found[c.ID] = f.Status; p.wants(h.ID, c.ID) {
			g.Findings = append(g.Findings, f)
			p.Watch(Event{Kind: Found, Harness: h.ID, Check: id, Finding: f})
		}
	}
	version := func(f report.Finding) bool { return f.ID == report.HarnessVersion.Of(h.ID) }
	if i := slices.IndexFunc(g.Findings, version); i >= 0 { // the live proof came after this check
		if f := finished(g.Findings[i].ID, "", harnessVersion(p)); f != g.Findings[i] {
			g.Findings[i] = f
			p.Watch(Event{Kind: Found, Harness: h.ID, Check: f.ID, Finding: f})
		}
	}
	g.Chain = report.Chain(g.Findings)
	p.Watch(Event{Kind: Ended, Harness: h.ID, Group: g})
	return g, nil
}

// finished returns what a check found as it is reported.
func finished(id string, link report.Link, f report.Finding) report.Finding {
	f.ID, f.Link, f.Text, f.Fix = id, link, report.OneLine(f.Text), f.Fix.Map(report.OneLine)
	return f
}

// Options configures an examination.
type Options struct {
	Env      setup.Env
	StateDir string // of the vault and the journal
	Binary   string // of this wsi
	// Registers is a program that the user has just named as the one to register, "" = none. It may be run
	// even if a project's file names it.
	Registers string
	Version   string // of this wsi
	TempDir   string // for temporary folders, "" = the system's

	Harnesses []setup.Harness
	Named     bool // the user named the harnesses: one whose server has no hook of wsi is then a finding
	Scopes    []setup.Scope

	Static bool        // start no program and write nothing: what files say is examined, not whether it works
	Only   []string    // ids of harnesses and checks, the latter with or without a harness's id before them; none = all
	Live   Live        // proves delivery with the harness's own binary; nil = not requested
	Watch  func(Event) // receives the progress, from one goroutine at a time; may be nil

	Self   string                 // path of the running program, "" = os.Executable
	Room   func(dir string) error // returns why a folder has no room left; nil = ask the file system
	Issued func(value string)     // receives every value that a rehearsal issues, from several goroutines; may be nil

	scratch    scratch         // made by Run
	targets    []*target       // one for each harness, made by Run
	answerTime time.Duration   // how long a program may take to answer; 0 = 20 s
	journal    []journal.Entry // read once, by Run
	journalErr error
}

// wants reports whether the user selects a check. harness is "" for a check of wsi itself.
func (o Options) wants(harness string, id report.Check) bool {
	if len(o.Only) == 0 || slices.Contains(o.Only, string(id)) {
		return true
	}
	if harness == "" {
		return slices.Contains(o.Only, "wsi")
	}
	return slices.Contains(o.Only, harness) || slices.Contains(o.Only, id.Of(harness))
}

// EventKind is the kind of an Event.
type EventKind int

// The kinds, in their order for a harness.
const (
	Looked EventKind = iota // the harness was looked up: Event.Group, without findings
	Began                   // a check began: Event.Check
	Found                   // a check ended: Event.Check, Event.Finding; the only one about wsi itself
	Ended                   // all checks of the harness have ended: Event.Group
)

// Event is a step of an examination. Each finding is sent once. A check that runs only because another one needs its
// result has no Found event.
type Event struct {
	Kind    EventKind
	Harness string // id; "" = wsi itself
	Check   string // the whole id: "codex.hook.trusted"
	Group   report.Group
	Finding report.Finding
}

// What a check returns has no id and no link yet. Its text is a sentence without a capital and a full stop.

func good(format string, args ...any) report.Finding {
	return report.Finding{Status: report.OK, Text: fmt.Sprintf(format, args...)}
}

// took sets how long a check took.
func took(d time.Duration, f report.Finding) report.Finding {
	f.Took = d.Milliseconds()
	return f
}

func note(format string, args ...any) report.Finding {
	return report.Finding{Status: report.Info, Text: fmt.Sprintf(format, args...)}
}

func skipped(format string, args ...any) report.Finding {
	return report.Finding{Status: report.Skip, Text: fmt.Sprintf(format, args...)}
}

// repair is what the user can do about a finding, and the run of setup that its command is.
type repair struct {
	phrase.Fix

	setup report.Setup
}

// fixing is a repair. A string is one in words.
type fixing interface{ string | phrase.Fix | repair }

func repairOf[F fixing](fix F) repair {
	switch fix := any(fix).(type) {
	case repair:
		return fix
	case phrase.Fix:
		return repair{Fix: fix}
	default:
		return repair{Fix: phrase.Fix{Text: fmt.Sprint(fix)}}
	}
}

func attention[F fixing](fix F, format string, args ...any) report.Finding {
	r := repairOf(fix)
	return report.Finding{Status: report.Warn, Text: fmt.Sprintf(format, args...), Fix: r.Fix, Setup: r.setup}
}

func broken[F fixing](fix F, format string, args ...any) report.Finding {
	f := attention(fix, format, args...)
	f.Status = report.Fail
	return f
}

// Check is a check of wsi itself or of a harness.
type Check struct {
	ID     report.Check
	Link   report.Link
	Asks   string             // the question that it answers, for the user
	static bool               // it is also for Options.Static, and others may use its result
	of     func(*target) bool // reports whether there is what it examines, a hook of wsi or a relay; nil = there always is
	run    func(*target) report.Finding
}

func (c Check) try(p *target) report.Finding {
	if c.of != nil && !c.of(p) {
		return skipped("no hook of wsi is registered")
	}
	return c.run(p)
}

// checks in the order in which they run. A new one is a line here and a function.
var checks = []Check{
	{"harness.found", "", "is the harness on this machine?", true, nil, harnessFound},
	{report.HarnessVersion, "", "does wsi know this version of the harness?", false, nil, harnessVersion},
	{report.HookFile, report.Registered, "does the harness accept the file as a whole?", true, nil, hookFile},
	{report.HookRegistered, report.Registered, "does wsi have a hook for every event?", true, nil, every(hookRegistered)},
	{"hook.once", report.Registered, "is each hook registered only once, over all files and imports?", true, nil, hookOnce},
	{report.HookMatches, report.Registered, "are the matchers those that setup writes?", true, (*target).hooked, hookMatches},
	{"server.registered", report.Registered, "does the harness know the server?", true, nil, every(serverRegistered)},
	{"server.command", report.Registered, "does the server's program exist?", true, nil, every(serverCommand)},
	{report.ServerFronted, report.Registered, "is wsi relay in front of every registration of the server?", true, nil, every(serverFronted)},
	{report.HookEnabled, report.Trusted, "are hooks enabled by settings and policies?", true, (*target).hooked, hookEnabled},
	{report.HookTrusted, report.Trusted, "are the hooks approved, if the harness requires it?", true, (*target).hooked, hookTrusted},
	{report.HookListed, report.Trusted, "does the harness itself say that it runs the hooks?", false, nil, hookListed},
	{report.HookRunnable, report.Runs, "do the commands run as the harness runs them?", true, (*target).hooked, every(hookRunnable)},
	{report.RelayRunnable, report.Runs, "does wsi relay start, and forward to the server?", true, nil, every(relayRunnable)},
	{report.HookPath, report.Runs, "is the registered program in a permanent folder, and is it this wsi?", false, (*target).wired, hookPath},
	{"server.answers", "", "does the server answer if it is started as the harness does?", false, nil, serverAnswers},
	{"server.needs", "", "do the server's tools take a value that wsi carries?", false, nil, serverNeeds},
	{report.RelayAnswers, report.Runs, "do servers without rules answer through wsi relay?", false, nil, relayAnswers},
	{report.HookFired, report.Used, "did the harness run the hooks, and how did the last run end?", false, (*target).wired, hookFired},
	{report.TokenDelivered, report.RightValue, "does the right value arrive in test calls?", false, (*target).wired, tokenDelivered},
	{report.LiveDelivered, report.RightValue, "does the right value arrive if the harness's own binary makes the calls?", false, nil, liveDelivered},
}

var ownChecks = []Check{
	{"wsi.binary", "", "which wsi is this?", true, nil, ownBinary},
	{report.WsiSetup, "", "is wsi set up with any harness?", true, nil, ownSetup},
	{"wsi.state", "", "does wsi have a state folder that only you can read?", true, nil, ownState},
	{report.WsiLedger, "", "can setup use its ledger of changes?", true, nil, ownLedger},
	{"wsi.vault", "", "can wsi store values that only you can read?", true, nil, ownVault},
	{"wsi.journal", "", "can the journal be written?", true, nil, ownJournal},
	{"wsi.rules", "", "are the rules in the rule file in force?", true, nil, ownRules},
}

// List returns all checks in the order in which they run, wsi's own first.
func List() []Check { return slices.Concat(ownChecks, checks) }

// Known returns an error if an id in Options.Only is neither a check nor one of these harnesses.
func Known(id string, harnessIDs []string) error {
	for _, h := range harnessIDs {
		if rest, ok := strings.CutPrefix(id, h+"."); ok {
			id = rest
		} else if id == h {
			return nil
		}
	}
	if id == "wsi" || slices.ContainsFunc(List(), func(c Check) bool { return string(c.ID) == id }) {
		return nil
	}
	return fmt.Errorf("unknown check %q", id)
}

// needs reports whether a check must run: it is wanted, or one that is wanted may use its result.
func (o Options) needs(harness string, c Check) bool {
	wanted := func(c Check) bool { return (c.static || !o.Static) && o.wants(harness, c.ID) }
	return wanted(c) || c.static && slices.ContainsFunc(checks, wanted)
}
