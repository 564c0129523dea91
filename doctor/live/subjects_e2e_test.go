//go:build e2e

package live

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
