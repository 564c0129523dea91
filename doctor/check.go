package doctor

import (
	"fmt"
	"time"

	"wsi/doctor/report"
)

// check examines one thing about a harness.
type check struct {
	id   report.Check
	link report.Link
	asks string // the question that it answers, for the user
	late bool   // no check uses its result: it runs only if it is wanted
	run  func(*target) outcome
}

// checks in the order in which they run. A new one is a line here and a function.
var checks = []check{
	{report.HarnessFound, "", "is the harness on this machine?", false, harnessFound},
	{report.HarnessVersion, "", "does wsi know this version of the harness?", true, harnessVersion},
	{report.HookFile, report.Registered, "does the harness accept the file as a whole?", false, hookFile},
	{report.HookRegistered, report.Registered, "does wsi have a hook for every event?", false, hookRegistered},
	{report.HookOnce, report.Registered, "is each hook registered only once, over all files and imports?", true, hookOnce},
	{report.HookMatches, report.Registered, "do the matchers match the names of the server's tools?", false, hookMatches},
	{report.ServerRegistered, report.Registered, "does the harness know the server?", false, serverRegistered},
	{report.ServerCommand, report.Registered, "does the program exist that the server's registration starts?", false, serverCommand},
	{report.ServerFronted, report.Registered, "is wsi relay in front of every registration of the server, where it is used?", false, serverFronted},
	{report.HookEnabled, report.Trusted, "are hooks enabled by settings and policies?", false, hookEnabled},
	{report.HookTrusted, report.Trusted, "are the hooks approved, if the harness requires it?", false, hookTrusted},
	{report.HookListed, report.Trusted, "does the harness itself say that it runs the hooks?", true, hookListed},
	{report.HookRunnable, report.Runnable, "do the commands run as the harness runs them?", false, hookRunnable},
	{report.RelayRunnable, report.Runnable, "does wsi relay start, and forward to the server?", false, relayRunnable},
	{report.HookPath, report.Runnable, "is the registered program in a permanent folder, and is it this wsi?", true, hookPath},
	{report.HookRival, "", "does another program's hook run before the same calls?", true, hookRival},
	{report.PluginStart, "", "does the harness start without waiting for what a plugin needs?", true, pluginStart},
	{report.ServerAnswers, "", "does the server answer if it is started as the harness does?", true, serverAnswers},
	{report.ServerReadonly, "", "does the harness make calls with a carried value at the same time?", true, serverReadonly},
	{report.ServerNeeds, "", "do the server's tools take a value that wsi carries?", true, serverNeeds},
	{report.RelayNeeded, "", "would hooks alone suffice instead of the relay?", true, relayNeeded},
	{report.HookFired, report.Fired, "did the harness run the hooks, and how did the last run end?", true, hookFired},
	{report.TokenDelivered, report.Delivered, "does the right value arrive in a rehearsal?", true, tokenDelivered},
	{report.LiveDelivered, report.Delivered, "does the right value arrive if the harness's own binary makes the calls?", true, liveDelivered},
}

// ownCheck examines one thing about wsi itself.
type ownCheck struct {
	id   report.Check
	asks string
	run  func(Options) outcome
}

var ownChecks = []ownCheck{
	{report.WsiBinary, "which wsi is this?", ownBinary},
	{report.WsiSetup, "is wsi set up with any harness?", ownSetup},
	{report.WsiPath, "is the wsi on the PATH this one?", ownPath},
	{report.WsiTemp, "can temporary files be created?", ownTemp},
	{report.WsiState, "does wsi have a state folder that only its user can read?", ownState},
	{report.WsiLedger, "can setup use its ledger of changes?", ownLedger},
	{report.WsiVault, "can values be stored, and only their user read them?", ownVault},
	{report.WsiJournal, "can the journal be written?", ownJournal},
	{report.WsiRules, "are the rules in the rule file in force?", ownRules},
}

// outcome is the result of a check. Its text is a sentence without a capital and a full stop.
type outcome struct {
	status    report.Status
	text, fix string
	took      time.Duration // 0: not measured
}

// in sets how long the check took.
func (o outcome) in(took time.Duration) outcome {
	o.took = took
	return o
}

func good(format string, args ...any) outcome {
	return outcome{status: report.OK, text: fmt.Sprintf(format, args...)}
}

func note(format string, args ...any) outcome {
	return outcome{status: report.Info, text: fmt.Sprintf(format, args...)}
}

func skipped(format string, args ...any) outcome {
	return outcome{status: report.Skip, text: fmt.Sprintf(format, args...)}
}

func attention(fix, format string, args ...any) outcome {
	return outcome{status: report.Warn, text: fmt.Sprintf(format, args...), fix: fix}
}

func broken(fix, format string, args ...any) outcome {
	return outcome{status: report.Fail, text: fmt.Sprintf(format, args...), fix: fix}
}

func harnessFound(p *target) outcome {
	switch {
	case p.presence.Binary != "":
		return good("%s", p.presence.Binary)
	case p.presence.Found:
		return note("%s is not on the PATH, but it is configured in %s", p.harness.Name, p.presence.ConfigHome)
	}
	return skipped("%s is not on this machine", p.harness.Name)
}
