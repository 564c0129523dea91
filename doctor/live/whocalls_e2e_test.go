//go:build e2e

package live

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/harnesses/dialects"
	"wsi/harnesses/setup"
	"wsi/internal/testkit/programtest"
)

// caller is what the server was told of one call.
type caller struct{ Conversation, Agent string }

// recording makes a program that passes all lines on to the reference server and keeps them in a file.
func recording(t *testing.T) (program, file string) {
	t.Helper()
	dir := t.TempDir()
	program, file = filepath.Join(dir, "server"), filepath.Join(dir, "lines")
	if err := programtest.WriteFile(program, fmt.Appendf(nil, "#!/bin/sh\ntee -a %q | %q \"$@\"\n", file, server), 0o700); err != nil {
		t.Fatal(err)
	}
	return program, file
}

// callersIn returns what the server was told, by the scripts of the calls. Within a script it must be the same.
func callersIn(t *testing.T, file string) map[string]caller {
	t.Helper()
	lines, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	who, calls := map[string]caller{}, map[string]int{}
	for line := range bytes.Lines(lines) {
		var m struct {
			Method string
			Params struct {
				Arguments struct{ Label string }
				Meta      struct {
					Caller caller `json:"wsi/caller"`
				} `json:"_meta"`
			}
		}
		if json.Unmarshal(line, &m) != nil || m.Method != "tools/call" {
			continue
		}
		name, now := m.Params.Arguments.Label, m.Params.Meta.Caller
		if calls[name]++; calls[name] > 1 && who[name] != now {
			t.Errorf("in %s the server is told %+v and then %+v", name, who[name], now)
		}
		who[name] = now
	}
	return who
}

// whoScripts are a conversation that is resumed twice, and another one. With agents, two runs start a sub-agent.
func whoScripts(agents bool) Scripts {
	call := func(tool string) Turn { return Turn{{Tool: tool, Args: `{}`}} }
	s := Scripts{
		"main":      {{{Tool: opening, Args: `{"workflow_id":"demo"}`}}, call("get_activity")},
		"resumed":   {call("get_activity"), call("get_workflow")},
		"compacted": {call("get_activity"), call("get_activity"), call("get_activity")},
		"after":     {call("get_activity")},
		"forked":    {{{Tool: opening, Args: `{"workflow_id":"demo"}`}}, call("get_activity")},
		"other":     {{{Tool: opening, Args: `{"workflow_id":"demo"}`}}},
	}
	if agents {
		s["helper"], s["worker"] = Script{call("get_activity"), call("get_workflow")}, Script{call("get_activity")}
		s["main"] = append(s["main"], Turn{{Sub: "helper"}}, call("get_activity"))
		s["resumed"] = append(s["resumed"], Turn{{Sub: "worker"}}, call("get_activity"))
	}
	return s
}

// TestWhoCalls: a rule has the server told who calls. The ids stay when a conversation is resumed, after a compaction too where one
// can be made headless, and differ between agents and between conversations, a fork and its origin included. A harness that does not name the agent has only a
// conversation, and one that names nothing has nothing.
func TestWhoCalls(t *testing.T) {
	for _, h := range installed {
		way := setup.ByJoin
		if h.harness == "codex" {
			way = setup.ByRelay
		}
		t.Run(h.harness+"-"+h.version, func(t *testing.T) {
			t.Parallel()
			program, file := recording(t)
			r, err := New(Options{Harness: h.harness, Binary: harness(t, h.harness, h.version, h.binary), Wsi: linked(t), Server: []string{program}, Dir: t.TempDir(), Path: os.Getenv("PATH"), Script: whoScripts(true)})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = r.Close() })
			r.Way = way
			provesCallers(t, r, h.version, file, true)
		})
	}
	for _, h := range relayFirst {
		t.Run(h.id+"-"+h.version, func(t *testing.T) {
			t.Parallel()
			program, file := recording(t)
			r := h.rig(t, Scenario{Scripts: whoScripts(false)}, h.tool, program)
			r.Way = setup.ByRelay
			provesCallers(t, r, h.version, file, false)
		})
	}
}

// compactions are how a conversation is compacted headless, and what the harness then writes into its record of it.
var compactions = map[string]struct {
	flags          []string
	prompt, record string
}{
	"claude-code": {prompt: "/compact", record: "compact_boundary"},
	"codex":       {[]string{"-c", "model_auto_compact_token_limit=1"}, "Work through the script. " + marker("compacted"), `"type":"compacted"`},
}

// forks turn the arguments that resume a conversation into those that fork it.
var forks = map[string]func(args []string) []string{
	"claude-code": func(args []string) []string { return append(args, "--fork-session") },
	"codex": func(args []string) []string {
		args[slices.Index(args, "resume")] = "fork"
		return args
	},
	"opencode": func(args []string) []string { return slices.Insert(args, 1, "--fork") },
}

// wrote reports whether a file below the home has a text.
func (r *Rig) wrote(t *testing.T, text string) (found bool) {
	t.Helper()
	err := filepath.WalkDir(r.Home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		found = found || bytes.Contains(content, []byte(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func provesCallers(t *testing.T, r *Rig, version, file string, agents bool) {
	t.Helper()
	start := time.Now()
	if err := r.write(ruleFile, "[[carry]]\nname = \"workflow-server token\"\ncaller = true\n"); err != nil {
		t.Fatal(err)
	}
	if err := r.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	prompt := func(script, session string) string {
		t.Helper()
		id, err := r.Prompt(t.Context(), script, session)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	session := prompt("main", "")
	if !agents && dialects.Get(r.id).Capabilities.SessionVariable == "" {
		if who := callersIn(t, file); len(who) != 1 || who["main"] != (caller{}) {
			t.Errorf("nothing says who calls, and the server is told %+v", who)
		}
		return
	}
	prompt("resumed", session)
	if c, ok := compactions[r.id]; ok {
		args, env := r.driver.command(r, "compact", session, c.prompt)
		if out, err := r.run(t.Context(), r.binary, append(c.flags, args...), env); err != nil || !r.wrote(t, c.record) {
			t.Fatalf("no compaction: %v\n%s", err, tail(out))
		}
	}
	if fork, ok := forks[r.id]; ok {
		args, env := r.driver.command(r, "forked", session, "Work through the script. "+marker("forked"))
		if out, err := r.run(t.Context(), r.binary, fork(args), env); err != nil {
			t.Fatalf("no fork: %v\n%s", err, tail(out))
		}
	}
	prompt("after", session)
	prompt("other", "")

	who := callersIn(t, file)
	main := who["main"]
	want := map[string]caller{"main": main, "resumed": main, "after": main, "other": who["other"]}
	if _, ran := who["compacted"]; ran {
		want["compacted"] = main
	}
	ids := []string{main.Conversation, who["other"].Conversation}
	if forks[r.id] != nil {
		want["forked"] = who["forked"]
		ids = append(ids, who["forked"].Conversation, who["forked"].Agent)
	}
	if agents {
		for _, sub := range []string{"helper", "worker"} {
			want[sub] = caller{main.Conversation, who[sub].Agent}
			ids = append(ids, who[sub].Agent)
		}
		ids = append(ids, main.Agent, who["other"].Agent)
	}
	var o Outcome
	o.Calls, o.Expected = len(who), len(want)
	for name := range want {
		if who[name] != want[name] {
			o.Wrong = append(o.Wrong, fmt.Sprintf("in %s the server is told %+v, want %+v", name, who[name], want[name]))
		}
	}
	for i, id := range ids {
		if len(id) != 32 || slices.Contains(ids[:i], id) || strings.Contains(strings.ReplaceAll(session, "-", ""), id) {
			o.Wrong = append(o.Wrong, fmt.Sprintf("%q is not an id of its own: %q", id, ids))
		}
		if r.Model.most(id) > 0 {
			o.Leaks++
		}
	}
	for _, id := range ids {
		if id != "" && r.wrote(t, id) {
			o.Wrong = append(o.Wrong, "an id is in a file below the home")
		}
	}
	record(r.id, version, r.Way, fmt.Sprintf("who calls: %d callers", len(who)), o, start)
	if !o.OK() {
		t.Errorf("%s", o)
	}
}
