package doctor

import (
	"fmt"
	"slices"
	"strings"

	"wsi/doctor/report"
)

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
	{report.HookRegistered, report.Registered, "does wsi have a hook for every event?", true, nil, hookRegistered},
	{"hook.once", report.Registered, "is each hook registered only once, over all files and imports?", true, nil, hookOnce},
	{report.HookMatches, report.Registered, "are the matchers those that setup writes?", true, (*target).hooked, hookMatches},
	{"server.registered", report.Registered, "does the harness know the server?", true, nil, serverRegistered},
	{"server.command", report.Registered, "does the program exist that the server's registration starts?", true, nil, serverCommand},
	{report.ServerFronted, report.Registered, "is wsi relay in front of every registration of the server, where it is used?", true, nil, serverFronted},
	{report.HookEnabled, report.Trusted, "are hooks enabled by settings and policies?", true, (*target).hooked, hookEnabled},
	{report.HookTrusted, report.Trusted, "are the hooks approved, if the harness requires it?", true, (*target).hooked, hookTrusted},
	{report.HookListed, report.Trusted, "does the harness itself say that it runs the hooks?", false, nil, hookListed},
	{report.HookRunnable, report.Runs, "do the commands run as the harness runs them?", true, (*target).hooked, hookRunnable},
	{report.RelayRunnable, report.Runs, "does wsi relay start, and forward to the server?", true, nil, relayRunnable},
	{report.HookPath, report.Runs, "is the registered program in a permanent folder, and is it this wsi?", false, (*target).wired, hookPath},
	{"server.answers", "", "does the server answer if it is started as the harness does?", false, nil, serverAnswers},
	{"server.needs", "", "do the server's tools take a value that wsi carries?", false, nil, serverNeeds},
	{report.HookFired, report.Used, "did the harness run the hooks, and how did the last run end?", false, (*target).wired, hookFired},
	{report.TokenDelivered, report.RightValue, "does the right value arrive in a rehearsal?", false, (*target).wired, tokenDelivered},
	{report.LiveDelivered, report.RightValue, "does the right value arrive if the harness's own binary makes the calls?", false, nil, liveDelivered},
}

var ownChecks = []Check{
	{"wsi.binary", "", "which wsi is this?", true, nil, ownBinary},
	{report.WsiSetup, "", "is wsi set up with any harness?", true, nil, ownSetup},
	{"wsi.state", "", "does wsi have a state folder that only its user can read?", true, nil, ownState},
	{report.WsiLedger, "", "can setup use its ledger of changes?", true, nil, ownLedger},
	{"wsi.vault", "", "can values be stored, and only their user read them?", true, nil, ownVault},
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
