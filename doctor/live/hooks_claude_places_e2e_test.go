//go:build e2e

package live

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Plugins: where their hooks are, and what switches them off.
func TestHooksOfClaudeCodeByPlugin(t *testing.T) {
	eachClaude(t, func(h *hookTrial) {
		wrapped := func(name string) string {
			return `{"hooks":{"SessionStart":[{"hooks":[
{"type":"command","command":"@fired-` + name + `@"}]}]}}`
		}
		events := func(name string) string {
			return `{"SessionStart":[{"hooks":[
{"type":"command","command":"@fired-` + name + `@"}]}]}`
		}
		var plugins, on []string
		plugin := func(name, entry string, files map[string]string) {
			if entry != "" {
				entry = "," + entry
			}
			plugins = append(plugins, `{"name":"`+name+`","source":"./plugins/`+name+`","description":"d"`+entry+`}`)
			on = append(on, `"`+name+`@mk":`+map[bool]string{true: "false", false: "true"}[strings.HasPrefix(name, "off")])
			for path, content := range files {
				h.write("market/plugins/"+name+"/"+path, content)
			}
		}
		const manifest, file = ".claude-plugin/plugin.json", "hooks/hooks.json"
		plugin("file", "", map[string]string{file: wrapped("file")})
		plugin("inline", "", map[string]string{manifest: `{"name":"inline","hooks":` + events("inline") + `}`, file: wrapped("inline-file")})
		plugin("path", "", map[string]string{manifest: `{"name":"path","hooks":"./extra/my.json"}`, "extra/my.json": wrapped("path"), file: wrapped("path-file")})
		plugin("same", "", map[string]string{manifest: `{"name":"same","hooks":"./hooks/hooks.json"}`, file: wrapped("same")})
		plugin("list", "", map[string]string{manifest: `{"name":"list","hooks":["./a.json",` + events("list-inline") + `]}`, "a.json": wrapped("list-a")})
		plugin("bare", "", map[string]string{file: events("bare")})
		plugin("comment", "", map[string]string{file: "// a comment\n" + wrapped("comment")})
		plugin("entry", `"hooks":`+events("entry"), map[string]string{manifest: `{"name":"entry","hooks":` + events("entry-inline") + `}`, file: wrapped("entry-file")})
		plugin("loose", `"strict":false,"hooks":`+events("loose"), map[string]string{file: wrapped("loose-file")})
		plugin("conflict", `"strict":false,"hooks":`+events("conflict"), map[string]string{manifest: `{"name":"conflict","hooks":` + events("conflict-inline") + `}`})
		plugin("entry-path", `"hooks":"./y.json"`, map[string]string{manifest: `{"name":"entry-path","hooks":"./x.json"}`, "x.json": wrapped("entry-path-x"), "y.json": wrapped("entry-path-y")})
		plugin("off", "", map[string]string{file: wrapped("off")})
		plugin("root", "", map[string]string{"h.sh": "#!/bin/sh\ntouch @MARKS@/$1\n", file: `{"description":"d","hooks":{"SessionStart":[{"hooks":[
{"type":"command","command":"${CLAUDE_PLUGIN_ROOT}/h.sh fired-root"},
{"type":"command","command":"\"$CLAUDE_PLUGIN_ROOT\"/h.sh fired-root-quoted"},
{"type":"command","command":"bash ${CLAUDE_PLUGIN_ROOT}/h.sh fired-root-bash"},
{"type":"command","command":"sh h.sh fired-root-relative"},
{"type":"command","command":"${CLAUDE_PLUGIN_ROOT}/none.sh fired-root-missing"}]}]}}`})
		h.market(plugins...)
		h.write("market/plugins/gone/hooks/hooks.json", wrapped("gone")) // in no list
		h.write("home/.claude/plugins/cache/mk/gone/1.0.0/hooks/hooks.json", wrapped("gone-copy"))
		h.write("home/.claude/plugins/cache/other/lost/1.0.0/hooks/hooks.json", wrapped("lost"))
		h.write("home/.claude/plugins/installed_plugins.json", `{"version":2,"plugins":{
"gone@mk":[{"scope":"user","installPath":"@HOME@/.claude/plugins/cache/mk/gone/1.0.0","version":"1.0.0"}],
"lost@other":[{"scope":"user","installPath":"@HOME@/.claude/plugins/cache/other/lost/1.0.0","version":"1.0.0"}]}}`)
		h.write("home/.claude/settings.json", `{"enabledPlugins":{`+strings.Join(append(on, `"gone@mk":true`, `"lost@other":true`), ",")+`}}`)
		h.compare()
	})
}

// A marketplace that was fetched: its plugins are copies, for one project or for all.
func TestHooksOfClaudeCodeByInstallation(t *testing.T) {
	eachClaude(t, func(h *hookTrial) {
		copied := func(name string) string {
			h.write("home/.claude/plugins/cache/mk/"+name+"/1.0.0/hooks/hooks.json", `{"hooks":{"SessionStart":[{"hooks":[
{"type":"command","command":"@fired-`+name+`@"}]}]}}`)
			return `"installPath":"@HOME@/.claude/plugins/cache/mk/` + name + `/1.0.0","version":"1.0.0"}]`
		}
		h.write("home/.claude/plugins/installed_plugins.json", `{"version":2,"plugins":{
"all@mk":[{"scope":"user",`+copied("all")+`,
"here@mk":[{"scope":"project","projectPath":"@WORK@",`+copied("here")+`,
"local@mk":[{"scope":"local","projectPath":"@WORK@",`+copied("local")+`,
"elsewhere@mk":[{"scope":"project","projectPath":"@HOME@",`+copied("elsewhere")+`,
"project-off@mk":[{"scope":"user",`+copied("project-off")+`,
"local-on@mk":[{"scope":"user",`+copied("local-on")+`
}}`)
		entry := func(name string) string {
			return `{"name":"` + name + `","source":"./plugins/` + name + `","description":"d"}`
		}
		h.write("home/.claude/plugins/marketplaces/mk/.claude-plugin/marketplace.json", `{"name":"mk","owner":{"name":"o"},"plugins":[`+
			entry("all")+`,`+entry("here")+`,`+entry("local")+`,`+entry("elsewhere")+`,`+entry("project-off")+`,`+entry("local-on")+`]}`)
		h.write("home/.claude/plugins/known_marketplaces.json", `{"mk":{"source":{"source":"github","repo":"o/r"},
"installLocation":"@HOME@/.claude/plugins/marketplaces/mk","lastUpdated":"2026-11-22T22:24:05.912Z"}}`)
		h.write("home/.claude/settings.json", `{"enabledPlugins":{"all@mk":true,"elsewhere@mk":true,"project-off@mk":true,"local-on@mk":true}}`)
		h.write("work/.claude/settings.json", `{"enabledPlugins":{"here@mk":true,"project-off@mk":false,"local-on@mk":false}}`)
		h.write("work/.claude/settings.local.json", `{"enabledPlugins":{"local@mk":true,"local-on@mk":true}}`)
		h.compare()
	})
}

// Places: links, folders below the project, linked working trees, and another folder of the user's configuration.
func TestHooksOfClaudeCodeByPlace(t *testing.T) {
	repository := func(h *hookTrial) {
		h.everywhere("", "")
		git(h.t, h.rig.Work, "init", "-q")
	}
	runClaudeCases(t, []claudeCase{
		{name: "links", make: func(h *hookTrial) {
			h.everywhere("", "")
			for _, f := range []string{"home/.claude", "work/.claude/settings.json", "work/.claude/settings.local.json"} {
				h.link(f)
			}
		}},
		{name: "another folder", make: func(h *hookTrial) {
			h.everywhere("", "")
			h.write("moved/settings.json", marked("moved", ""))
			h.env = []string{"CLAUDE_CONFIG_DIR=" + filepath.Join(filepath.Dir(h.rig.Home), "moved")}
		}},
		{name: "below", older: []string{"fired-local"}, make: func(h *hookTrial) {
			repository(h)
			h.write("work/a/.claude/settings.json", marked("a", ""))
			h.write("work/a/b/.claude/settings.json", marked("b", ""))
			h.rig.Work = filepath.Join(h.rig.Work, "a", "b")
		}},
		{name: "below with its own local settings", older: []string{"fired-local"}, make: func(h *hookTrial) {
			repository(h)
			h.write("work/a/.claude/settings.local.json", marked("near", ""))
			h.rig.Work = filepath.Join(h.rig.Work, "a")
		}},
		{name: "below without a repository", make: func(h *hookTrial) {
			h.everywhere("", "")
			h.write("work/a/x", "")
			h.rig.Work = filepath.Join(h.rig.Work, "a")
		}},
		{name: "working tree", older: []string{"fired-local"}, make: func(h *hookTrial) {
			repository(h)
			git(h.t, h.rig.Work, "commit", "-q", "--allow-empty", "-m", "x")
			tree := filepath.Join(filepath.Dir(h.rig.Work), "tree")
			git(h.t, h.rig.Work, "worktree", "add", "-q", tree)
			h.write("tree/.claude/settings.json", marked("tree", ""))
			h.rig.Work = tree
		}},
		{name: "the home folder", make: func(h *hookTrial) {
			h.everywhere("", "")
			h.rig.Work = h.rig.Home
		}},
	})
}

// link moves a file or folder away, and leaves a link to it.
func (h *hookTrial) link(name string) {
	h.t.Helper()
	path := filepath.Join(filepath.Dir(h.rig.Home), filepath.FromSlash(name))
	err := os.Rename(path, path+"-real")
	if err == nil {
		err = os.Symlink(path+"-real", path)
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// git runs git in a folder.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// Skills, commands and agents: their hooks run only while they are in use, so here they do not.
func TestHooksOfClaudeCodeByFrontmatter(t *testing.T) {
	eachClaude(t, func(h *hookTrial) {
		top := func(name string) string {
			return "---\nname: " + name + "\ndescription: d\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: @fired-" + name + "@\n---\nHi\n"
		}
		for _, dir := range []string{"home", "work"} {
			h.write(dir+"/.claude/skills/skill-"+dir+"/SKILL.md", top("skill-"+dir))
			h.write(dir+"/.claude/agents/agent-"+dir+".md", top("agent-"+dir))
			h.write(dir+"/.claude/commands/command-"+dir+".md", top("command-"+dir))
		}
		h.write("home/.claude/settings.json", marked("user", ""))
		h.compare()
	})
}
