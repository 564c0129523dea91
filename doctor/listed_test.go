package doctor

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/harnesses/setup"
)

// The harness's own word counts.
func TestListedByTheHarness(t *testing.T) {
	for _, c := range []struct {
		name string
		harm func(*world, *setup.Listing) error
		want string
	}{
		{"it agrees", nil, "ok: Codex itself lists 2 hooks of wsi's and would run them"},
		{"not approved by its own reckoning", func(_ *world, l *setup.Listing) error {
			l.Hooks[0].Skip(setup.Reason{Why: "modified"})
			return nil
		}, "fail: Codex itself would not run all of wsi's hooks: PostToolUse modified"},
		{"not seen", func(_ *world, l *setup.Listing) error {
			l.Hooks, l.Warnings = l.Hooks[:1], []string{"failed to parse"}
			return nil
		}, "fail: Codex itself would not run all of wsi's hooks: PreToolUse is not listed; it warns: failed to parse"},
		{"from another file", func(_ *world, l *setup.Listing) error {
			l.Hooks[1].File = "/else"
			return nil
		}, "fail: Codex itself would not run all of wsi's hooks: PreToolUse is not listed"},
		{"both say no", func(w *world, l *setup.Listing) error {
			w.write(".codex/config.toml", servers[".codex/config.toml"])
			l.Hooks[0].Skip(setup.Reason{Why: "untrusted"})
			return nil
		}, "skip: Codex itself agrees with codex.hook.trusted: PostToolUse untrusted"},
		{"wsi alone says no", func(w *world, _ *setup.Listing) error {
			w.write(".codex/config.toml", servers[".codex/config.toml"])
			return nil
		}, "warn: Codex itself would run all of wsi's hooks, so codex.hook.trusted is wrong for this version"},
		{"it cannot say", func(*world, *setup.Listing) error { return errors.New("error -32601: no") }, "skip: Codex could not be asked: error -32601: no"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			only("codex")(w)
			var l setup.Listing
			file := w.path(".codex/hooks.json")
			for _, h := range []struct{ event, verb string }{{"PostToolUse", harnesses.Capture}, {"PreToolUse", harnesses.Inject}} {
				command := setup.Program{Path: w.bin, Servers: []string{harnesses.DefaultServer}}.Command(runtime.GOOS, h.verb, "codex")
				command = setup.ForPowerShell(runtime.GOOS, command)
				l.Hooks = append(l.Hooks, setup.Hook{File: file, Event: h.event, Command: command})
			}
			var err error
			if c.harm != nil {
				err = c.harm(w, &l)
			}
			w.harnessList[0].Proof.QueryHooks = func(_ context.Context, _ setup.Env, binary, dir string) (setup.Listing, error) {
				if left, e := os.ReadDir(dir); e != nil || len(left) > 0 || binary != w.path("codex") {
					t.Errorf("asked %s with %v in its folder, %v", binary, left, e)
				}
				return l, err
			}
			if got := about(w.examineLive("hook.listed"), "codex", "hook.listed")["hook.listed"]; got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	w := newWorld(t, "")
	w.only = []string{"hook.listed"}
	for id, want := range map[string]string{
		"claude-code": "skip: Claude Code cannot be asked which hooks it would run",
	} {
		if got := about(w.examine(), id, "hook.listed")["hook.listed"]; got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}

// The harness's own binary is asked whether it takes an approval, without a live proof.
func TestApprovalIsVerified(t *testing.T) {
	w := newWorld(t, "")
	only("codex")(w)
	w.harnessList[0].Proof.QueryHooks = func(context.Context, setup.Env, string, string) (setup.Listing, error) {
		return setup.Listing{Fix: "approve them"}, nil
	}
	w.versions[w.path("codex")] = "codex-cli 0.171.0"
	o := w.options()
	o.Env.LookPath = func(name string) (string, error) { return w.path(name), nil }
	r, err := Run(t.Context(), o, "linux/amd64")
	if got := about(r, "codex", "hook.listed")["hook.listed"]; err != nil || !strings.HasPrefix(got, "fail: Codex itself would not run all of wsi's hooks: ") {
		t.Errorf("%s %v", got, err)
	}
}
