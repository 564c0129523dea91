// Package report holds what the doctor finds, and writes it as text, JSON and Markdown.
//
// It is pure: it reads no files, and must not know how a check is made. Of harnesses it knows only the scopes.
package report

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"wsi/harnesses/setup"
	"wsi/internal/lists"
	"wsi/internal/phrase"
)

// Status is the outcome of a check.
type Status string

// The outcomes.
const (
	OK   Status = "ok"
	Info Status = "info" // nothing to do, but good to know
	Skip Status = "skip" // not checked, or nothing there to check
	Warn Status = "warn" // works, but something should be looked at
	Fail Status = "fail" // does not work
)

// Weight returns a larger number for a status that matters more.
func (s Status) Weight() int { return slices.Index([]Status{Skip, Info, OK, Warn, Fail}, s) }

// Link is a link of the chain from a registered hook to a delivered value.
type Link string

// The links in their order.
const (
	Registered Link = "registered"
	Trusted    Link = "trusted"
	Runs       Link = "runs"
	Used       Link = "used"
	RightValue Link = "right value"
)

var links = []Link{Registered, Trusted, Runs, Used, RightValue}

// Links returns the names of the links in their order.
func Links() []string { return lists.Map(links, func(l Link) string { return string(l) }) }

// Finding is the result of one check.
type Finding struct {
	ID     string     `json:"id"` // stable, such as "codex.hook.trusted"
	Link   Link       `json:"link,omitempty"`
	Status Status     `json:"status"`
	Text   string     `json:"text"`         // one sentence, without any value
	Fix    phrase.Fix `json:"fix,omitzero"` // what the user can do
	Took   int64      `json:"took_ms,omitempty"`
	Setup  Setup      `json:"-"` // the run of wsi setup that repairs what was found
	Idle   bool       `json:"-"` // wsi has nothing to do in the harness: it has no server with a rule
}

// Setup is a run of wsi setup for one harness in the current folder; the zero value is none.
type Setup struct {
	Repairs bool
	Project bool // in the scope of the project
	Trust   bool // it records the approval of wsi's own hooks
}

// Duration returns how long the check took, in parentheses, "" if that was not measured.
func (f Finding) Duration() string {
	if f.Took == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d ms)", f.Took)
}

// Fixable reports whether setup repairs what was found.
func (f Finding) Fixable() bool {
	return (f.Status == Warn || f.Status == Fail) && f.Setup.Repairs
}

// SetupCommand begins every fix that runs setup.
const SetupCommand = "wsi setup"

// OneLine returns a text on one line and without control characters: a text from a file must not drive the terminal.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, phrase.OneLine(s))
}

// Group holds the findings of one harness.
type Group struct {
	ID           string     `json:"id"`
	Name         string     `json:"name"`
	Version      string     `json:"version,omitempty"`
	Found        bool       `json:"found"`
	Wired        bool       `json:"wired"`               // by a hook or by a relay
	Used         *time.Time `json:"last_used,omitempty"` // when wsi last ran there
	Passes       bool       `json:"-"`                   // no rule is for any of the servers with wsi relay
	Registration `json:"-"`
	Chain        []Joint   `json:"chain"`
	Findings     []Finding `json:"checks"`
	Notes        []string  `json:"notes"` // limits of the harness, and what is not proven
	Limits       []string  `json:"-"`     // of the notes, those that are said nowhere else
}

// Registration says how wsi is registered with a harness.
type Registration struct {
	By    setup.Mode  `json:"by,omitempty"`    // "" = it is not
	Scope setup.Scope `json:"scope,omitempty"` // the project's, if it is in no file of the user
	Files []string    `json:"files,omitempty"` // absolute
	Each  []Wiring    `json:"registered,omitempty"`
}

// Wiring says for which servers wsi is registered in one mode and scope, also for those that the doctor does not examine.
type Wiring struct {
	By      setup.Mode  `json:"by"`
	Scope   setup.Scope `json:"scope"`
	Servers []string    `json:"servers"`
	Files   []string    `json:"files"`
}

// Joint is the status of one link in the chain of a harness.
type Joint struct {
	Link   Link   `json:"link"`
	Status Status `json:"status"`
}

// Chain sums up the findings of a harness. A link has the worst status of its checks that were made.
func Chain(found []Finding) []Joint {
	joints := make([]Joint, len(links))
	for i, l := range links {
		joints[i] = Joint{l, Skip}
		for _, f := range found {
			if f.Link == l && f.Status.Weight() > joints[i].Status.Weight() {
				joints[i].Status = f.Status
			}
		}
	}
	return joints
}

// Report is the result of a whole examination.
type Report struct {
	Version  string    `json:"version"`
	Platform string    `json:"platform"`
	Own      []Finding `json:"checks"` // about wsi itself
	Groups   []Group   `json:"harnesses"`
}

// All returns the findings about wsi and about all harnesses.
func (r Report) All() []Finding {
	all := slices.Clone(r.Own)
	for _, g := range r.Groups {
		all = append(all, g.Findings...)
	}
	return all
}

// Counts returns the number of findings of each status.
func (r Report) Counts() map[Status]int {
	n := map[Status]int{OK: 0, Info: 0, Skip: 0, Warn: 0, Fail: 0}
	for _, f := range r.All() {
		n[f.Status]++
	}
	return n
}

// Healthy reports whether nothing failed.
func (r Report) Healthy() bool { return r.Counts()[Fail] == 0 }

// NeverSetUp reports whether a first setup is all that is needed.
func (r Report) NeverSetUp() bool {
	return slices.ContainsFunc(r.Own, Finding.Fixable)
}

// Fixable returns the ids of the harnesses that setup would repair.
func (r Report) Fixable() []string {
	var ids []string
	for _, g := range r.Groups {
		if slices.ContainsFunc(g.Findings, Finding.Fixable) {
			ids = append(ids, g.ID)
		}
	}
	return ids
}

// Setups returns the runs of setup that would repair these harnesses.
func (r Report) Setups(ids ...string) (all []Setup) {
	for _, g := range r.Groups {
		for _, f := range g.Findings {
			if slices.Contains(ids, g.ID) && f.Fixable() {
				all = append(all, f.Setup)
			}
		}
	}
	return all
}

// Check is the id of a check. Ids are stable: users write them into --only, and programs read them from the JSON.
type Check string

// The checks of wsi itself whose results are used elsewhere.
const (
	WsiSetup  Check = "wsi.setup"
	WsiLedger Check = "wsi.ledger"
)

// Those of a harness. In a finding the harness's id is put before them.
const (
	HarnessVersion Check = "harness.version"
	HookFile       Check = "hook.file"
	HookRegistered Check = "hook.registered"
	HookMatches    Check = "hook.matches"
	ServerFronted  Check = "server.fronted"
	HookEnabled    Check = "hook.enabled"
	HookTrusted    Check = "hook.trusted"
	HookListed     Check = "hook.listed"
	HookRunnable   Check = "hook.runnable"
	RelayRunnable  Check = "relay.runnable"
	RelayAnswers   Check = "relay.answers"
	HookPath       Check = "hook.path"
	HookFired      Check = "hook.fired"
	TokenDelivered Check = "token.delivered"
	LiveDelivered  Check = "live.delivered"
)

// Of returns the id of a finding of the check about a harness, such as "codex.hook.trusted".
func (c Check) Of(harness string) string { return harness + "." + string(c) }
