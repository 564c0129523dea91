package installer

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/installer/files"
	"wsi/internal/testkit/envtest"
)

// look creates a home with these content and inspects a harness, with read-only access.
func look(t *testing.T, id string, content map[string]string, change func(*Options)) (Status, error) {
	t.Helper()
	env := envtest.New(t, content, nil)
	env.GOOS, env.Asked = goos(), envtest.Asked
	env.Output = func(context.Context, string, ...string) ([]byte, error) {
		t.Error("a process was started")
		return nil, nil
	}
	o := Options{
		Env: env, FS: files.Disk{}, StateDir: filepath.Join(env.Home, "state"), Scope: setup.User,
		Setup: Setup{Program: setup.Program{Path: filepath.Join(env.Home, "bin", "wsi"), Servers: []string{harnesses.DefaultServer}}},
	}
	if change != nil {
		change(&o)
	}
	h, ok := registry.Get(id)
	if !ok {
		t.Fatal(id)
	}
	s, err := Inspect(o, h)
	short := func(s string) string {
		return strings.ReplaceAll(filepath.ToSlash(s), filepath.ToSlash(env.Home), "~")
	}
	s.Why = short(s.Why)
	for _, list := range [][]string{s.Files, s.Programs} {
		for i := range list {
			list[i] = short(list[i])
		}
	}
	return s, err
}

// registering writes what setup would write for this program.
func registering(t *testing.T, id, path string, servers ...string) func(*Options) {
	t.Helper()
	return func(o *Options) {
		t.Helper()
		h, _ := registry.Get(id)
		one := *o
		one.FS, one.Harnesses = files.Disk{}, []setup.Harness{h}
		one.Program = setup.Program{Path: strings.ReplaceAll(filepath.FromSlash(path), "~", o.Env.Home), Servers: servers}
		p, err := PlanSetup(one)
		if err != nil || len(p.Refusals) > 0 {
			t.Fatal(err, p.Refusals)
		}
		if err := Apply(t.Context(), files.Disk{}, p, nil); err != nil {
			t.Fatal(err)
		}
	}
}

func TestInspect(t *testing.T) {
	const server = harnesses.DefaultServer
	files := map[string]map[string]string{
		"claude-code": {".claude/settings.json": "{}"}, "codex": {".codex/config.toml": ""},
		"cursor": {".cursor/hooks.json": `{"version": 1}`}, "opencode": {".config/opencode/x": ""},
	}
	place := map[string]string{
		"claude-code": "~/.claude/settings.json", "codex": "~/.codex/hooks.json",
		"cursor": "~/.cursor/hooks.json", "opencode": "~/.config/opencode/plugin/wsi.js",
	}
	other := func(o *Options) {
		if err := os.MkdirAll(filepath.Join(o.Env.Home, "other"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(o.Env.Home, "other", "wsi"), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for id, before := range files {
		for _, c := range []struct {
			name, path string
			servers    []string
			state      State
			why        string
		}{
			{"nothing is there", "", nil, Absent, ""},
			{"as setup would", "~/bin/wsi", []string{server}, Current, ""},
			{"a program that is gone", "~/old/wsi", []string{server}, Stale, "~/old/wsi is gone"},
			{"another program", "~/other/wsi", []string{server}, Stale, "another wsi: ~/other/wsi"},
			{"another server", "~/bin/wsi", []string{"a", "b"}, Stale, "registered for a, b"},
			{"one server more", "~/bin/wsi", []string{"a", server}, Stale, "registered for a, " + server},
		} {
			s, err := look(t, id, before, func(o *Options) {
				other(o)
				if c.path != "" {
					registering(t, id, c.path, c.servers...)(o)
				}
			})
			if err != nil || s.State != c.state || s.Why != c.why || !slices.Equal(s.Servers, c.servers) || !slices.Contains(s.Files, place[id]) ||
				!s.Presence.Found || s.FindErr != nil || c.path != "" && !slices.Equal(s.Programs, []string{c.path}) {
				t.Errorf("%s: %s: %+v, %v", id, c.name, s, err)
			}
		}
	}
}

// Files that setup would refuse, and registrations that it would correct.
func TestInspectProblems(t *testing.T) {
	const server = harnesses.DefaultServer
	for _, c := range []struct {
		name, id string
		files    map[string]string
		change   func(*Options)
		state    State
		why      string
	}{
		{"does not parse", "claude-code", map[string]string{".claude/settings.json": "{"}, nil, Unclear, "~/.claude/settings.json: line 1"},
		{"a folder", "cursor", map[string]string{".cursor/hooks.json/x": ""}, nil, Unclear, "not a regular file"},
		{"another hook that makes the file invalid", "codex", map[string]string{".codex/hooks.json": `{"version": 1, "hooks": {}}`}, nil, Unclear, `unknown top-level key "version"`},
		{"a config.toml that does not parse", "codex", map[string]string{".codex/config.toml": "="}, nil, Unclear, "~/.codex/config.toml"},
		{"an edited plugin", "opencode", map[string]string{".config/opencode/plugin/wsi.js": "mine"}, nil, Unclear, "wsi did not write it"},
		{"the ledger", "codex", map[string]string{"state/ledger.json": "{"}, nil, Unclear, "it is damaged"},
		{
			"in a second place, too", "codex",
			map[string]string{".codex/config.toml": "[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"/x/wsi inject --harness codex\"\n"},
			func(o *Options) {
				hooks := filepath.Join(o.Env.Home, ".codex", "hooks.json")
				text := strings.ReplaceAll(`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/x/wsi inject --harness codex"}]}]}}`, "/x/wsi", o.Program.Path)
				if err := os.WriteFile(hooks, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}, Stale, "/x/wsi is gone",
		},
		{"half of it", "claude-code", map[string]string{}, func(o *Options) {
			registering(t, "claude-code", "~/bin/wsi", server)(o)
			path := filepath.Join(o.Env.Home, ".claude", "settings.json")
			content, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, []byte(strings.ReplaceAll(string(content), `"PostToolUse"`, `"Other"`)), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}, Stale, "registered differently: setup would change it"},
		{"not yet trusted", "codex", map[string]string{}, func(o *Options) {
			registering(t, "codex", "~/bin/wsi", server)(o)
			o.Trust = true
		}, Stale, "not trusted yet"},
		{"a plugin of ours that was edited", "opencode", map[string]string{}, func(o *Options) {
			registering(t, "opencode", "~/bin/wsi", server)(o)
			plugin := filepath.Join(o.Env.Home, ".config", "opencode", "plugin", "wsi.js")
			content, err := os.ReadFile(plugin)
			if err == nil {
				err = os.WriteFile(plugin, append(content, "// mine\n"...), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}, Unclear, "edited"},
		{"no program is known", "claude-code", map[string]string{}, func(o *Options) {
			registering(t, "claude-code", "~/any/wsi", "a", "b")(o)
			o.Program = setup.Program{}
		}, Current, ""},
		{"the same servers in another order", "cursor", map[string]string{}, func(o *Options) {
			registering(t, "cursor", "~/bin/wsi", "a", "b")(o)
			o.Program.Servers = []string{"b", "a"}
		}, Current, ""},
		{"the other scope", "cursor", map[string]string{}, func(o *Options) {
			registering(t, "cursor", "~/bin/wsi", server)(o)
			o.Scope = setup.Project
		}, Absent, ""},
	} {
		s, err := look(t, c.id, c.files, c.change)
		if s.State != c.state || !strings.Contains(s.Why, c.why) || (s.Why == "") != (c.why == "") || (err != nil) != (c.name == "the ledger") {
			t.Errorf("%s: %+v, %v", c.name, s, err)
		}
	}
}

// Unreadable servers hide nothing else.
func TestInspectWithoutServers(t *testing.T) {
	s, err := look(t, "cursor", map[string]string{".cursor/mcp.json": "{"}, nil)
	if err != nil || s.FindErr == nil || s.State != Absent || !s.Presence.Found || len(s.Files) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}
