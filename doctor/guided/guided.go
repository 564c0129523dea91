// Package guided proves delivery with a harness that cannot run headless: its user types one prompt, and the reference server
// reports what arrived. It tests what the user has registered, and writes only into a folder of wsi, which contains a project.
//
// It must not know harnesses by name: setup.Guide has the instructions for each.
package guided

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"wsi/doctor"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/hook/carry"
	"wsi/hook/recorder"
	"wsi/internal/lists"
	"wsi/internal/refserver"
)

// Prover instructs the user.
type Prover struct {
	Server   []string          // command of the reference server; "--state DIR" and more are appended
	StateDir string            // of the user's wsi
	Say      func(line string) // shows the user a line
}

const (
	patience = 10 * time.Minute // the longest time without a call
	glance   = 300 * time.Millisecond
	label    = "probe"
)

type step struct{ tool, args, aside string }

// steps are the calls that the model is asked to make.
var steps = []step{
	{"start_session", `with workflow_id "demo"`, ""},
	{"get_workflow", "", ""},
	{"next_activity", `with activity_id "design"`, ""},
	{"next_activity", `with activity_id "no-such-activity"`, " (it fails; go on)"},
	{"get_activity", "", ""},
}

// Prove instructs the user and waits until all calls have come, ctx ends or no call comes for too long. It is a
// doctor.Live for harnesses with a Guide.
func (p Prover) Prove(ctx context.Context, c doctor.LiveCase) (proof doctor.LiveProof, err error) {
	pr := recorder.In(p.StateDir, c.Harness.ID)
	unlock, err := alone(pr)
	if err != nil {
		return proof, err
	}
	defer unlock()                   // after everything else
	if err := pr.Arm(); err != nil { // removes what an earlier one left
		return proof, err
	}
	defer func() { err = errors.Join(err, pr.Disarm()) }()
	folder, state := filepath.Join(pr.Dir, "project"), filepath.Join(pr.Dir, "server")
	command := append(slices.Clone(p.Server), "--state", state, "--place", "meta,text,structured")
	if c.Front.Path != "" {
		command = c.Front.Before(command)
	}
	for name, content := range c.Harness.Proof.Guide.Project(c.Server, command) {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, content, 0o600)); err != nil {
			return proof, err
		}
	}
	p.instruct(c, folder)
	calls, err := p.watch(ctx, state)
	if err != nil {
		return proof, err
	}
	records, err := pr.Records()
	for _, f := range learnt(calls, records) {
		p.Say(f)
	}
	return judge(calls, records, c.Way != setup.ByRelay), err
}

// alone locks the harness, so that two checks do not mix their records.
func alone(pr recorder.Probe) (unlock func(), err error) {
	path := pr.Dir + ".lock"
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	l := flock.New(path, flock.SetPermissions(0o600), flock.SetFlag(os.O_CREATE|os.O_RDWR)) // a pipe there does not block
	switch locked, err := l.TryLock(); {
	case err != nil:
		return nil, err
	case !locked:
		return nil, errors.New("another check of it is under way")
	}
	return func() {
		_ = os.Remove(path) // the next lock creates a new one
		_ = l.Close()
		_ = os.Remove(filepath.Dir(path)) // fails if it holds another harness's lock
	}, nil
}

func (p Prover) instruct(c doctor.LiveCase, folder string) {
	p.Say(c.Harness.Name + " cannot be run from here, so you have it make the calls:")
	all := append(c.Harness.Proof.Guide.Open(folder, c.Server), "Type this into a new chat, and let the calls through:")
	for i, line := range all {
		p.Say(fmt.Sprintf("  %d  %s", i+1, line))
	}
	p.Say("")
	calls := lists.Map(steps, func(s step) string { return strings.TrimSpace(s.tool+" "+s.args) + s.aside })
	p.Say(fmt.Sprintf("     Call these tools of the MCP server %s, one after the other, and nothing else: %s. Give each call the argument label %q, and never a session_token.",
		c.Server, strings.Join(calls, ", "), label))
	p.Say("")
	p.Say("Waiting for the calls; ctrl-c ends it.")
}

// watch reports each call as it arrives, and returns all.
func (p Prover) watch(ctx context.Context, state string) ([]refserver.Call, error) {
	seen, last := 0, time.Now()
	for {
		calls, err := refserver.ReadLedger(state)
		if err != nil {
			return nil, err
		}
		for ; seen < len(calls); seen++ {
			p.Say(fmt.Sprintf("  %d  %s arrived%s", seen+1, calls[seen].Tool, carried[calls[seen].Verdict]))
			last = time.Now()
		}
		if len(calls) >= len(steps) || time.Since(last) > patience {
			// The hook after the last call may still be running.
			time.Sleep(glance)
			return calls, nil
		}
		select {
		case <-ctx.Done():
			return calls, nil
		case <-time.After(glance):
		}
	}
}

var carried = map[refserver.Verdict]string{
	refserver.Right: " with the right value", refserver.Stale: " with an older value", refserver.Unknown: " with a value that is not the server's",
	refserver.Missing: " without a value", refserver.NotNeeded: "",
}

// judge turns the server's ledger into a proof. hooked reports whether hooks of wsi take part.
func judge(calls []refserver.Call, records []recorder.Record, hooked bool) doctor.LiveProof {
	if len(calls) == 0 {
		why := "no call has arrived"
		if len(records) > 0 {
			why = "the hooks ran, but no call has arrived at the server of this folder: has another one of the same name answered?"
		}
		return doctor.LiveProof{Cannot: why}
	}
	proof := doctor.LiveProof{Saw: fmt.Sprintf("wsi's test server saw %d calls", len(calls))}
	for _, c := range calls {
		if c.Verdict == refserver.NotNeeded {
			continue
		}
		proof.Needed++
		if c.Verdict == refserver.Right {
			proof.Right++
		} else if proof.Wrong == "" {
			proof.Wrong = c.Tool + " came" + carried[c.Verdict]
		}
	}
	switch {
	case hooked && len(records) == 0:
		proof.Wrong = "no hook of wsi's was run"
	case proof.Needed == 0 && proof.Wrong == "":
		return doctor.LiveProof{Cannot: "only the first call has arrived"}
	}
	return proof
}

// learnt has facts about the harness that the calls have shown and its documentation does not state.
func learnt(calls []refserver.Call, records []recorder.Record) []string {
	if len(records) == 0 {
		return nil
	}
	before, after := only(records, harnesses.Inject), only(records, harnesses.Capture)
	facts := []string{"", "What this has shown of the harness:"}
	say := func(fact string) { facts = append(facts, "  - "+fact) }
	ask := func(fact string, seen, yes bool) {
		switch {
		case !seen:
			say(fact + ": not seen")
		case yes:
			say(fact + ": yes")
		default:
			say(fact + ": no")
		}
	}
	injected := slices.ContainsFunc(before, func(r recorder.Record) bool { return r.Did == string(carry.Injected) })
	right := slices.ContainsFunc(calls, func(c refserver.Call) bool { return c.Verdict == refserver.Right })
	failed := slices.ContainsFunc(calls, func(c refserver.Call) bool { return c.Error })
	ask("changed arguments reach the server", injected, right)
	ask("a result's _meta is shown to hooks", len(after) > 0, anyHas(after, "_meta"))
	ask("structured content is shown to hooks", len(after) > 0, anyHas(after, "structuredContent"))
	ask("the event before a call names the server", len(before) > 0, anyHas(before, "mcp_server_name"))
	ask("results that are errors are shown to hooks", failed, slices.ContainsFunc(after, errs))
	ask("a call without a required argument reaches the hook", len(before) > 1, slices.ContainsFunc(before, lacks))
	say(fmt.Sprintf("the hook before a call ran %d times for %d calls", len(before), len(calls)))
	say("events: " + strings.Join(texts(records, "hook_event_name"), ", "))
	say("tools are called: " + strings.Join(texts(before, "tool_name"), ", "))
	return facts
}

func only(records []recorder.Record, verb string) []recorder.Record {
	return slices.DeleteFunc(slices.Clone(records), func(r recorder.Record) bool { return r.Verb != verb })
}

func anyHas(records []recorder.Record, member string) bool {
	return slices.ContainsFunc(records, func(r recorder.Record) bool {
		return has(r.Event, func(key string, _ any) bool { return key == member })
	})
}

func errs(r recorder.Record) bool {
	return has(r.Event, func(key string, v any) bool {
		return key == "isError" && v == true || key == "hook_event_name" && v == "postToolUseFailure"
	})
}

// lacks reports whether an event's call has no session_token although its tool requires one.
func lacks(r recorder.Record) bool {
	event, _ := r.Event.(map[string]any)
	name, _ := event["tool_name"].(string)
	return !strings.HasSuffix(name, "start_session") && !has(event["tool_input"], func(key string, _ any) bool { return key == "session_token" })
}

// has looks for a member anywhere in a skeleton.
func has(v any, want func(key string, v any) bool) bool {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			if want(key, inner) || has(inner, want) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(inner any) bool { return has(inner, want) })
	}
	return false
}

// texts returns the distinct texts of a member of events.
func texts(records []recorder.Record, member string) (all []string) {
	for _, r := range records {
		event, _ := r.Event.(map[string]any)
		text, _ := event[member].(string)
		all = lists.AddUnique(all, text)
	}
	return all
}
