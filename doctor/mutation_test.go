package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wsi/doctor/prose"
	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/installer/inspect"
	"wsi/internal/testkit/envtest"
	"wsi/internal/tui"
)

// mutation is a home in which one link is broken, and the ids that must tell so: no others may.
type mutation struct {
	name   string
	worst  report.Status // of the ids
	ids    []string
	script string // what runs as wsi, "" = wsi
	harm   func(*world)
}

func one(id string) []string { return []string{id} }

// everywhere is a check's id for every harness that the mutations break together.
func everywhere(id string) []string {
	return []string{"claude-code." + id, "codex." + id, "cursor." + id, "opencode." + id}
}

// Files of the world.
const (
	claudeHooks = ".claude/settings.json"
	codexHooks  = ".codex/hooks.json"
	codexConfig = ".codex/config.toml"
	cursorHooks = ".cursor/hooks.json"
	plugin      = ".config/opencode/plugin/wsi.js"
	openConfig  = ".config/opencode/opencode.json"
)

// swap replaces a text in a file.
func swap(file, old, with string) func(*world) {
	return func(w *world) { w.replace(file, old, with) }
}

// put writes a file.
func put(file, content string) func(*world) { return func(w *world) { w.write(file, content) } }

// relay wires a harness by a relay, and then does more harm.
func relay(id string, more ...func(*world)) func(*world) {
	return func(w *world) {
		w.rewire(id, setup.ByRelay, harnesses.DefaultServer, w.state())
		for _, harm := range more {
			harm(w)
		}
	}
}

// mutations break every link that is there to be broken. A check without one is an error.
var mutations = slices.Concat(ofHarness, ofRegistration, ofServer, ofRelay, ofTrust, ofRunning, ofDelivery, ofWsi)

// In every world exactly one thing is broken. Exactly its ids must say so, and their fixes must repair it.
func TestMutations(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("shell scripts stand in for wsi")
	}
	for i, m := range mutations {
		if testing.Short() && i%10 != 0 {
			continue
		}
		t.Run(m.ids[0]+"/"+m.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, m.script)
			if m.harm != nil {
				m.harm(w)
			}
			w.only = rehearsing(m)
			r := w.examine()
			for _, s := range []report.Status{report.Fail, report.Warn} {
				got, want := withStatus(r, s), []string{}
				if m.worst == s {
					want = slices.Sorted(slices.Values(m.ids))
				}
				slices.Sort(got)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s\n%s", s, diff, w.said(r, s))
				}
			}
			for _, id := range m.ids {
				if !slices.Contains(withStatus(r, m.worst), id) {
					t.Errorf("%s is not %s", id, m.worst)
				}
			}
			w.sameInBoth(r)
			if r.Healthy() != (m.worst != report.Fail) {
				t.Error("healthy or not is not what was found")
			}
			if m.worst == report.Warn || m.worst == report.Fail {
				m.fixes(w, r)
			}
		})
	}
}

// sameInBoth expects the same findings in the text and in the JSON of a report; without -v the text has all that are wrong, each with
// its fix.
func (w *world) sameInBoth(r report.Report) {
	w.t.Helper()
	var whole, text, encoded strings.Builder
	wide := prose.Style{Show: w.short, Width: 1000, Theme: tui.Plain(true)}
	verbose := wide
	verbose.Verbose = true
	w.must(errors.Join(verbose.Text(&whole, r), wide.Text(&text, r), r.JSON(&encoded, w.short)))
	var said struct {
		Checks    []report.Finding
		Harnesses []struct{ Checks []report.Finding }
	}
	w.must(json.Unmarshal([]byte(encoded.String()), &said))
	all := said.Checks
	for _, h := range said.Harnesses {
		all = append(all, h.Checks...)
	}
	if strings.Contains(encoded.String(), ": null") {
		w.t.Errorf("the JSON has a null:\n%s", encoded.String())
	}
	if lines := regexp.MustCompile(`(?m)^  \[..\] `).FindAllString(whole.String(), -1); len(lines) != len(all) || len(all) == 0 {
		w.t.Errorf("the JSON has %d findings, the text %d:\n%s", len(all), len(lines), whole.String())
	}
	for _, f := range all {
		mark := wide.Theme.Symbol(prose.States[f.Status])
		if line := "  " + mark + " " + f.ID + "  " + f.Text; !strings.Contains(whole.String(), line) {
			w.t.Errorf("the text lacks %q", line)
		}
		if wrong := f.Status == report.Fail || f.Status == report.Warn; wrong && (!strings.Contains(text.String(), f.Text) || !strings.Contains(text.String(), f.Fix.Command)) {
			w.t.Errorf("the text without -v lacks %q, or %q:\n%s", f.Text, f.Fix.Command, text.String())
		}
	}
}

// rehearsing are all checks, but of rehearsals, which take the time, only one, and only where hooks are
// broken, unless they are what is broken.
func rehearsing(m mutation) []string {
	ids := withoutRehearsal()
	if harness, check, _ := strings.Cut(m.ids[0], "."); strings.HasPrefix(check, "hook.") {
		ids = append(ids, harness+".token.delivered")
	}
	return slices.Concat(ids, m.ids)
}

// withoutRehearsal are all checks but the one that rehearses, which takes nine tenths of the time.
func withoutRehearsal() (ids []string) {
	for _, c := range List() {
		if c.ID != report.TokenDelivered {
			ids = append(ids, string(c.ID))
		}
	}
	return ids
}

// What is neither good nor bad in a world where all is well: known by hand, so that nothing hides here.
var (
	toKnow = []string{
		"wsi.vault", "claude-code.hook.trusted", "cursor.hook.trusted", "opencode.hook.trusted",
		"cursor.token.delivered", // no rehearsal can tell it
	}
	untold = slices.Concat([]string{
		"claude-code.hook.listed",
		"cursor.hook.enabled", "cursor.hook.listed",
		"opencode.hook.listed", "opencode.hook.matches",
	}, everywhere("server.fronted"), everywhere("relay.runnable"), everywhere("relay.answers"))
)

// Where all is well, all is well. No check is without a mutation, and none of a harness that has something to say there.
func TestHealthyLive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.leaveOut()
	w.goLive()
	trap := filepath.Join(w.home, "trap") // hooks of others in the same file are never run
	w.replace(claudeHooks, `"PreToolUse": [`, `"PreToolUse": [{"matcher":"mcp__.*","hooks":[{"type":"command","command":`+quoted("touch "+trap)+`}]},`)
	r := w.examine()
	if _, err := os.Stat(trap); err == nil || strings.Contains(w.shown(r), trap) {
		t.Error("the doctor ran another's hook, or shows its arguments")
	}
	if len(w.issued) < 50 {
		t.Errorf("only %d values were issued", len(w.issued))
	}
	broken := map[string]bool{}
	for _, m := range mutations {
		for _, id := range m.ids {
			broken[id] = true
			if harness, check, _ := strings.Cut(id, "."); harness != "wsi" {
				broken[check] = true
			}
			if harness, _, _ := strings.Cut(id, "."); w.has(harness) && found(r, id) == "" {
				t.Errorf("a mutation names %s, which is not a check", id)
			}
		}
	}
	for _, c := range List() {
		if !broken[string(c.ID)] {
			t.Errorf("no mutation breaks %s", c.ID)
		}
	}
	for _, f := range r.All() {
		if said := f.Status == report.OK || f.Status == report.Warn || f.Status == report.Fail; said && !broken[f.ID] {
			t.Errorf("no mutation breaks %s, which is %s where all is well", f.ID, f.Status)
		}
	}
	for s, want := range map[report.Status][]string{report.Fail: {}, report.Warn: {}, report.Info: toKnow, report.Skip: untold} {
		here := func(id string) bool { harness, _, _ := strings.Cut(id, "."); return harness == "wsi" || w.has(harness) }
		got, want := withStatus(r, s), slices.DeleteFunc(slices.Clone(want), func(id string) bool { return !here(id) })
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s, diff)
		}
	}
}

// goLive has the world examined as with --live: the server answers, Codex lists its hooks, and the
// harnesses themselves deliver.
func (w *world) goLive() {
	w.serveAll(speaking(carrying))
	w.listed("")
	w.live = proving(LiveProof{Right: 1, Needed: 1, Saw: "wsi's test server saw 2 calls"})
}

// serveAll registers a script as the server with every harness.
func (w *world) serveAll(script string) {
	w.t.Helper()
	path := w.program("server", script)
	for file := range servers {
		if strings.Contains(w.read(file), `"node"`) {
			w.replace(file, `"node"`, quoted(path))
		}
	}
}

// refuses has a program end as a shell script does, saying something, or not be started at all.
func (w *world) refuses(program, script, says string) {
	w.t.Helper()
	cmd := exec.Command("/bin/sh", "-c", script)
	if script == "" {
		w.write("noprogram", "no program")
		w.must(os.Chmod(w.path("noprogram"), 0o700))
		cmd = exec.Command(w.path("noprogram"))
	}
	err := cmd.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		ended.Stderr = []byte(says + "\nand more\n")
	}
	if err == nil {
		w.t.Fatal("it was started")
	}
	w.unstarted = map[string]error{program: err}
}

// change changes what is known of a harness.
func (w *world) change(id string, to func(*setup.Harness)) {
	for i := range w.harnessList {
		if w.harnessList[i].ID == id {
			to(&w.harnessList[i])
		}
	}
}

// listed has Codex list the hooks that are in its file, and say why it does not run them.
func (w *world) listed(why string) {
	for i, h := range w.harnessList {
		if h.ID != "codex" {
			continue
		}
		w.harnessList[i].Proof.QueryHooks = func(_ context.Context, env setup.Env, _, _ string) (l setup.Listing, err error) {
			for _, s := range inspect.Sources(env, h, setup.User) {
				for _, hook := range s.Found {
					one := setup.Hook{File: s.Path, Event: hook.Event, Command: hook.Command}
					one.Skip(setup.Reason{Why: why})
					l.Hooks = append(l.Hooks, one)
				}
			}
			return l, nil
		}
	}
}

// approve writes the records of Codex's user for a file of hooks.
func (w *world) approve(rel string) {
	w.t.Helper()
	for _, h := range w.harnessList {
		if h.Hooks.TrustRecords == nil {
			continue
		}
		records, err := h.Hooks.TrustRecords(w.env(), setup.HookFile{Path: w.path(rel), Format: setup.JSON}, []byte(w.read(rel)))
		w.must(err)
		config := w.read(codexConfig)
		for _, r := range records {
			table := "[hooks.state." + quoted(r.Table[2]) + "]\n"
			if before, _, there := strings.Cut(config, table); there {
				_, after, _ := strings.Cut(config[len(before)+len(table):], "\n")
				config = before + after
			}
			config += "\n" + table + r.Key + " = " + quoted(r.Value) + "\n"
		}
		w.write(codexConfig, config)
	}
}

// move registers wsi at another path below the home.
func (w *world) move(file, to string) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Dir(w.path(to)), 0o700))
	w.must(os.Symlink(w.bin, w.path(to)))
	w.replace(file, w.bin, w.path(to))
}

// folder puts a folder where a file belongs: not even root reads it.
func (w *world) folder(rel string) {
	w.t.Helper()
	_ = os.Remove(w.path(rel))
	w.must(os.MkdirAll(w.path(rel), 0o700))
}

// quoted is a text as it stands in JSON and TOML.
func quoted(s string) string { return `"` + envtest.Quoted(s) + `"` }

// said is what a report says with a status.
func (w *world) said(r report.Report, s report.Status) string {
	var all []string
	for _, f := range r.All() {
		if f.Status == s {
			all = append(all, f.ID+": "+f.Text)
		}
	}
	return strings.Join(all, "\n")
}
