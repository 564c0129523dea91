package installer

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/internal/lists"
)

// look inspects a harness in a home with these files, after a change.
func look(t *testing.T, id string, content map[string]string, change func(*Options, memory)) (Status, error) {
	t.Helper()
	o, m := inMemory(content)
	o.Trust, o.Program.Path = false, filepath.Join(home(), "bin", "wsi")
	if change != nil {
		change(&o, m)
	}
	h, ok := registry.Get(id)
	if !ok {
		t.Fatal(id)
	}
	before := m.tree()
	s, err := Inspect(o, h)
	sameTree(t, id, m.tree(), before)
	short := func(s string) string { return strings.ReplaceAll(filepath.ToSlash(s), filepath.ToSlash(home()), "~") }
	s.Why, s.Files, s.Programs = short(s.Why), lists.Map(s.Files, short), lists.Map(s.Programs, short)
	return s, err
}

// registering writes what setup would write for this program.
func registering(t *testing.T, id, path string, servers ...string) func(*Options, memory) {
	t.Helper()
	return func(o *Options, _ memory) {
		t.Helper()
		h, _ := registry.Get(id)
		one := *o
		one.Harnesses = []setup.Harness{h}
		one.Program = setup.Program{Path: strings.ReplaceAll(filepath.FromSlash(path), "~", home()), Servers: servers}
		mustApply(t, PlanSetup, one)
	}
}

// edited changes a file that setup would write.
func edited(t *testing.T, id, path string, edit func(content string) string) func(*Options, memory) {
	t.Helper()
	return func(o *Options, m memory) {
		t.Helper()
		registering(t, id, "~/bin/wsi", harnesses.DefaultServer)(o, m)
		at := filepath.Join(home(), path)
		m.put(at, edit(string(m[at].Data)))
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
			s, err := look(t, id, before, func(o *Options, m memory) {
				m.put(filepath.Join(home(), "other", "wsi"), "")
				if c.path != "" {
					registering(t, id, c.path, c.servers...)(o, m)
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
		change   func(*Options, memory)
		state    State
		why      string
	}{
		{"does not parse", "claude-code", map[string]string{".claude/settings.json": "{"}, nil, Unclear, "~/.claude/settings.json: line 1"},
		{"a folder", "cursor", map[string]string{".cursor/hooks.json/x": ""}, nil, Unclear, "not a regular file"},
		{"another hook that makes the file invalid", "codex", map[string]string{".codex/hooks.json": `{"version": 1, "hooks": {}}`}, nil, Unclear, `unknown top-level key "version"`},
		{"a config.toml that does not parse", "codex", map[string]string{".codex/config.toml": "="}, nil, Unclear, "~/.codex/config.toml"},
		{"an edited plugin", "opencode", map[string]string{".config/opencode/plugin/wsi.js": "mine"}, nil, Unclear, "wsi did not write it"},
		{"the ledger", "codex", map[string]string{"state/wsi/ledger.json": "{"}, nil, Unclear, "it is damaged"},
		{
			"in a second place, too", "codex",
			map[string]string{".codex/config.toml": "[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"/x/wsi inject --harness codex\"\n"},
			func(o *Options, m memory) {
				const text = `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/x/wsi inject --harness codex"}]}]}}`
				m.put(filepath.Join(home(), codexFile), strings.ReplaceAll(text, "/x/wsi", filepath.ToSlash(o.Program.Path)))
			}, Stale, "/x/wsi is gone",
		},
		{"half of it", "claude-code", nil, edited(t, "claude-code", claudeFile, func(content string) string {
			return strings.ReplaceAll(content, `"PostToolUse"`, `"Other"`)
		}), Stale, "registered differently: setup would change it"},
		{"not yet trusted", "codex", nil, func(o *Options, m memory) {
			registering(t, "codex", "~/bin/wsi", server)(o, m)
			o.Trust = true
		}, Stale, "not trusted yet"},
		{"a plugin of ours that was edited", "opencode", nil, edited(t, "opencode", pluginFile, func(content string) string {
			return content + "// mine\n"
		}), Unclear, "edited"},
		{"no program is known", "claude-code", nil, func(o *Options, m memory) {
			registering(t, "claude-code", "~/any/wsi", "a", "b")(o, m)
			o.Program = setup.Program{}
		}, Current, ""},
		{"the same servers in another order", "cursor", nil, func(o *Options, m memory) {
			registering(t, "cursor", "~/bin/wsi", "a", "b")(o, m)
			o.Program.Servers = []string{"b", "a"}
		}, Current, ""},
		{"the other scope", "cursor", nil, func(o *Options, m memory) {
			registering(t, "cursor", "~/bin/wsi", server)(o, m)
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
