package doctor

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wsi/harnesses"
	wsihook "wsi/hook"
)

// unproven is what is not well even where all is.
var unproven = []string{"cursor.token.delivered"}

func TestHealthy(t *testing.T) {
	w := newWorld(t, "")
	r := w.examine()
	if failed := r.with(Fail); len(failed) > 0 || !r.Healthy() {
		t.Errorf("red in a healthy world: %v\n%s", failed, w.shown(r))
	}
	if warned := r.with(Warn); !slices.Equal(warned, unproven) {
		t.Errorf("yellow in a healthy world: %v\n%s", warned, w.shown(r))
	}
	for _, g := range r.Groups {
		for _, j := range g.Chain {
			gate := g.ID != "cursor"
			want := OK
			switch {
			case j.Link == Trusted && !gate:
				want = Info
			case j.Link == Delivered && g.ID == "cursor":
				want = Warn
			}
			if j.Status != want {
				t.Errorf("%s %s is %s", g.ID, j.Link, j.Status)
			}
		}
	}
	if len(w.issued) < 50 {
		t.Errorf("only %d values were handed out", len(w.issued))
	}
}

// In every world exactly one thing is broken, and exactly that id must be red.
func TestOneBrokenLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("shell scripts stand in for wsi")
	}
	const (
		claude = ".claude/settings.json"
		codex  = ".codex/hooks.json"
		cursor = ".cursor/hooks.json"
		plugin = ".config/opencode/plugin/wsi.js"
	)
	everywhere := func(id string) []string {
		return []string{"claude-code." + id, "codex." + id, "cursor." + id, "opencode." + id}
	}
	for _, c := range []struct {
		name   string
		script string // what runs as wsi
		harm   func(*world)
		red    []string
	}{
		{"no hook before a call", "", func(w *world) { w.replace(claude, `"PreToolUse"`, `"PreToolUseX"`) }, []string{"claude-code.hook.registered"}},
		{"no hook after a call", "", func(w *world) { w.replace(cursor, `"postToolUse"`, `"sessionEnd"`) }, []string{"cursor.hook.registered"}},
		{"the verbs are mixed up", "", func(w *world) { w.replace(cursor, " inject ", " capture ") }, []string{"cursor.hook.registered"}},
		{"no hook at all", "", func(w *world) { w.write(codex, `{"hooks":{}}`) }, []string{"codex.hook.registered"}},
		{"no plugin", "", func(w *world) { w.remove(plugin) }, []string{"opencode.hook.registered"}},
		{"a bad neighbour", "", func(w *world) {
			w.replace(claude, `"hooks": {`, `"hooks": {"Stop":[{"hooks":[{"type":"command","command":"x","timeout":"5"}]}],`)
		}, []string{"claude-code.hook.file"}},
		{"no JSON", "", func(w *world) { w.write(claude, w.read(claude)+"// a comment\n") }, []string{"claude-code.hook.file"}},
		{"a key that Codex does not know", "", func(w *world) { w.replace(codex, `"hooks": {`, `"version": 1, "hooks": {`) }, []string{"codex.hook.file"}},
		{"an address in another's command", "", func(w *world) {
			w.replace(cursor, `"hooks": {`, `"hooks": {"stop":[{"command":"curl http://x"}],`)
		}, []string{"cursor.hook.file"}},
		{"a matcher that never matches", "", func(w *world) { w.replace(claude, "workflow-server__", "workflow_server__") }, []string{"claude-code.hook.matches"}},

		{"nobody approved", "", func(w *world) { w.write(".codex/config.toml", servers[".codex/config.toml"]) }, []string{"codex.hook.trusted"}},
		{"approved in another form", "", func(w *world) { w.replace(codex, `"timeout": 10`, `"timeout": 11`) }, []string{"codex.hook.trusted"}},
		{"Codex's hooks are off", "", func(w *world) {
			w.write(".codex/config.toml", w.read(".codex/config.toml")+"\n[features]\nhooks = false\n")
		}, []string{"codex.hook.enabled"}},
		{"Claude Code's hooks are off", "", func(w *world) { w.write("project/.claude/settings.json", `{"disableAllHooks":true}`) }, []string{"claude-code.hook.enabled"}},

		{"no binary", "", func(w *world) { _ = os.Remove(w.bin) }, everywhere("hook.runnable")},
		{"not executable", "", func(w *world) { w.standIn("exit 0"); _ = os.Chmod(w.bin, 0o600) }, everywhere("hook.runnable")},
		{"another program", "cat > /dev/null", nil, everywhere("hook.runnable")},
		{"a program that fails", `"$WSI" "$@"; exit 3`, nil, everywhere("hook.runnable")},
		{"no absolute path", "", func(w *world) { w.replace(claude, w.bin, "wsi") }, []string{"claude-code.hook.runnable"}},

		{"the last run failed", "", func(w *world) {
			w.journal(wsihook.Entry{Time: now, Verb: "capture", Harness: "cursor", Did: "error", Why: "lock vault: no space left on device"})
		}, []string{"cursor.hook.fired"}},

		{"Codex needs the decision", `"$WSI" "$@" | sed 's/"permissionDecision":"allow",//'`, only("codex"), []string{"codex.token.delivered"}},
		{"Claude Code must not get one", `"$WSI" "$@" | sed 's/"updatedInput"/"permissionDecision":"allow","updatedInput"/'`, only("claude-code"), []string{"claude-code.token.delivered"}},
		{"the value is damaged", `"$WSI" "$@" | sed 's/\("session_token":"[^"]*\)[^"]"/\1"/'`, nil, everywhere("token.delivered")},
		{"nothing is captured", `case "$1" in capture) sed s/session_token/other_token/g | "$WSI" "$@";; *) exec "$WSI" "$@";; esac`, nil, everywhere("token.delivered")},
		{"sessions are mixed up", `sed 's/"\(session_id\|conversation_id\|sessionID\|rootID\)":"[^"]*"/"\1":"x"/g' | "$WSI" "$@"`, nil, everywhere("token.delivered")},
		{"sub-agents are taken for the main agent", `sed 's/"agent_id":"[^"]*",//' | "$WSI" "$@"`, only("codex"), []string{"codex.token.delivered"}},
		{"other arguments are lost", `"$WSI" "$@" | sed 's/"updated\(I\|_i\)nput":{.*"session_token"/"updated\1nput":{"session_token"/'`, only("claude-code", "codex", "cursor"), []string{"claude-code.token.delivered", "codex.token.delivered", "cursor.token.delivered"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, c.script)
			if id, _, _ := strings.Cut(c.red[0], "."); c.harm != nil && len(c.red) == 1 {
				only(id)(w)
			}
			if c.harm != nil {
				c.harm(w)
			}
			r := w.examine()
			if diff := cmp.Diff(c.red, r.with(Fail)); diff != "" {
				t.Errorf("red ids (-want +got):\n%s\n%s", diff, w.shown(r)[:4000])
			}
			if r.Healthy() {
				t.Error("healthy all the same")
			}
		})
	}
}

func only(ids ...string) func(*world) {
	return func(w *world) {
		w.harnessList = slices.DeleteFunc(w.harnessList, func(h harnesses.Harness) bool { return !slices.Contains(ids, h.ID) })
	}
}

func (w *world) remove(rel string) {
	w.t.Helper()
	if err := os.Remove(w.path(rel)); err != nil {
		w.t.Fatal(err)
	}
}

// What is not well but works is yellow, and nothing is red.
func TestAttention(t *testing.T) {
	for _, c := range []struct {
		name   string
		harm   func(*world)
		yellow string
	}{
		{"registered twice", func(w *world) { w.write("project/.cursor/hooks.json", w.read(".cursor/hooks.json")) }, "cursor.hook.once"},
		{"no server", func(w *world) { w.write(".claude.json", `{}`) }, "claude-code.server.registered"},
		{"server switched off", func(w *world) {
			w.replace(".config/opencode/opencode.json", `"type"`, `"enabled":false,"type"`)
		}, "opencode.server.registered"},
		{"a file without wsi is broken", func(w *world) { w.write("project/.claude/settings.json", `{`) }, "claude-code.hook.file"},
		{"captured and never injected", func(w *world) {
			w.write(".local/state/wsi/journal.jsonl", "")
			for range 3 {
				w.journal(wsihook.Entry{Time: now, Verb: "capture", Harness: "codex", Did: "captured"})
			}
		}, "codex.hook.fired"},
		{"another hook before the same calls", func(w *world) {
			w.replace(".claude/settings.json", `"PreToolUse": [`, `"PreToolUse": [{"hooks":[{"type":"command","command":"rewrite"}]},`)
		}, "claude-code.hook.rival"},
		{"wsi by hand beside wsi", func(w *world) {
			w.replace(".claude/settings.json", `"PreToolUse": [`, `"PreToolUse": [{"hooks":[{"type":"command","command":"'/a b/wsi' inject || true"}]},`)
		}, "claude-code.hook.once"},
		{"wsi's capture by hand beside wsi", func(w *world) {
			w.replace(".cursor/hooks.json", `"postToolUse": [`, `"postToolUse": [{"command":"wsi capture"},`)
		}, "cursor.hook.once"},
		{"a file nobody may read", func(w *world) {
			if err := os.MkdirAll(w.path("project/.cursor/hooks.json"), 0o700); err != nil {
				w.t.Fatal(err)
			}
		}, "cursor.hook.file"},
		{"an edited plugin", func(w *world) {
			w.write(".config/opencode/plugin/wsi.js", w.read(".config/opencode/plugin/wsi.js")+"\n// mine\n")
		}, "opencode.hook.file"},
		{"others may read the vault", func(w *world) {
			w.write(".local/state/wsi/vault/ab/x.json", "{}")
			_ = os.Chmod(w.path(".local/state/wsi/vault/ab/x.json"), 0o644)
		}, "wsi.vault"},
		{"others may read the current token", func(w *world) {
			w.write(".claude/workflow-server-tokens/current.token", "x")
			_ = os.Chmod(w.path(".claude/workflow-server-tokens/current.token"), 0o604)
		}, "wsi.vault"},
		{"others may look into the state", func(w *world) { _ = os.Chmod(w.state(), 0o755) }, "wsi.state"},
		{"a session was set aside", func(w *world) { w.write(".local/state/wsi/vault/ab/x.json.corrupt", "{}") }, "wsi.vault"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, "")
			id, _, _ := strings.Cut(c.yellow, ".")
			only(id)(w)
			c.harm(w)
			r := w.examine()
			if failed := r.with(Fail); len(failed) > 0 {
				t.Errorf("red: %v\n%s", failed, w.shown(r))
			}
			yellow := slices.DeleteFunc(r.with(Warn), func(id string) bool { return slices.Contains(unproven, id) })
			if !slices.Equal(yellow, []string{c.yellow}) {
				t.Errorf("yellow: %v, want %s", yellow, c.yellow)
			}
		})
	}
}

// A harness that is there but was never wired is nobody's fault, unless it has the server.
func TestNotWired(t *testing.T) {
	w := newWorld(t, "")
	w.remove(".cursor/hooks.json")
	if red := w.examine().with(Fail); !slices.Equal(red, []string{"cursor.hook.registered"}) {
		t.Errorf("red: %v", red)
	}
	w.remove(".cursor/mcp.json")
	if red := w.examine().with(Fail); len(red) > 0 {
		t.Errorf("red: %v", red)
	}
	o := w.options()
	o.Named = true
	r, err := Run(t.Context(), o, "")
	if red := r.with(Fail); err != nil || !slices.Equal(red, []string{"cursor.hook.registered"}) {
		t.Errorf("red when named: %v, %v", red, err)
	}
}

func TestAnotherServer(t *testing.T) {
	w := newWorld(t, "")
	o := w.options()
	o.Server = "other"
	only("codex")(w)
	o.Harnesses = w.harnessList
	r, err := Run(t.Context(), o, "")
	if red := r.with(Fail); err != nil || !slices.Equal(red, []string{"codex.hook.registered"}) {
		t.Errorf("red: %v, %v", red, err)
	}
}

// Others' hooks stand in the same files; they are named, never run.
func TestForeignHooksAreNotRun(t *testing.T) {
	w := newWorld(t, "")
	trap := filepath.Join(w.home, "trap")
	w.replace(".claude/settings.json", `"PreToolUse": [`,
		`"PreToolUse": [{"matcher":"mcp__.*","hooks":[{"type":"command","command":"touch `+trap+`"}]},`)
	r := w.examine()
	if _, err := os.Stat(trap); err == nil {
		t.Error("the doctor ran another's hook")
	}
	if !slices.Contains(r.with(Warn), "claude-code.hook.rival") || !strings.Contains(w.shown(r), "touch") {
		t.Error("the other hook is not named")
	}
	if strings.Contains(w.shown(r), trap) {
		t.Error("the other hook's arguments are shown")
	}
}

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 59 * time.Second: "59 s", 2 * time.Minute: "2 min", 90 * time.Minute: "1 h", 72 * time.Hour: "3 days",
	} {
		if got := age(d); got != want {
			t.Errorf("%s is %q", d, got)
		}
	}
}

func TestEveryCheckIsDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "doctor.md"))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range ownChecks {
		ids = append(ids, "`wsi."+c.id+"`")
	}
	for _, c := range checks {
		ids = append(ids, "`"+c.id+"`")
	}
	for _, id := range ids {
		if !strings.Contains(string(page), "| "+id) {
			t.Errorf("docs/doctor.md has no row for %s", id)
		}
	}
}
