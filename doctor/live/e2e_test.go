//go:build e2e

package live

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/internal/testkit/buildtest"
	"wsi/internal/testkit/programtest"
)

var (
	wsi, server string // built once
	table       struct {
		sync.Mutex
		rows []row
	}
)

// row is what the server saw in a scenario.
type row struct {
	harness, version, way, scenario, outcome string
	took                                     time.Duration
}

func TestMain(m *testing.M) {
	if dir := os.Getenv("WSI_TEST_FORMS"); dir != "" {
		serveForms(dir)
		return
	}
	flag.Parse()
	var compared []comparison
	if *newest {
		compared = takeNewest()
		if !slices.ContainsFunc(compared, comparison.runs) {
			report(os.Stdout, compared, nil)
			os.Exit(0)
		}
	}
	dir, err := os.MkdirTemp("", "wsi-e2e-")
	if err == nil {
		wsi, err = build(dir, "wsi", "wsi/cmd/wsi")
	}
	if err == nil {
		server, err = build(dir, "refserver", "wsi/internal/refserver/cmd/refserver")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "HARNESS\tVERSION\tWIRED BY\tSCENARIO\tWHAT THE SERVER SAW\tTIME")
	slices.SortFunc(table.rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.harness, b.harness), cmp.Compare(a.version, b.version), cmp.Compare(a.way, b.way), cmp.Compare(a.scenario, b.scenario))
	})
	for _, r := range table.rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%.0f s\n", r.harness, r.version, r.way, r.scenario, r.outcome, r.took.Seconds())
	}
	_ = w.Flush()
	report(os.Stdout, compared, table.rows)
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func build(dir, name, pkg string) (string, error) {
	path := filepath.Join(dir, name)
	return path, buildtest.Build(path, pkg)
}

// TestHarnesses is the measure of everything: the right token reached the server, in every call of
// every scenario, through each harness's own binary, in each way it is wired.
func TestHarnesses(t *testing.T) {
	for _, h := range slices.Concat(installed, openCode2s, relayFirst) {
		t.Run(h.String(), func(t *testing.T) {
			h.program(t) // installed before two want it at once
			for _, c := range h.trials() {
				t.Run(string(c.way)+", "+c.Name, func(t *testing.T) {
					t.Parallel()
					start, h := time.Now(), h
					if c.driver != nil {
						h.driver = c.driver
					}
					r := h.rig(t, c.Scenario)
					r.Way = c.way
					o := runWired(t, r, c.Scenario)
					h.record(c.way, c.Name, o, start)
					if !o.OK() {
						t.Errorf("%s", o)
					}
					if bytes.Contains(bytes.Join(r.Model.bodies(), nil), []byte(harnesses.MarkArgument)) {
						t.Error("the model was shown the mark for the relay")
					}
				})
			}
		})
	}
}

// TestProject wires one project only: wsi runs in it, and nowhere else.
func TestProject(t *testing.T) {
	for _, h := range installed {
		t.Run(h.String(), func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			r := h.rig(t, short)
			home, work := snapshot(t, r.Home), snapshot(t, r.Work)
			if err := r.Setup(t.Context(), "--scope", "project"); err != nil {
				t.Fatal(err)
			}
			if len(snapshot(t, r.Work)) == len(work) {
				t.Error("wsi setup wrote nothing into the project")
			}
			o, err := short.Run(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			h.record(setup.ByHooks, "one project", o, start)
			if !o.OK() {
				t.Errorf("%s", o)
			}
			if err := r.Remove(context.WithoutCancel(t.Context()), "--scope", "project"); err != nil {
				t.Fatal(err)
			}
			if left := snapshot(t, r.Work); !maps.EqualFunc(work, left, bytes.Equal) {
				t.Errorf("wsi remove left %v in the project", slices.Collect(maps.Keys(left)))
			}
			if name := filepath.Join(r.Home, ".codex", "config.toml"); h.id == "codex" && !bytes.Equal(home[name], snapshot(t, r.Home)[name]) {
				t.Error("wsi remove left trust in the user's config.toml")
			}
		})
	}
}

// snapshot reads all files of a home.
func snapshot(t *testing.T, home string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		files[path] = content
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var short = Scenario{
	Name: "short",
	Scripts: Scripts{"short": {
		{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}},
		{{Tool: "get_activity", Args: `{}`}},
		{{Tool: "get_activity", Args: `{}`}},
	}},
	Runs: [][]string{{"short"}},
}

// TestBrokenHooksAreSeen shows that the suite does not just test itself: with the hook's answer broken
// on purpose the server receives something wrong, and the calls go through all the same.
func TestBrokenHooksAreSeen(t *testing.T) {
	for _, h := range installed {
		h.program(t)
		for name, c := range map[string]struct {
			script string // what stands in wsi's place; %[1]s is the real one
			want   string // regular expression
		}{
			"binary is gone":              {"", "missing"},
			"hook crashes":                {"#!/bin/sh\nkill -9 $$\n", "missing"},
			"hook prints garbage":         {"#!/bin/sh\necho '{\"hookSpecificOutput\":'\n", "missing"},
			"one character of the token":  {"#!/bin/sh\n%[1]s \"$@\" | sed -E 's/(session_token\":\")(.)(.)/\\1\\3\\2/'\n", "unknown"},
			"nothing is captured":         {"#!/bin/sh\n[ \"$1\" = capture ] || exec %[1]s \"$@\"\n", "missing"},
			"updatedInput is misspelt":    {"#!/bin/sh\n%[1]s \"$@\" | sed -E 's/updatedInput|\"set\"/\"x\"/'\n", "missing"},
			"decision of another harness": {otherDecision(h.id), "missing"},
			"answer is written down":      {"#!/bin/sh\n%[1]s \"$@\" | tee -a ~/debug.log\n", "a token in debug.log"},
			"token is told to the model":  {toldToTheModel(h.id), "[1-9] leaks"},
		} {
			if c.script == "skip" {
				continue
			}
			t.Run(h.String()+", "+name, func(t *testing.T) {
				t.Parallel()
				r := h.rig(t, short).wired(t, "")
				replaceWsi(t, r, c.script)
				seesWrong(t, r, c.want)
			})
		}
	}
}

// seesWrong checks that the server gets every call, and something wrong.
func seesWrong(t *testing.T, r *Rig, want string) {
	t.Helper()
	o, err := short.Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if o.OK() || o.Calls != o.Expected || !regexp.MustCompile(want).MatchString(o.String()) {
		t.Errorf("%s, want every call, and %s", o, want)
	}
}

// replaceWsi puts a script into wsi's place, in which %[1]s is the real one; "" = nothing.
func replaceWsi(t *testing.T, r *Rig, script string) {
	t.Helper()
	if err := os.Remove(r.wsi); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(script, "%[1]s") {
		script = fmt.Sprintf(script, wsi)
	}
	if script == "" {
		return
	}
	if err := programtest.WriteFile(r.wsi, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
}

// otherDecision is an answer that another harness would take. Claude Code takes Codex's, too, which
// is why doctor judges answers by each harness's rules and not by their effect alone.
func otherDecision(harness string) string {
	if harness == "codex" {
		return "#!/bin/sh\n%[1]s \"$@\" | sed -E 's/\"permissionDecision\":\"allow\",//'\n"
	}
	return "skip"
}

// toldToTheModel is an answer with the token in a note for the model. OpenCode's plugin takes none.
func toldToTheModel(harness string) string {
	if harness == "opencode" {
		return "skip"
	}
	return "#!/bin/sh\n%[1]s \"$@\" | sed -E 's/^(.\"hookSpecificOutput\":.)(.*session_token\":\")([^\"]+)/\\1\"additionalContext\":\"\\3\",\\2\\3/'\n"
}

// between is a program of Node's that a relay starts instead of the server. It starts the server, and changes
// what goes there and what comes back: each function of a message in JavaScript.
const between = `
const change = %s;
const command = process.argv.slice(process.argv.indexOf("--") + 1);
const child = require("node:child_process").spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
const pass = (from, to, how) =>
	require("node:readline").createInterface({ input: from }).on("line", (line) => {
		const message = JSON.parse(line);
		how?.(message);
		to.write(JSON.stringify(message) + "\n");
	});
pass(process.stdin, child.stdin, change.there).on("close", () => child.stdin.end());
pass(child.stdout, process.stdout, change.back);
child.on("exit", (code) => process.exit(code ?? 1));
`

// TestBrokenRelaysAreSeen is TestBrokenHooksAreSeen for what stands in front of the server.
func TestBrokenRelaysAreSeen(t *testing.T) {
	for _, h := range installed {
		h.program(t)
		for name, c := range map[string]struct {
			relay string // what is done in its place, in the shell; "" = it runs, with between before the server
			how   string // between's functions
			want  string // regular expression
		}{
			"nothing is injected":        {direct, "", "missing"},
			"an older value is injected": {"", `{ there: ({ params }) => { const a = params?.arguments; if (a?.session_token) a.session_token = globalThis.old ??= a.session_token; } }`, "stale"},
			"one character of the token": {"", `{ there: ({ params }) => { const a = params?.arguments; if (a?.session_token) a.session_token = a.session_token.replace(/(.)$/, (c) => c === "0" ? "1" : "0"); } }`, "unknown"},
			"the value comes twice":      {"", `{ back: ({ result }) => { const m = result?._meta; if (m?.session_token) m.copy = m.session_token; } }`, "a token in "},
			"the model is told":          {"", `{ back: ({ result }) => { const m = result?._meta; if (m?.session_token) result.content[0].text = "it ends in " + m.session_token.slice(-64); } }`, "[1-9] leaks .*a token in "},
		} {
			if h.id == "opencode" && name == "the value comes twice" {
				continue // it keeps no _meta
			}
			t.Run(h.String()+", "+name, func(t *testing.T) {
				t.Parallel()
				r := h.rig(t, short).wired(t, setup.ByRelay)
				file := filepath.Join(filepath.Dir(r.wsi), "between.cjs")
				relay := c.relay
				if relay == "" {
					relay = fmt.Sprintf("exec %s \"$1\" \"$2\" \"$3\" \"$4\" \"$5\" \"$6\" \"$7\" -- node \"${0%%/*}/between.cjs\" \"$@\"", wsi)
				}
				script := "#!/bin/sh\n[ \"$1\" = relay ] || exec " + wsi + " \"$@\"\n" + relay + "\n"
				if err := os.WriteFile(file, fmt.Appendf(nil, between, c.how), 0o600); err != nil {
					t.Fatal(err)
				}
				replaceWsi(t, r, script)
				seesWrong(t, r, c.want)
			})
		}
	}
}
