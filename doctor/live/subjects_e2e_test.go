//go:build e2e

package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/harnesses/opencode"
	"wsi/harnesses/setup"
	"wsi/internal/testkit/npmtest"
)

// subject is a harness in one version.
type subject struct {
	id, version, binary string // binary: pattern below node_modules
	driver              driver // nil: that of the doctor
}

// installed are the binaries that CI asks: pinned, from npm, with lockfiles of ours. Each of them is to carry every value in each way;
// what hooks do not see is in TestLimits.
var installed = []subject{
	{"claude-code", "2.1.197", "@anthropic-ai/claude-code-*/claude", nil},
	{"claude-code", "2.1.332", "@anthropic-ai/claude-code-*/claude", nil},
	{"codex", "0.171.0", "@openai/codex-*/vendor/*/bin/codex", nil},
	{"opencode", "1.18.33", "opencode-linux-x64-baseline/bin/opencode", nil},
}

// openCode2s is OpenCode 2. The package opencode-ai, which has OpenCode 1, does not have it.
var openCode2s = []subject{{opencode.ID, "2.0.15", "@opencode/cli-linux-x64-baseline/bin/opencode", nil}}

// subjects are all harnesses that are run, apart from OpenCode 2.
func subjects() []subject { return slices.Concat(installed, relayFirst) }

// subjectOf returns the first version of a harness.
func subjectOf(id string) subject {
	all := subjects()
	return all[slices.IndexFunc(all, func(s subject) bool { return s.id == id })]
}

func (s subject) String() string { return s.id + "-" + s.version }

// everyHarness runs a test in each harness.
func everyHarness(t *testing.T, name string, test func(t *testing.T, s subject)) {
	t.Helper()
	for _, s := range subjects() {
		t.Run(s.String()+"/"+name, func(t *testing.T) { test(t, s) })
	}
}

// program installs the binary with npm and returns its path.
func (s subject) program(t *testing.T) string {
	t.Helper()
	binary, err := found(modulesOf(t, s.id, s.version), s.binary)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// modulesOf returns the folder node_modules with a version of a harness.
func modulesOf(t *testing.T, name, version string) string {
	t.Helper()
	if modules, ok := newestModules[name+"-"+version]; ok {
		return modules
	}
	return npmtest.Install(t, filepath.Join("testdata", "npm", name+"-"+version))
}

func found(modules, pattern string) (string, error) {
	all, err := filepath.Glob(filepath.Join(modules, filepath.FromSlash(pattern)))
	if err != nil || len(all) == 0 {
		return "", errors.Join(fmt.Errorf("npm installed no %s in %s", pattern, modules), err)
	}
	return all[0], nil
}

// linked puts wsi into a folder of its own.
func linked(t *testing.T) string {
	t.Helper()
	own := filepath.Join(t.TempDir(), "Zoë's $bin", "wsi") // what a shell would take apart
	if err := os.Mkdir(filepath.Dir(own), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(wsi, own); err != nil {
		t.Fatal(err)
	}
	return own
}

// rig makes a home for a scenario, with a wsi of its own in it.
func (s subject) rig(t *testing.T, scenario Scenario) *Rig {
	t.Helper()
	return s.rigWith(t, scenario, server)
}

// rigWith is rig with another program as the server.
func (s subject) rigWith(t *testing.T, scenario Scenario, program string) *Rig {
	t.Helper()
	return newStage(t, Options{Harness: s.id, Version: s.version, Binary: s.program(t), Server: []string{program}}, s.driver, scenario)
}

// newStage makes a rig in which the model can wait, and copy values.
func newStage(t *testing.T, o Options, d driver, s Scenario) *Rig {
	t.Helper()
	if o.Wsi == "" {
		o.Wsi = linked(t)
	}
	o.Dir, o.Path, o.Flags, o.Script = t.TempDir(), os.Getenv("PATH"), s.Flags, s.Scripts
	create := New
	if d != nil {
		create = func(o Options) (*Rig, error) { return newRig(o, d) }
	}
	r, err := create(o)
	if err != nil {
		t.Fatal(err)
	}
	onStage(r)
	if d, ok := d.(interface{ prepare(r *Rig) }); ok {
		d.prepare(r)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// trial is a scenario, in one way.
type trial struct {
	way setup.Mode
	Scenario
	driver driver // nil: that of the subject
}

// trials are all that a harness is tried with.
func (s subject) trials() (all []trial) {
	if h, ok := s.driver.(relayFirstHarness); ok {
		atOnce := Scenarios[slices.IndexFunc(Scenarios, func(s Scenario) bool { return len(s.Runs[0]) > 1 })]
		return []trial{{setup.ByRelay, h.relayed(), nil}, {setup.ByRelay, atOnce, nil}}
	}
	second := s.id == opencode.ID && setup.Newer(s.version, "1.999")
	for _, way := range setup.Modes {
		for _, c := range Scenarios {
			switch {
			case slices.Contains(c.Not, s.id) || slices.Contains(c.Not, s.id+"/"+string(way)):
				continue
			case s.version == "2.1.197" && way == setup.ByHooks && c.Name == "sub-agents":
				c = SubAgentsInText
			case second && way == setup.ByHooks && c.Name == "token only in block-meta": // hooks see no _meta in OpenCode 2
				continue
			case second && way == setup.ByHooks && !slices.Contains(c.Flags, "-place"):
				c.Flags, c.Shown = append(slices.Clone(c.Flags), "-place", "meta,text"), true
			}
			all = append(all, trial{way, c, nil})
			if second && way == setup.ByRelay { // what setup chooses
				c.Name += ", direct"
				all = append(all, trial{way, c, directly{}})
			}
		}
	}
	return all
}

// relayed is what only a relay carries: the value of an error, and those of two calls in one answer of the model. They are alike, for
// Copilot CLI makes such calls in either order. Where the harness tells servers the session, a second run goes on with it, with
// another relay.
func (h relayFirstHarness) relayed() Scenario {
	twice := Turn{{Tool: "get_activity", Args: `{}`}, {Tool: "get_activity", Args: `{}`}}
	if h.once {
		twice[1].Tool = "get_workflow"
	}
	s := Scenario{
		Name: "relay: carry, fail, call twice at once", Flags: []string{"-rotate-on-error"},
		Scripts: Scripts{"first": {
			{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
			{{Tool: "get_workflow", Args: `{}`}},
			{{Tool: "next_activity", Args: `{"activity_id":"no-such-activity"}`}},
			twice,
		}},
		Runs: [][]string{{"first"}},
	}
	if h.resumes {
		s.Name += ", resume"
		s.Scripts["resumed"] = Script{{{Tool: "get_activity", Args: `{}`}}, {{Tool: "next_activity", Args: `{"activity_id":"design"}`}}}
		s.Runs, s.Resume = append(s.Runs, []string{"resumed"}), true
	}
	return s
}

// record adds a row to the table. Without a way, wsi is not wired.
func (s subject) record(way setup.Mode, scenario string, o Outcome, start time.Time) {
	record(s.id, s.version, way, scenario, o, start)
}

func record(name, version string, way setup.Mode, scenario string, o Outcome, start time.Time) {
	table.Lock()
	defer table.Unlock()
	table.rows = append(table.rows, row{name, version, string(way), scenario, o.String(), time.Since(start)})
}

// came returns the tools that were called, with the server's verdicts.
func (r *Rig) came(t *testing.T) (all []string) {
	t.Helper()
	calls, err := r.Calls()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range calls {
		all = append(all, c.Tool+" "+string(c.Verdict))
	}
	return all
}

// prompt runs the harness until the model has finished a script.
func (r *Rig) prompt(t *testing.T, script, session string) string {
	t.Helper()
	id, err := r.Prompt(t.Context(), script, session)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// wired sets wsi up.
func (r *Rig) wired(t *testing.T, way setup.Mode) *Rig {
	t.Helper()
	r.Way = way
	if err := r.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// runWired sets wsi up, runs the scenario and takes wsi out again: every file that setup touched must
// be as it was, or as the harness would have made it without wsi.
func runWired(t *testing.T, r *Rig, s Scenario) Outcome {
	t.Helper()
	before := snapshot(t, r.Home)
	if err := r.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	wired := snapshot(t, r.Home)
	o, err := s.Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	ran := snapshot(t, r.Home)
	if err := r.Remove(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	after := snapshot(t, r.Home)
	touched := 0
	for path, content := range wired {
		if bytes.Equal(before[path], content) || strings.Contains(path, "/state/wsi/") {
			continue
		}
		touched++
		was, there := before[path]
		left, kept := after[path]
		switch {
		case !there && kept:
			t.Errorf("wsi remove left %s:\n%s", path, left)
		case there && bytes.Equal(content, ran[path]):
			if !bytes.Equal(was, left) {
				t.Errorf("after wsi remove %s is not as it was:\n%s", path, left)
			}
		case there:
			rewritten(t, path, was, ran[path], left)
		}
	}
	if touched == 0 {
		t.Error("wsi setup changed nothing")
	}
	return o
}

// rewritten compares a file after wsi remove with what it was when the harness, which rewrote it in the meantime, had left it: what
// names wsi is as it was before, all else is as the harness left it, and it is written in the same style.
func rewritten(t *testing.T, path string, was, ran, left []byte) {
	t.Helper()
	old, want, now := decoded(t, was), decoded(t, ran), decoded(t, left)
	for member, value := range want {
		if strings.Contains(value, "wsi") {
			want[member] = old[member]
		}
	}
	maps.DeleteFunc(want, func(_, value string) bool { return value == "" })
	if !maps.Equal(want, now) {
		t.Errorf("after wsi remove %s has %s\nwant %s", path, now, want)
	}
	if indented(t, ran) && !indented(t, left) {
		t.Errorf("%s is not written as the harness writes it:\n%s", path, left)
	}
}

// decoded are the members of a JSON object, compact.
func decoded(t *testing.T, raw []byte) map[string]string {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	all := map[string]string{}
	for name, value := range members {
		all[name] = compact(t, value)
	}
	return all
}

func compact(t *testing.T, raw []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// indented reports whether a file is indented as by JSON.stringify with two spaces.
func indented(t *testing.T, raw []byte) bool {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(compact(t, raw)), "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.String() == strings.TrimSuffix(string(raw), "\n")
}
