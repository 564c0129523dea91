package doctor

import (
	"fmt"
	"time"

	"wsi/doctor/report"
)

// check looks at one thing about a harness. Its id follows the harness's.
type check struct {
	id   report.Check
	link report.Link
	asks string // the question it answers, for a person
	late bool   // no check depends on it: it is left out unless it is wanted
	run  func(*target) outcome
}

// checks in the order in which they run. A new one is a line here and a function.
var checks = []check{
	{report.HarnessFound, "", "is the harness on this machine?", false, harnessFound},
	{report.HarnessVersion, "", "does wsi know this version of the harness?", true, harnessVersion},
	{report.HookFile, report.Registered, "does the harness accept the file as a whole?", false, hookFile},
	{report.HookRegistered, report.Registered, "is there a hook of wsi's for every event?", false, hookRegistered},
	{report.HookOnce, report.Registered, "is there no more than one, over all files and imports?", true, hookOnce},
	{report.HookMatches, report.Registered, "do the matchers match the names of the server's tools?", false, hookMatches},
	{report.ServerRegistered, report.Registered, "does the harness know the server?", false, serverRegistered},
	{report.ServerCommand, report.Registered, "is there something to start where the server is registered?", false, serverCommand},
	{report.ServerFronted, report.Registered, "where wsi relay is to stand in front of the server, does it everywhere?", false, serverFronted},
	{report.HookEnabled, report.Trusted, "does no switch and no policy turn hooks off?", false, hookEnabled},
	{report.HookTrusted, report.Trusted, "are the hooks approved, where the harness asks for that?", false, hookTrusted},
	{report.HookListed, report.Trusted, "would the harness run the hooks by its own word?", true, hookListed},
	{report.HookRunnable, report.Runnable, "do the commands run as the harness runs them?", false, hookRunnable},
	{report.RelayRunnable, report.Runnable, "does wsi relay start, and let the server through?", false, relayRunnable},
	{report.HookPath, report.Runnable, "does the registered program lie where it stays, and is it this wsi?", true, hookPath},
	{report.HookRival, "", "does another's hook run before the same calls?", true, hookRival},
	{report.PluginStart, "", "does the harness start without waiting for what a plugin needs?", true, pluginStart},
	{report.ServerAnswers, "", "does the server answer when it is started as the harness does?", true, serverAnswers},
	{report.ServerReadonly, "", "does the harness make calls that carry a value at the same time?", true, serverReadonly},
	{report.ServerNeeds, "", "do the server's tools take a value that wsi carries?", true, serverNeeds},
	{report.RelayNeeded, "", "would hooks alone do where there is a relay?", true, relayNeeded},
	{report.HookFired, report.Fired, "did the harness run the hooks, and how did the last run end?", true, hookFired},
	{report.TokenDelivered, report.Delivered, "does the right value arrive in a rehearsal?", true, tokenDelivered},
	{report.LiveDelivered, report.Delivered, "does the right value arrive when the harness's own binary makes the calls?", true, liveDelivered},
}

// ownCheck looks at one thing about wsi itself.
type ownCheck struct {
	id   report.Check
	asks string
	run  func(Options) outcome
}

var ownChecks = []ownCheck{
	{report.WsiBinary, "which wsi is this?", ownBinary},
	{report.WsiSetup, "is wsi set up with any harness?", ownSetup},
	{report.WsiPath, "is the wsi on the PATH this one?", ownPath},
	{report.WsiTemp, "is there a place for temporary files?", ownTemp},
	{report.WsiState, "is there a folder of wsi's own that nobody else can look into?", ownState},
	{report.WsiLedger, "can setup use its record of what it has changed?", ownLedger},
	{report.WsiVault, "can values be kept, and by nobody else be read?", ownVault},
	{report.WsiJournal, "can the journal be written?", ownJournal},
	{report.WsiRules, "are the rules in force that stand in the rule file?", ownRules},
}

// outcome is what a check says. It reads like a sentence: no capital, no full stop.
type outcome struct {
	status    report.Status
	text, fix string
	took      time.Duration // 0: not measured
}

// in adds how long it took.
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
		return note("no binary of %s is on the PATH, but it is configured in %s", p.harness.Name, p.presence.ConfigHome)
	}
	return skipped("%s is not on this machine", p.harness.Name)
}
