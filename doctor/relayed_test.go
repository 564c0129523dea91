package doctor

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/harnesses/registry"
	"wsi/installer"
)

// front has setup put wsi in front of the server of one harness, in the way that is asked for.
func (w *world) front(id string, way harnesses.Way) {
	w.t.Helper()
	h, ok := registry.Get(id)
	if !ok {
		w.t.Fatal(id)
	}
	plan, err := installer.PlanSetup(installer.Options{
		Env: w.env(), FS: installer.Disk{}, StateDir: w.state(), Harnesses: []harnesses.Harness{h}, Scope: harnesses.User, Way: way,
		Program: harnesses.Program{Path: w.bin, Servers: []string{harnesses.DefaultServer}}, Trust: true,
	})
	if err != nil || len(plan.Refusals) > 0 {
		w.t.Fatal(err, plan.Refusals)
	}
	if err := installer.Apply(w.t.Context(), installer.Disk{}, plan, nil); err != nil {
		w.t.Fatal(err)
	}
	w.harnessList = []harnesses.Harness{h}
	w.only = []string{"token.delivered", "hook.registered", "hook.runnable", "server.registered"}
}

var fronted = []struct {
	id  string
	way harnesses.Way
}{{"claude-code", harnesses.ByJoin}, {"claude-code", harnesses.ByRelay}, {"codex", harnesses.ByRelay}, {"opencode", harnesses.ByRelay}, {"cursor", harnesses.ByRelay}}

// A relay is rehearsed as it is registered, and all values arrive.
func TestRelayIsRehearsed(t *testing.T) {
	for _, c := range fronted {
		t.Run(c.id+" by "+string(c.way), func(t *testing.T) {
			w := newWorld(t, "")
			w.front(c.id, c.way)
			r := w.examine()
			if ids := r.with(Fail); len(ids) > 0 || !slices.Contains(r.with(OK), c.id+".token.delivered") {
				t.Errorf("broken %v, well %v\n%s", ids, r.with(OK), w.shown(r))
			}
			if len(w.issued) < 3 || !strings.Contains(w.shown(r), "all of them through wsi relay") {
				t.Errorf("%d values were handed out:\n%s", len(w.issued), w.shown(r))
			}
		})
	}
}

// What can go wrong with a relay turns the rehearsal red, and nothing else.
func TestSpoiltRelays(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what stands in for wsi is a shell script")
	}
	for name, c := range map[string]struct {
		id, script, says string
		way              harnesses.Way
		harm             func(*world)
	}{
		"it only passes on": {
			"codex", `if [ "$1" = relay ]; then while [ "$1" != -- ]; do shift; done; shift; exec "$@"; fi; exec "$WSI" "$@"`,
			"leaves the value in a result", harnesses.ByRelay, nil,
		},
		"it does not start":         {"codex", `[ "$1" = relay ] && exit 3; exec "$WSI" "$@"`, "exit status 3", harnesses.ByRelay, nil},
		"it knows no relay":         {"opencode", `[ "$1" = relay ] && { echo 'unknown command' >&2; exit 2; }; exec "$WSI" "$@"`, "unknown command", harnesses.ByRelay, nil},
		"the hook notes nothing":    {"claude-code", `for a; do shift; [ "$a" = --join ] || set -- "$@" "$a"; done; exec "$WSI" "$@"`, "of 5 right", harnesses.ByJoin, nil},
		"the relay was taken away":  {"claude-code", "", "no wsi relay in front", harnesses.ByJoin, func(w *world) { w.write(".claude.json", servers[".claude.json"]) }},
		"it is in front of a goner": {"cursor", "", "rehearsed", harnesses.ByRelay, func(w *world) { w.replace(".cursor/mcp.json", w.bin, "/gone/wsi") }},
		"another harness is named":  {"codex", "", "of", harnesses.ByRelay, func(w *world) { w.replace(codexConfig, `"--harness", "codex"`, `"--harness", "claude-code"`) }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "")
			w.front(c.id, c.way)
			if c.script != "" {
				w.standIn(c.script)
			}
			if c.harm != nil {
				c.harm(w)
			}
			r := w.examine()
			if ids := r.with(Fail); !slices.Equal(ids, one(c.id+".token.delivered")) || !strings.Contains(w.shown(r), c.says) {
				t.Errorf("broken %v\n%s", ids, w.shown(r))
			}
		})
	}
}
