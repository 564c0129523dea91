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

// wsi says of a configuration what OpenCode itself says, in OpenCode's words, and leaves the user's folders as they are.
func TestOpenCodeStartsAsWsiSays(t *testing.T) {
	binary := harness(t, "opencode", "1.18.33", "opencode-linux-x64-baseline/bin/opencode")
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
