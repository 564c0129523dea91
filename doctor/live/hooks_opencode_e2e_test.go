//go:build e2e

package live

import (
	"testing"
)

// openCodeHooks is a function that returns hooks. One of them leaves a mark.
func openCodeHooks(name string) string {
	return `async () => ({ "tool.execute.before": async () => { await Bun.write("@MARKS@/fired-` + name + `", "") } })`
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
			h := newHookTrial(t, subjectOf("opencode"))
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
