//go:build e2e

package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wsi/harnesses/claudecode"
	"wsi/harnesses/setup"
)

// claudeSettings returns a settings file with the two calls allowed and these members in addition.
func claudeSettings(members string) string {
	return `{"permissions":{"allow":["Bash","mcp__workflow-server__start_session","mcp__workflow-server__list_workflows"]},
` + members + "\n}\n"
}

// marked is a settings file with one hook, and other members.
func marked(name, members string) string {
	if members != "" {
		members += ","
	}
	return claudeSettings(members + `"hooks":{"SessionStart":[
{"hooks":[{"type":"command","command":"@fired-` + name + `@"}]}]}`)
}

// everywhere writes a hook into every file that is read, and into one of them members in addition.
func (h *hookTrial) everywhere(in, members string) {
	h.t.Helper()
	files := map[string]string{
		"user": "home/.claude/settings.json", "project": "work/.claude/settings.json", "local": "work/.claude/settings.local.json",
		"managed": "etc/claude-code/managed-settings.json", "dropin": "etc/claude-code/managed-settings.d/10-hooks.json",
	}
	for name, file := range files {
		var more []string
		if name == "user" {
			more = append(more, `"enabledPlugins":{"p@mk":true}`)
		}
		if name == in {
			more = append(more, members)
		}
		h.write(file, marked(name, strings.Join(more, ",")))
	}
	h.write("market/plugins/p/hooks/hooks.json", `{"hooks":{"SessionStart":[
{"hooks":[{"type":"command","command":"@fired-plugin@"}]}]}}`)
	h.market("p")
}

// market makes a marketplace of plugins in a folder, and has the user install them.
func (h *hookTrial) market(plugins ...string) {
	h.t.Helper()
	entries := make([]string, len(plugins))
	for i, name := range plugins {
		entries[i] = `{"name":"` + name + `","source":"./plugins/` + name + `","description":"d"}`
	}
	h.write("market/.claude-plugin/marketplace.json", `{"name":"mk","owner":{"name":"o"},"plugins":[`+strings.Join(entries, ",\n")+"]}")
	h.install(plugins...)
}

// install does what `claude plugin install` does for plugins of the marketplace in the folder market. 2.1.197 runs the copies that
// are made, 2.1.332 what is in the folder. Without a record a plugin is loaded, but claude plugin list does not list it (2.1.332).
func (h *hookTrial) install(plugins ...string) {
	h.t.Helper()
	records := make([]string, len(plugins))
	for i, name := range plugins {
		records[i] = `"` + name + `@mk":[{"scope":"user","installPath":"@HOME@/.claude/plugins/cache/mk/` + name + `/1.0.0","version":"1.0.0"}]`
		err := os.CopyFS(h.at("home/.claude/plugins/cache/mk/"+name+"/1.0.0"), os.DirFS(h.at("market/plugins/"+name)))
		if err != nil && !errors.Is(err, fs.ErrExist) { // a file may have its own copy there
			h.t.Fatal(err)
		}
	}
	h.write("home/.claude/plugins/known_marketplaces.json", `{"mk":{"source":{"source":"directory","path":"@DIR@/market"},"installLocation":"@DIR@/market","lastUpdated":"2026-11-22T22:24:05.912Z"}}`)
	h.write("home/.claude/plugins/installed_plugins.json", `{"version":2,"plugins":{`+strings.Join(records, ",\n")+`}}`)
}

// eachClaude runs a trial with both versions.
func eachClaude(t *testing.T, try func(h *hookTrial)) {
	t.Helper()
	for _, s := range subjects() {
		if s.id == claudecode.ID {
			t.Run(s.version, func(t *testing.T) {
				t.Parallel()
				try(newHookTrial(t, s))
			})
		}
	}
}

// with makes a home with a hook everywhere, and members in one file.
func with(in, members string) func(h *hookTrial) {
	return func(h *hookTrial) { h.everywhere(in, members) }
}

// everyone are the names of the hooks of everywhere.
var everyone = []string{"fired-user", "fired-project", "fired-local", "fired-managed", "fired-dropin", "fired-plugin"}

// Switches, faults and places: which hooks do not run because of each, and which file wins.
func TestHooksOfClaudeCode(t *testing.T) {
	variable := func(v string) func(h *hookTrial) {
		return func(h *hookTrial) {
			h.everywhere("", "")
			h.env = []string{v}
		}
	}
	project := func(content string) func(h *hookTrial) {
		return func(h *hookTrial) {
			h.everywhere("", "")
			h.write("work/.claude/settings.json", content)
		}
	}
	asked := func(project, local string) func(h *hookTrial) {
		return func(h *hookTrial) {
			h.write("home/.claude/settings.json", marked("user", ""))
			h.write("work/.claude/settings.json", marked("project", project))
			h.write("work/.claude/settings.local.json", marked("local", local))
			h.ask()
		}
	}
	for _, c := range []struct {
		name  string
		make  func(h *hookTrial) // the home
		older []string           // what 2.1.197 does otherwise than predicted
	}{
		{name: "none", make: with("", "")},
		{name: "off in user", make: with("user", `"disableAllHooks":true`)},
		{name: "off in managed", make: with("managed", `"disableAllHooks":true`)},
		{name: "off and on", make: func(h *hookTrial) {
			h.everywhere("user", `"disableAllHooks":true`)
			h.write("work/.claude/settings.local.json", marked("local", `"disableAllHooks":false`))
		}},
		{name: "off and on in dropin", make: func(h *hookTrial) {
			h.everywhere("managed", `"disableAllHooks":true`)
			h.write("etc/claude-code/managed-settings.d/10-hooks.json", marked("dropin", `"disableAllHooks":false`))
		}},
		{name: "only managed", make: with("managed", `"allowManagedHooksOnly":true`)},
		{name: "only managed in user", make: with("user", `"allowManagedHooksOnly":true`)},
		{name: "only managed with a plugin", make: with("managed", `"allowManagedHooksOnly":true,"enabledPlugins":{"p@mk":true}`)},
		{name: "plugin off in managed", make: with("managed", `"enabledPlugins":{"p@mk":false}`)},
		{name: "plugins only", make: with("managed", `"strictPluginOnlyCustomization":["hooks"]`)},
		{name: "simple in user", make: with("user", `"env":{"CLAUDE_CODE_SIMPLE":"yes"}`)},
		{name: "simple in managed", make: with("managed", `"env":{"CLAUDE_CODE_SIMPLE":"1"}`)},
		{name: "simple in project", make: with("project", `"env":{"CLAUDE_CODE_SIMPLE":"1"}`), older: everyone},
		{name: "simple in the environment", make: variable("CLAUDE_CODE_SIMPLE=1")},
		{name: "safe mode in the environment", make: variable("CLAUDE_CODE_SAFE_MODE=1")},

		{name: "a comment", make: project("// a comment\n" + marked("project", ""))},
		{name: "a duplicate key", make: project(`{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"@fired-first@"}]}]},
"hooks":{"SessionStart":[{"hooks":[
{"type":"command","command":"@fired-project@"}]}]}}`)},
		{name: "entries", make: project(claudeSettings(`"hooks":{"SessionStart":[{"hooks":[
{"type":"command","command":"@fired-timeout@","timeout":"5"},
{"command":"@fired-no-type@"},
{"type":"command","command":"@fired-good@"}]},{"matcher":5,"hooks":[
{"type":"command","command":"@fired-matcher@"}]},
{"type":"command","command":"@fired-flat@"}]}`)), older: []string{"fired-good"}},
		{name: "settings that cost the file", make: asked(`"permissions":{"defaultMode":"allowEdits"}`, `"statusLine":{"type":"text","command":"true"}`)},
		{name: "settings that cost nothing", make: asked(`"noSuchSetting":{"a":1}`, `"env":{"N":5}`)},

		{name: "another folder", make: func(h *hookTrial) {
			h.everywhere("", "")
			h.write("moved/settings.json", marked("moved", ""))
			h.env = []string{"CLAUDE_CONFIG_DIR=" + h.at("moved")}
		}},
		{name: "below", older: []string{"fired-local"}, make: func(h *hookTrial) {
			h.everywhere("", "")
			git(h.t, h.rig.Work, "init", "-q")
			h.write("work/a/.claude/settings.json", marked("a", ""))
			h.write("work/a/b/.claude/settings.json", marked("b", ""))
			h.rig.Work = h.at("work/a/b")
		}},
		{name: "working tree", older: []string{"fired-local"}, make: func(h *hookTrial) {
			h.everywhere("", "")
			git(h.t, h.rig.Work, "init", "-q")
			git(h.t, h.rig.Work, "commit", "-q", "--allow-empty", "-m", "x")
			git(h.t, h.rig.Work, "worktree", "add", "-q", h.at("tree"))
			h.write("tree/.claude/settings.json", marked("tree", ""))
			h.rig.Work = h.at("tree")
		}},
		{name: "skills", make: func(h *hookTrial) {
			h.plugins("home/.claude/skills/on", "home/.claude/skills/off", "home/.claude/skills/deep/deeper", "work/.claude/skills/proj")
			h.write("home/.claude/settings.json", claudeSettings(`"enabledPlugins":{"off@skills-dir":false}`))
		}},
		{name: "folders in a variable", make: func(h *hookTrial) {
			if h.old() {
				h.t.Skip("it does not know the variable")
			}
			h.plugins("d/one", "home/two", "d/off", "d/deep/deeper", "work/rel")
			h.write("home/.claude/settings.json", claudeSettings(`"enabledPlugins":{"off@inline":false},"env":{"CLAUDE_CODE_PLUGIN_DIRS":"`+h.at("d/one")+":~/two:rel:"+h.at("d/off")+":"+h.at("d/deep")+`"}`))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachClaude(t, func(h *hookTrial) {
				c.make(h)
				if h.old() {
					h.otherwise = c.older
				}
				h.compare()
			})
		})
	}
}

// plugins writes plugins that their manifests call by the last parts of their folders, each with a hook.
func (h *hookTrial) plugins(folders ...string) {
	h.t.Helper()
	for _, folder := range folders {
		name := folder[strings.LastIndexByte(folder, '/')+1:]
		h.write(folder+"/.claude-plugin/plugin.json", `{"name":"`+name+`"}`)
		h.write(folder+"/hooks/hooks.json", `{"hooks":{"SessionStart":[
{"hooks":[{"type":"command","command":"@fired-`+name+`@"}]}]}}`)
	}
}

// ask has the doctor ask the harness itself, so that `wsi hooks` knows what it said.
func (h *hookTrial) ask() {
	h.t.Helper()
	_, env := h.rig.driver.command(h.rig, "main", "", "")
	state := h.at("asked")
	if err := os.Mkdir(state, 0o700); err != nil {
		h.t.Fatal(err)
	}
	h.env = append(h.env, "WSI_STATE_DIR="+state, "PATH="+filepath.Dir(h.rig.binary)+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := h.rig.run(h.t.Context(), h.rig.wsi, []string{"doctor", "--json", "--harness", h.rig.id, "--only", "hook.file"}, append(env, h.env...))
	if _, none := os.Stat(filepath.Join(state, "asked.json")); none != nil {
		h.t.Fatalf("the doctor did not ask: %v\n%s", err, out)
	}
}

// converse has the model work through a script. The names of tools are those of the harness.
func (h *hookTrial) converse(name string, script Script) {
	h.t.Helper()
	h.rig.Model.scripts = Scripts{name: script}
	ofServer := h.rig.Model.tool
	h.rig.Model.tool = func(tool string) string {
		if tool[0] >= 'A' && tool[0] <= 'Z' { // of Claude Code's own
			return tool
		}
		return ofServer(tool)
	}
	args, env := h.rig.driver.command(h.rig, name, "", "Work through the script. "+marker(name))
	if out, err := h.rig.run(h.t.Context(), h.rig.binary, append(args, h.args...), env); err != nil {
		h.t.Fatalf("%v\n%s", err, tail(out))
	}
}

// receiptRow is a row of `wsi hooks --json` with what is recorded.
type receiptRow struct {
	Command, State, Record, Reason string

	Runs, Failed, Blocked, Calls int
	Last                         time.Time
	MedianMS                     int `json:"median_ms"`
}

// list runs wsi hooks, and returns whether the check failed and the rows by the last word of the command.
func (h *hookTrial) list() (fault bool, rows map[string]receiptRow) {
	h.t.Helper()
	_, env := h.rig.driver.command(h.rig, "main", "", "")
	env = append(env, "PATH="+filepath.Dir(h.rig.binary)+string(os.PathListSeparator)+os.Getenv("PATH")) // it is asked for its plugins
	out, err := h.rig.run(h.t.Context(), h.rig.wsi, []string{"hooks", "--check", "--json", "--harness", h.rig.id}, env)
	var list struct{ Hooks []receiptRow }
	if wrong := json.Unmarshal(out, &list); wrong != nil {
		h.t.Fatalf("%v, %v\n%s", wrong, err, out)
	}
	text, _ := h.rig.run(h.t.Context(), h.rig.wsi, []string{"hooks", "--harness", h.rig.id}, env) // the check said how it ends
	h.t.Logf("%s", text)
	rows = map[string]receiptRow{}
	for _, r := range list.Hooks {
		words := strings.Fields(r.Command)
		rows[filepath.Base(words[len(words)-1])] = r
	}
	return err != nil, rows
}

// TestReceipts compares what `wsi hooks` says of hooks of each kind with what they did in 20 calls, and in 5 more after they were
// repaired.
func TestReceipts(t *testing.T) {
	eachClaude(t, func(h *hookTrial) {
		script := func(name, content string) { h.write("home/"+name, "#!/bin/sh\n"+content+"\n") }
		entry := func(command, more string) string {
			return `{"type":"command","command":` + string(mustJSON(h.filled(command))) + more + "}"
		}
		group := func(matcher string, entries ...string) string {
			return `{"matcher":"` + matcher + `","hooks":[` + strings.Join(entries, ",\n") + "]}"
		}
		script("fails", "exit 1")
		script("hangs", "sleep 30")
		script("blocks", "exit 2")
		script("guard", "if grep -q secret; then exit 2; fi")
		settings := func(replaced string) string {
			return claudeSettings(`"hooks":{` + replaced + `"PostToolUse":[` + group("Bash", entry("echo hello # after", "")) + `],"PreToolUse":[` + strings.Join([]string{
				group("Bash", entry("true # silent", ""), entry("echo hello # talks", ""), entry("@HOME@/fails", ""), entry("@HOME@/hangs", `,"timeout":1`), entry("@HOME@/missing", "")),
				group("Write", entry("@HOME@/blocks", "")), group("Read", entry("@HOME@/guard", "")),
				group("bash", entry("true # lower", "")), group("WebSearch|WebFetch", entry("true # web", "")),
				group("Ba.*", entry("cd / && true # unjudged", "")),
				group("^mcp__workflow-server__", entry(setup.Quote("linux", h.rig.wsi)+" inject --harness claude-code", "")),
			}, ",\n") + "]}")
		}
		settings0 := func(replaced string) {
			h.write("home/.claude/settings.json", strings.Replace(settings(replaced), `"Bash",`, `"Bash","Write",`, 1))
		}
		settings0(`"PostToolUse":[` + group("Bash", entry("true # replaced", "")) + `],`)
		bash := Turn{{Tool: "Bash", Args: `{"command":"true","description":"nothing"}`, Bare: true}}
		write := func(n int) Turn {
			return Turn{{Tool: "Write", Args: fmt.Sprintf(`{"file_path":"%s","content":"x"}`, h.at(fmt.Sprint("work/", n))), Bare: true}}
		}
		server := Turn{{Tool: opening, Args: `{"workflow_id":"demo"}`}}
		read := func(file string) Turn {
			return Turn{{Tool: "Read", Args: `{"file_path":"` + h.at(file) + `"}`, Bare: true}}
		}
		calls := Script{server, server, read("work/a"), read("work/b"), read("work/c"), read("work/secret")}
		for n := range 12 {
			if calls = append(calls, bash); n%2 == 0 {
				calls = append(calls, write(n))
			}
		}
		began := time.Now().Add(-time.Second)
		h.converse("main", calls)
		ended := time.Now().Add(time.Second)

		fault, rows := h.list()
		if !fault {
			h.t.Error("the check finds nothing")
		}
		for name, want := range map[string]receiptRow{
			"silent":   {State: "no-failure", Calls: 12},
			"talks":    {State: "ran", Runs: 12},
			"after":    {State: "ran", Runs: 12},
			"fails":    {State: "failed", Runs: 12, Failed: 12, Calls: 12},
			"hangs":    {State: "failed", Runs: 12, Failed: 12, Calls: 12},
			"missing":  {State: "cannot-run", Runs: 12, Failed: 12, Calls: 12},
			"blocks":   {State: "blocks", Runs: 6, Blocked: 6, Calls: 6},
			"guard":    {State: "ran", Runs: 1, Blocked: 1, Calls: 4},
			"lower":    {State: "no-such-call"},
			"web":      {State: "no-such-call"},
			"replaced": {State: "cannot-run"},
			"unjudged": {State: "not-judged"},
			h.rig.id:   {State: "ran", Runs: 2},
		} {
			got := rows[name]
			if got.Runs > 0 && (got.Last.Before(began) || got.Last.After(ended) || got.Record == "") {
				h.t.Errorf("%s: last %v in %q, not between %v and %v", name, got.Last, got.Record, began, ended)
			}
			if slow := name == "hangs"; slow != (got.MedianMS >= 1000) {
				h.t.Errorf("%s takes %d ms", name, got.MedianMS)
			}
			got.Command, got.Record, got.Reason, got.Last, got.MedianMS = "", "", "", time.Time{}, 0
			if got != want {
				h.t.Errorf("%s: %+v, want %+v", name, got, want)
			}
		}
		for _, name := range []string{"fails", "hangs", "blocks", "missing"} {
			script(name, "exit 0")
		}
		settings0("")
		fault, rows = h.list()
		for _, name := range []string{"fails", "hangs", "blocks", "missing"} {
			if fault || rows[name].State != "changed" {
				h.t.Errorf("before a call after the repair: fault %v, %s is %s", fault, name, rows[name].State)
			}
		}
		h.converse("repaired", Script{bash, write(20), bash, write(21), bash})
		if fault, rows = h.list(); fault {
			h.t.Errorf("after the repair: %+v", rows)
		}
	})
}
