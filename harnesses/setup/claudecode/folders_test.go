package claudecode

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
)

// What 2.1.330 and 2.1.332 load: TestHooksOfClaudeCodeInSkills and TestHooksOfClaudeCodeInPluginDirs ask them.
func TestPluginsInFolders(t *testing.T) {
	const hooks = `{"hooks": {"Stop": []}}`
	files := map[string]string{
		".claude/settings.json": `{"enabledPlugins": {"off@skills-dir": false, "on@skills-dir": true, "mo@inline": false}}`,
	}
	add := func(folder, manifest string) {
		files[folder+"/hooks/hooks.json"] = hooks
		if manifest != "" {
			files[folder+"/.claude-plugin/plugin.json"] = manifest
		}
	}
	const skills = ".claude/skills/"
	add(skills+"a", `{"name": "named"}`)
	add(skills+"b", `{"name": "named"}`)
	add(skills+"bad", `{"name": 5}`)
	add(skills+"off", `{"name": "off"}`)
	add(skills+"on", `{"name": "on", "defaultEnabled": false}`)
	add(skills+"not", `{"name": "not", "defaultEnabled": false}`)
	add(skills+"none", "")
	add(skills+".hidden", `{"name": "hidden"}`)
	add("project/.claude/skills/p", `{"name": "p"}`)
	add("d/one", "")
	add("d/named", `{"name": "named"}`)
	add("d/shelf/inner", `{"name": "inner"}`)
	add("d/shelf/none", "")
	add("d/mo", `{"name": "mo"}`)
	env := envtest.New(t, files, nil)
	env.GOOS = runtime.GOOS // as the separators are
	list := strings.Join([]string{"d/relative", " ~/d/one ", env.Home + "/d/named/", env.Home + "/d/shelf", env.Home + "/d/mo", ""}, string(filepath.ListSeparator))
	env.Getenv = func(name string) string { return map[string]string{pluginDirs: list}[name] }
	want := map[string]string{
		"one@inline": "", "named@inline": "", "inner@inline": "", "mo@inline": "is switched off in",
		"off@skills-dir": "is switched off in", "on@skills-dir": "", "not@skills-dir": "is not switched on", "named@skills-dir": "named@inline comes first",
		"p@skills-dir": "the user does not trust this folder",
	}
	for _, file := range pluginFiles(env) {
		var why string
		for _, b := range file.Blocked {
			why += b.Why
		}
		reason, known := want[file.Owner]
		if !known || (reason == "") != (why == "") || !strings.Contains(why, reason) {
			t.Errorf("%s: %q, want %q", file.Path, why, reason)
		}
		delete(want, file.Owner)
		if file.Owner == "named@skills-dir" { // there are two
			want[file.Owner] = reason
		}
	}
	if delete(want, "named@skills-dir"); len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
	if got := uninstall("on@skills-dir") + uninstall("one@inline"); got != "" {
		t.Errorf("%q", got)
	}
}

// What 2.1.332 reads if its variable is empty or relative.
func TestFolderOfAnOddVariable(t *testing.T) {
	for value, c := range map[string]struct{ settings, state, why string }{
		"":   {"project/settings.json", ".claude.json", "CLAUDE_CONFIG_DIR is set, but empty"},
		"x":  {"project/x/settings.json", "project/x/.claude.json", `CLAUDE_CONFIG_DIR is the relative path "x"`},
		"~/": {"project/~/settings.json", "project/~/.claude.json", `CLAUDE_CONFIG_DIR is the relative path "~/"`},
	} {
		env := envtest.New(t, nil, map[string]string{moves: value})
		env.Environ = func() []string { return []string{"A=b", moves + "=" + value} }
		settings, state := filepath.Join(env.Home, c.settings), filepath.Join(env.Home, c.state)
		if got := reads(env, setup.User)[0].Path; got != settings || stateFile(env) != state || !strings.HasPrefix(locate(env).Adrift.Why, c.why) {
			t.Errorf("%q: %s, %s, %+v", value, got, stateFile(env), locate(env).Adrift)
		}
	}
}
