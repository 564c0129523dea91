package doctor

import (
	"fmt"
	"slices"
	"strings"

	"wsi/doctor/report"
)

type check struct {
	id   report.Check
	link report.Link
	asks string             // the question that it answers, for the user
	late bool               // no check uses its result: it runs only if it is wanted
	of   func(*target) bool // reports whether there is what it examines, a hook of wsi or a relay; nil = there always is
	run  func(*target) outcome
}

func (c check) try(p *target) outcome {
	if c.of != nil && !c.of(p) {
		return skipped("no hook of wsi is registered")
	}
	return c.run(p)
}

// checks in the order in which they run. A new one is a line here and a function.
var checks = []check{
	{report.HarnessFound, "", "is the harness on this machine?", false, nil, harnessFound},
	{report.HarnessVersion, "", "does wsi know this version of the harness?", true, nil, harnessVersion},
	{report.HookFile, report.Registered, "does the harness accept the file as a whole?", false, nil, hookFile},
	{report.HookRegistered, report.Registered, "does wsi have a hook for every event?", false, nil, hookRegistered},
	{report.HookOnce, report.Registered, "is each hook registered only once, over all files and imports?", true, nil, hookOnce},
	{report.HookMatches, report.Registered, "are the matchers those that setup writes?", false, (*target).hooked, hookMatches},
	{report.ServerRegistered, report.Registered, "does the harness know the server?", false, nil, serverRegistered},
	{report.ServerCommand, report.Registered, "does the program exist that the server's registration starts?", false, nil, serverCommand},
	{report.ServerFronted, report.Registered, "is wsi relay in front of every registration of the server, where it is used?", false, nil, serverFronted},
	{report.HookEnabled, report.Trusted, "are hooks enabled by settings and policies?", false, (*target).hooked, hookEnabled},
	{report.HookTrusted, report.Trusted, "are the hooks approved, if the harness requires it?", false, (*target).hooked, hookTrusted},
	{report.HookListed, report.Trusted, "does the harness itself say that it runs the hooks?", true, nil, hookListed},
	{report.HookRunnable, report.Runs, "do the commands run as the harness runs them?", false, (*target).hooked, hookRunnable},
	{report.RelayRunnable, report.Runs, "does wsi relay start, and forward to the server?", false, nil, relayRunnable},
	{report.HookPath, report.Runs, "is the registered program in a permanent folder, and is it this wsi?", true, (*target).wired, hookPath},
	{report.ServerAnswers, "", "does the server answer if it is started as the harness does?", true, nil, serverAnswers},
	{report.ServerNeeds, "", "do the server's tools take a value that wsi carries?", true, nil, serverNeeds},
	{report.HookFired, report.Used, "did the harness run the hooks, and how did the last run end?", true, (*target).wired, hookFired},
	{report.TokenDelivered, report.RightValue, "does the right value arrive in a rehearsal?", true, (*target).wired, tokenDelivered},
	{report.LiveDelivered, report.RightValue, "does the right value arrive if the harness's own binary makes the calls?", true, nil, liveDelivered},
}

type ownCheck struct {
	id   report.Check
	asks string
	run  func(Options) outcome
}

var ownChecks = []ownCheck{
	{report.WsiBinary, "which wsi is this?", ownBinary},
	{report.WsiSetup, "is wsi set up with any harness?", ownSetup},
	{report.WsiState, "does wsi have a state folder that only its user can read?", ownState},
	{report.WsiLedger, "can setup use its ledger of changes?", ownLedger},
	{report.WsiVault, "can values be stored, and only their user read them?", ownVault},
	{report.WsiJournal, "can the journal be written?", ownJournal},
	{report.WsiRules, "are the rules in the rule file in force?", ownRules},
}

// Listed describes a check that a user can select.
type Listed struct {
	ID   string // such as "hook.trusted", or "wsi.vault" for wsi itself
	Link report.Link
	Asks string
}

// List returns all checks in the order in which they run, wsi's own first.
func List() []Listed {
	var all []Listed
	for _, c := range ownChecks {
		all = append(all, Listed{ID: string(c.id), Asks: c.asks})
	}
	for _, c := range checks {
		all = append(all, Listed{ID: string(c.id), Link: c.link, Asks: c.asks})
	}
	return all
}

// Known returns an error if an id in Options.Only is neither a check nor one of these harnesses.
func Known(id string, harnessIDs []string) error {
	for _, h := range harnessIDs {
		if rest, ok := strings.CutPrefix(id, h+"."); ok {
			id = rest
		} else if id == h {
			return nil
		}
	}
	if id == "wsi" || slices.ContainsFunc(List(), func(l Listed) bool { return l.ID == id }) {
		return nil
	}
	return fmt.Errorf("unknown check %q", id)
}

// static are the checks that start no program.
var static = []report.Check{
	report.HarnessFound, report.HookFile, report.HookRegistered, report.HookOnce, report.HookMatches, report.ServerRegistered, report.ServerCommand,
	report.ServerFronted, report.HookEnabled, report.HookTrusted, report.HookRunnable, report.RelayRunnable,
}

// needs reports whether a check must run: it is wanted, or one that is wanted may use its result.
func (o Options) needs(harness string, c check) bool {
	if o.wants(harness, c.id) || o.Static && !slices.Contains(static, c.id) {
		return o.wants(harness, c.id)
	}
	return !c.late && slices.ContainsFunc(checks, func(other check) bool { return o.wants(harness, other.id) })
}
