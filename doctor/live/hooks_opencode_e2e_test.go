//go:build e2e

package live

import (
	"bytes"
	"errors"
	"maps"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/harnesses/setup/opencode"
	"wsi/internal/testkit/envtest"
)

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
			for _, path := range []string{"home/.config/opencode/plugin/fired-user.js", "work/.opencode/plugin/fired-project.js", "work/fired-variable.js", "work/fired-listed.js"} {
				mark := strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".js")
				h.write(path, `export default async () => ({ "tool.execute.before": async () => { await Bun.write("@MARKS@/`+mark+`", "") } })`)
			}
			h.write("work/opencode.json", `{"plugin":["./fired-listed.js"]}`)
			h.env = []string{c.env}
			h.compare()
		})
	}
}

// wsi says of a configuration what OpenCode itself says, in OpenCode's words, and leaves the user's folders as they are.
func TestOpenCodeStartsAsWsiSays(t *testing.T) {
	binary := subjectOf("opencode").program(t)
	for _, c := range []struct{ own, project, named, want string }{
		{"{}", `{"mcp":{"w":{"enabled":false}}, // mine` + "\n}", `{"model":"{file:./none}"}`, ""},
		{`{"mcp":null}`, "{}", "{}", "/.config/opencode/opencode.json: mcp: Expected object | undefined"},
		{"{}", "null", "{}", "/project/opencode.json: Expected Config"},
		{"{}", "{}", `{"mcp":{"w":{"type":"local"}}}`, "/named.json: Missing key mcp.w.command; Missing key mcp.w.enabled"},
		{"{}", "{\"mcp\"\n5}", "{}", "/project/opencode.json: line 2, column 1: ColonExpected"},
		{`{"share":"hunter2"}`, "{}", "{}", "/.config/opencode/opencode.json: share: Expected "},
	} {
		vars := map[string]string{"PATH": "/usr/bin:/bin"}
		env := envtest.New(t, map[string]string{
			".config/opencode/opencode.json": c.own, "project/opencode.json": c.project, "named.json": c.named,
			"other/opencode.jsonc": "{}", ".opencode/opencode.jsonc": "{}", // more than one question
		}, vars)
		vars["OPENCODE_CONFIG"], vars["OPENCODE_CONFIG_DIR"] = env.Home+"/named.json", env.Home+"/other"
		before := snapshot(t, env.Home)
		err := opencode.Harness().Proof.Starts(t.Context(), env, binary, t.TempDir())
		refused, _ := errors.AsType[setup.InvalidConfigError](err)
		if c.want == "" && err != nil || c.want != "" && !strings.Contains(refused.Why, c.want) || strings.Contains(refused.Why, "hunter2") {
			t.Errorf("%q, %q, %q: %v", c.own, c.project, c.named, err)
		}
		if !maps.EqualFunc(before, snapshot(t, env.Home), bytes.Equal) {
			t.Error("it changed the user's files")
		}
	}
}
