//go:build e2e

package live

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// openCodeTrial is a home of OpenCode with a call of an MCP server.
func openCodeTrial(t *testing.T) *hookTrial {
	t.Helper()
	script := Script{{{Tool: "start_session", Args: `{"workflow_id":"demo"}`}}}
	h := newHookTrial(t, "opencode", harness(t, "opencode", "1.18.33", "opencode-linux-x64-baseline/bin/opencode"), script, nil, []string{"tool.execute.before"})
	return h
}

// openCodeHooks is a function that returns hooks. One of them leaves a mark.
func openCodeHooks(name string) string {
	return `async () => ({ "tool.execute.before": async () => { await Bun.write("@MARKS@/fired-` + name + `", "") } })`
}

// The forms of plugins, the places where OpenCode looks for them, and those where it does not.
func TestHooksOfOpenCode(t *testing.T) {
	h := openCodeTrial(t)
	named := func(name string) string { return "export const Plugin = " + openCodeHooks(name) + "\n" }
	for name, text := range map[string]string{
		"named":           named("named"),
		"default":         "export default " + openCodeHooks("default"),
		"both":            "const p = " + openCodeHooks("both") + "\nexport default p\nexport { p as Plugin }\n",
		"two":             "export const A = async () => ({})\nexport const B = " + openCodeHooks("two") + "\n",
		"function":        "export function Plugin() { return { async \"tool.execute.before\"() { await Bun.write(\"@MARKS@/fired-function\", \"\") } } }\n",
		"constant":        "export const VERSION = \"1\"\n" + named("constant"),
		"number":          named("number") + "export const limit: number = 7\n",
		"list":            named("list") + "export let names = [\"a\"]\n",
		"class":           named("class") + "export class Helper {}\n",
		"object":          "export default { \"tool.execute.before\": async () => { await Bun.write(\"@MARKS@/fired-object\", \"\") } }\n",
		"server":          "export default { server: " + openCodeHooks("server") + " }\n",
		"server-id":       "export default { id: \"x\", server: " + openCodeHooks("server-id") + " }\n",
		"server-named":    "export const Plugin = { server: " + openCodeHooks("server-named") + " }\n",
		"none":            "const Plugin = " + openCodeHooks("none") + "\n",
		"comment":         "// export const VERSION = \"1\"\n/* export class X {} */\n" + named("comment"),
		"commonjs":        "module.exports = " + openCodeHooks("commonjs") + "\n",
		"commonjs-object": "module.exports = { Plugin: " + openCodeHooks("commonjs-object") + " }\n",
		"exports":         "exports.Plugin = " + openCodeHooks("exports") + "\n",
		"types":           "export type Options = { a: string }\nexport interface More { b: number }\n" + named("types"),
	} {
		ext := ".js"
		if name == "number" || name == "types" {
			ext = ".ts"
		}
		h.write("home/.config/opencode/plugin/fired-"+name+ext, text)
	}
	for _, ext := range []string{"mjs", "cjs", "mts", "tsx", "jsx", "json"} {
		h.write("home/.config/opencode/plugins/fired-"+ext+"."+ext, named(ext))
	}
	h.write("home/.config/opencode/plugins/.fired-hidden.js", named("hidden"))
	h.write("home/.config/opencode/plugins/fired-folder/index.js", named("folder"))
	h.write("home/.opencode/plugins/fired-home.ts", named("home"))
	h.write("work/.opencode/plugin/fired-project.js", named("project"))
	h.write("work/plugin/fired-elsewhere.js", named("elsewhere"))
	h.write(".opencode/plugin/fired-parent.js", named("parent"))
	for _, dir := range []string{"../.opencode/", "../extra/"} {
		if err := h.rig.furnish(dir); err != nil {
			t.Fatal(err)
		}
	}
	h.write("extra/plugin/fired-extra.js", named("extra"))
	h.env = []string{"OPENCODE_CONFIG_DIR=" + filepath.Join(filepath.Dir(h.rig.Home), "extra")}

	for _, name := range []string{"absolute", "relative", "url", "options", "module", "twice", "overridden"} {
		h.write("work/lib/fired-"+name+".mjs", named(name))
	}
	h.write("work/lib/fired-index/index.ts", named("index"))
	h.write("work/lib/fired-main/package.json", `{"main":"./src/x.js"}`)
	h.write("work/lib/fired-main/src/x.js", named("main"))
	h.write("work/lib/fired-packaged/package.json", `{"main":"./no.js","exports":{"./server":{"import":"./x.js"}}}`)
	h.write("work/lib/fired-packaged/x.js", named("packaged"))
	h.write("work/lib/fired-empty/README", "")
	h.write("work/opencode.json", `{
  // the project's
  "plugin": ["@WORK@/lib/fired-absolute.mjs", "./lib/fired-relative.mjs", "file://@WORK@/lib/fired-url.mjs",
    ["./lib/fired-options.mjs", {"a": 1}], "./lib/fired-missing.mjs", "./lib/fired-index", "./lib/fired-main", "./lib/fired-packaged",
    "./lib/fired-empty", "lib/fired-module.mjs", "./lib/../lib/fired-twice.mjs", "file://@WORK@/lib/fired-twice.mjs",
  ],
}`)
	h.compare()
}

// A repository, of which OpenCode reads the folders down to the current one.
func TestHooksOfOpenCodeInARepository(t *testing.T) {
	h := openCodeTrial(t)
	for dir, name := range map[string]string{"": "above", "work/": "root", "work/a/": "middle", "work/a/b/": "current"} {
		h.write(dir+".opencode/plugin/fired-"+name+".js", "export default "+openCodeHooks(name))
		if err := h.rig.furnish("../" + dir + ".opencode/"); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("git", "init", "-q", h.rig.Work).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	h.rig.Work = filepath.Join(h.rig.Work, "a", "b")
	h.compare()
}

// Switches for all plugins, or for those of a project.
func TestSwitchesOfOpenCode(t *testing.T) {
	for _, c := range []struct{ name, env string }{
		{"pure", "OPENCODE_PURE=1"},
		{"pure in words", "OPENCODE_PURE=yes"},
		{"no project", "OPENCODE_DISABLE_PROJECT_CONFIG=1"},
		{"in a variable", `OPENCODE_CONFIG_CONTENT={"plugin":["./fired-variable.js"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := openCodeTrial(t)
			h.write("home/.config/opencode/plugin/fired-user.js", "export default "+openCodeHooks("user"))
			h.write("work/.opencode/plugin/fired-project.js", "export default "+openCodeHooks("project"))
			h.write("work/fired-variable.js", "export default "+openCodeHooks("variable"))
			h.write("work/fired-listed.js", "export default "+openCodeHooks("listed"))
			h.write("work/opencode.json", `{"plugin":["./fired-listed.js"]}`)
			h.env = []string{c.env}
			h.compare()
		})
	}
}
