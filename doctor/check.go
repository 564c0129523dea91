package doctor

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"wsi/harnesses"
)

// check looks at one thing about a harness. Its id follows the harness's.
type check struct {
	id   string
	link Link
	run  func(*patient) outcome
}

// checks in the order in which they run. A new one is a line here and a function.
var checks = []check{
	{"harness.found", "", harnessFound},
	{"hook.file", Registered, hookFile},
	{"hook.registered", Registered, hookRegistered},
	{"hook.matches", Registered, hookMatches},
	{"server.registered", Registered, serverRegistered},
	{"hook.trusted", Trusted, hookTrusted},
	{"hook.runnable", Runnable, hookRunnable},
	{"hook.alone", "", hookAlone},
	{"hook.fired", Fired, hookFired},
	{"token.delivered", Delivered, tokenDelivered},
}

// ownCheck looks at one thing about wsi itself.
type ownCheck struct {
	id  string
	run func(Options) outcome
}

var ownChecks = []ownCheck{
	{"binary", ownBinary},
	{"state", ownState},
	{"vault", ownVault},
	{"journal", ownJournal},
}

// outcome is what a check says. It reads like a sentence: no capital, no full stop.
type outcome struct {
	status    Status
	text, fix string
	took      time.Duration // 0: not measured
}

// in adds how long it took.
func (o outcome) in(took time.Duration) outcome {
	o.took = took
	return o
}

func good(format string, args ...any) outcome {
	return outcome{status: OK, text: fmt.Sprintf(format, args...)}
}

func note(format string, args ...any) outcome {
	return outcome{status: Info, text: fmt.Sprintf(format, args...)}
}

func skipped(format string, args ...any) outcome {
	return outcome{status: Skip, text: fmt.Sprintf(format, args...)}
}

func attention(fix, format string, args ...any) outcome {
	return outcome{status: Warn, text: fmt.Sprintf(format, args...), fix: fix}
}

func broken(fix, format string, args ...any) outcome {
	return outcome{status: Fail, text: fmt.Sprintf(format, args...), fix: fix}
}

func harnessFound(p *patient) outcome {
	switch {
	case p.presence.Binary != "":
		return good("%s", p.presence.Binary)
	case p.presence.Found:
		return note("no binary of %s is on the PATH, but it is configured in %s", p.harness.Name, p.presence.ConfigHome)
	}
	return skipped("%s is not on this machine", p.harness.Name)
}

// setup is the command that mends what is registered.
func (p *patient) setup() string {
	line := "wsi setup --harness " + p.harness.ID
	switch {
	case p.server == harnesses.DefaultServer:
	case strings.ContainsAny(p.server, " '\"$`\\"):
		line += " --server " + strconv.Quote(p.server)
	default:
		line += " --server " + p.server
	}
	if len(p.Scopes) == 1 && p.Scopes[0] == harnesses.Project {
		line += " --scope project"
	}
	return line
}
