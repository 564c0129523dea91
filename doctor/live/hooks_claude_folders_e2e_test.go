//go:build e2e

package live

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// plugin writes a plugin with a hook and a module, each named after it, and with a manifest unless that is "".
func (h *hookTrial) plugin(folder, mark, manifest string) {
	h.t.Helper()
	if manifest != "" {
		h.write(folder+"/.claude-plugin/plugin.json", manifest)
	}
	if h.old() { // it knows no modules
		h.write(folder+"/hooks/hooks.json", strings.Split(marking(mark, ""), ",\n\"modules")[0]+"}")
		return
	}
	h.write(folder+"/hooks/hooks.json", marking(mark, "./fired-"+mark+"-mod.mjs"))
	h.mod(folder+"/hooks", "fired-"+mark+"-mod.mjs")
}

// named writes a plugin that its manifest calls by the last part of its folder.
func (h *hookTrial) named(folders ...string) {
	h.t.Helper()
	for _, folder := range folders {
		name := folder[strings.LastIndexByte(folder, '/')+1:]
		h.plugin(folder, name, `{"name":"`+name+`"}`)
	}
}

// trusting has the user trust the folder.
func (h *hookTrial) trusting(dirs ...string) {
	h.t.Helper()
	path := filepath.Join(h.rig.Home, ".claude.json")
	content, err := os.ReadFile(path)
	if err != nil {
		h.t.Fatal(err)
	}
	of := `"` + strings.Join(dirs, `":{"hasTrustDialogAccepted":true},"`) + `":{"hasTrustDialogAccepted":true}`
	h.write("home/.claude.json", strings.Replace(string(content), "{", `{"projects":{`+of+`},`, 1))
}

// managed is the administrator's file.
func (h *hookTrial) managed(content string) {
	h.t.Helper()
	h.write("etc/claude-code/managed-settings.json", content)
}

// Plugins in a folder of skills.
func TestHooksOfClaudeCodeInSkills(t *testing.T) {
	hidden := []string{"fired-hidden"}
	skills := func(h *hookTrial) {
		const dir = "home/.claude/skills/"
		h.named(dir+"sk", dir+"withmd", dir+"off", dir+"on", dir+"deep/deeper", "home/elsewhere/linked", "work/.claude/skills/proj", "home/.claude/plugins/pl")
		h.plugin(dir+".hidden", "hidden", `{"name":"hidden"}`)
		h.plugin(dir+"other", "named", `{"name":"named"}`)
		h.write(dir+"withmd/SKILL.md", "---\nname: withmd\ndescription: d\n---\nHi\n")
		h.plugin(dir+"nomanifest", "nomanifest", "")
		h.write(dir+"nomanifest/SKILL.md", "---\nname: nomanifest\ndescription: d\n---\nHi\n")
		h.plugin(dir+"badmanifest", "badmanifest", "{")
		h.plugin(dir+"noname", "noname", "{}")
		h.plugin(dir+"emptyname", "emptyname", `{"name":""}`)
		h.plugin(dir+"spaced", "spaced", `{"name":"a b"}`)
		h.plugin(dir+"numbered", "numbered", `{"name":5}`)
		h.plugin(dir+"extra", "extra", `{"name":"extra","unknown":1,"version":5}`)
		h.plugin(dir+"badhooks", "badhooks", `{"name":"badhooks","hooks":5}`)
		h.plugin(dir+"offdir", "offname", `{"name":"offname"}`)
		h.plugin(dir+"notdefault", "notdefault", `{"name":"notdefault","defaultEnabled":false}`)
		h.plugin(dir+"notdefaulton", "notdefaulton", `{"name":"notdefaulton","defaultEnabled":false}`)
		h.plugin(dir+"dup1", "dup", `{"name":"dup"}`)
		h.plugin(dir+"dup2", "dup2", `{"name":"dup"}`)
		h.plugin(dir+"dup3", "dup3", `{"name":"Dup"}`)
		h.plugin(dir+"mp", "mp", `{"name":"mp"}`)
		h.plugin(dir+"mpoff", "mpoff", `{"name":"mpoff"}`)
		h.plugin("market/plugins/mp", "mpm", "")
		h.plugin("market/plugins/mpoff", "mpoffm", "")
		h.write(dir+"inline/.claude-plugin/plugin.json", `{"name":"inline","hooks":{"SessionStart":[{"hooks":[
{"type":"command","command":"@fired-inline@"}]}]}}`)
		h.market("mp", "mpoff")
		if err := os.Symlink(h.at("home/elsewhere/linked"), h.at(dir+"linked")); err != nil {
			h.t.Fatal(err)
		}
		h.write("home/.claude/settings.json", claudeSettings(`"enabledPlugins":{"mp@mk":true,"mpoff@mk":false,"off@skills-dir":false,"offdir@skills-dir":false,"on@skills-dir":true,"notdefaulton@skills-dir":true}`))
	}
	managed := func(content string) func(h *hookTrial) {
		return func(h *hookTrial) {
			skills(h)
			h.managed(content)
		}
	}
	runClaudeCases(t, []claudeCase{
		{name: "any", older: hidden, make: skills},
		{name: "trusted", older: hidden, make: func(h *hookTrial) {
			skills(h)
			h.trusting(h.rig.Work)
		}},
		{name: "allowed", older: hidden, make: managed(`{"strictKnownMarketplaces":[{"source":"skills-dir"}]}`)},
		{name: "not allowed", make: managed(`{"strictKnownMarketplaces":[{"source":"hostPattern","hostPattern":".*"}]}`)},
		{name: "blocked", make: managed(`{"blockedMarketplaces":[{"source":"skills-dir"}]}`)},
		{name: "only plugins", make: managed(`{"strictPluginOnlyCustomization":true}`)},
		{name: "only skills of plugins", make: managed(`{"strictPluginOnlyCustomization":["skills"]}`)},
		{name: "only hooks of plugins", make: managed(`{"strictPluginOnlyCustomization":["hooks"]}`)},
		{name: "switched on by the administrator", make: managed(`{"allowManagedHooksOnly":true,"enabledPlugins":{"sk@skills-dir":true}}`)},
		{name: "switched off in the project", older: hidden, make: func(h *hookTrial) {
			skills(h)
			h.write("work/.claude/settings.json", `{"enabledPlugins":{"sk@skills-dir":false,"off@skills-dir":true}}`)
		}},
		{name: "moved", make: func(h *hookTrial) {
			skills(h)
			h.named("moved/skills/mv")
			h.write("moved/settings.json", claudeSettings(`"x":1`))
			h.env = []string{"CLAUDE_CONFIG_DIR=" + h.at("moved")}
		}},
		{name: "below", older: hidden, make: func(h *hookTrial) {
			skills(h)
			git(h.t, h.rig.Work, "init", "-q")
			h.named("work/a/.claude/skills/a", "work/a/b/.claude/skills/b")
			h.trusting(h.rig.Work)
			h.rig.Work = h.at("work/a/b")
		}},
		{name: "below without a repository", older: hidden, make: func(h *hookTrial) {
			skills(h)
			h.named("work/a/.claude/skills/a", "work/a/b/.claude/skills/b")
			h.trusting(h.rig.Work)
			h.rig.Work = h.at("work/a/b")
		}},
		{name: "the home folder", older: hidden, make: func(h *hookTrial) {
			skills(h)
			h.trusting(h.rig.Home)
			h.rig.Work = h.rig.Home
		}},
	})
}

// Plugins in folders that a variable names.
func TestHooksOfClaudeCodeInPluginDirs(t *testing.T) {
	dirs := func(h *hookTrial) string {
		if h.old() {
			h.t.Skip("it does not know the variable")
		}
		h.named("d/one", "d/two", "home/three", "work/rel", "d/off", "d/shelf/inner", "d/shelf/deep/deeper", "d/stall/nested", "d/mall/shop", "d/hall/hooks")
		h.plugin("d/shelf/.hidden", "hidden", `{"name":"hidden"}`)
		h.plugin("d/shelf/none", "none", "")
		h.plugin("d/nomanifest", "nomanifest", "")
		h.plugin("d/notdefault", "notdefault", `{"name":"notdefault","defaultEnabled":false}`)
		h.plugin("d/dup1", "dup", `{"name":"dup"}`)
		h.plugin("d/dup2", "dup2", `{"name":"dup"}`)
		h.plugin("d/mp", "mp", `{"name":"mp"}`)
		h.plugin("market/plugins/mp", "mpm", "")
		h.plugin("d/mo", "mo", `{"name":"mo"}`)
		h.plugin("market/plugins/mo", "mom", "")
		h.plugin("d/sk", "sk", `{"name":"sk"}`)
		h.plugin("home/.claude/skills/sk", "sks", `{"name":"sk"}`)
		h.plugin("d/bad", "bad", "{")
		h.plugin("d/noname", "noname", "{}")
		h.write("d/stall/skills/x/SKILL.md", "---\nname: x\ndescription: d\n---\nHi\n")
		h.write("d/mall/.claude-plugin/marketplace.json", `{"name":"mall","owner":{"name":"o"},"plugins":[]}`)
		h.write("d/mixed/SKILL.md", "---\nname: x\ndescription: d\n---\nHi\n")
		h.named("d/mixed/in-mixed")
		h.market("mp", "mo")
		all := " : ~/three:rel:$HOME/three:" + h.at("d/one") + "/: " + h.at("d/two") + " "
		for _, name := range []string{"off", "shelf", "stall", "mall", "hall", "nomanifest", "notdefault", "dup1", "dup2", "mp", "mo", "sk", "bad", "noname", "mixed", "missing"} {
			all += ":" + h.at("d/"+name)
		}
		return all
	}
	const plugins = `"enabledPlugins":{"mp@mk":true,"mo@mk":true,"mo@inline":false,"off@inline":false}`
	in := func(file, members string) func(h *hookTrial) {
		return func(h *hookTrial) {
			value := dirs(h)
			h.managed("{}")
			h.write("home/.claude/settings.json", claudeSettings(plugins))
			h.write(file, claudeSettings(strings.TrimPrefix(plugins+`,"env":{"CLAUDE_CODE_PLUGIN_DIRS":"`+value+`"}`+members, ",")))
		}
	}
	variable := func(h *hookTrial) {
		h.env = []string{"CLAUDE_CODE_PLUGIN_DIRS=" + dirs(h)}
		h.write("home/.claude/settings.json", claudeSettings(plugins))
	}
	runClaudeCases(t, []claudeCase{
		{name: "in the environment", make: variable},
		{name: "in user", make: in("home/.claude/settings.json", "")},
		{name: "in managed", make: in("etc/claude-code/managed-settings.json", "")},
		{name: "in project", make: func(h *hookTrial) {
			in("work/.claude/settings.json", "")(h)
			h.trusting(h.rig.Work)
		}},
		{name: "in local", make: func(h *hookTrial) {
			in("work/.claude/settings.local.json", "")(h)
			h.trusting(h.rig.Work)
		}},
		{name: "in both", make: func(h *hookTrial) {
			in("home/.claude/settings.json", "")(h)
			h.named("d/another")
			h.env = []string{"CLAUDE_CODE_PLUGIN_DIRS=" + h.at("d/another")}
		}},
		{name: "emptied", make: func(h *hookTrial) {
			variable(h)
			h.write("home/.claude/settings.json", claudeSettings(plugins+`,"env":{"CLAUDE_CODE_PLUGIN_DIRS":""}`))
		}},
		{name: "in user and managed", make: func(h *hookTrial) {
			in("home/.claude/settings.json", "")(h)
			h.named("d/another")
			h.managed(`{"env":{"CLAUDE_CODE_PLUGIN_DIRS":"` + h.at("d/another") + `"}}`)
		}},
		{name: "no marketplaces", make: func(h *hookTrial) {
			variable(h)
			h.managed(`{"strictKnownMarketplaces":[],"blockedMarketplaces":[{"source":"skills-dir"}]}`)
		}},
		{name: "only plugins", make: func(h *hookTrial) {
			variable(h)
			h.managed(`{"strictPluginOnlyCustomization":true}`)
		}},
		{name: "only managed hooks", make: func(h *hookTrial) {
			variable(h)
			h.managed(`{"allowManagedHooksOnly":true,"enabledPlugins":{"one@inline":true}}`)
		}},
	})
}
