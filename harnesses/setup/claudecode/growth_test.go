package claudecode

import (
	"fmt"
	"strings"
	"testing"

	"wsi/internal/testkit/envtest"
	"wsi/internal/testkit/growthtest"
)

// A project can register many servers, and name many in its settings.
func TestTimeOfManyServersIsLinear(t *testing.T) {
	list := func(n int, part string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf(part, i)
		}
		return strings.Join(parts, ",")
	}
	growthtest.Linear(t, 500, func(n int) func() {
		env := envtest.New(t, map[string]string{
			"project/.mcp.json": `{"mcpServers": {` + list(n, `"s%d": {"command": "x"}`) + `}}`,
			"project/.claude/settings.json": `{"enabledMcpjsonServers": [` + list(n, `"a%d"`) + `], "disabledMcpjsonServers": [` + list(n, `"b%d"`) +
				`], "deniedMcpServers": [` + list(n, `{"serverCommand": ["c%d"]}`) + `], "permissions": {"deny": [` + list(n, `"mcp__d%d"`) + `]}}`,
		}, nil)
		return func() {
			if p, err := find(env); err != nil || len(p.Servers) != n {
				t.Fatalf("%d servers, %v", len(p.Servers), err)
			}
		}
	})
}

// A project can have many skills that are plugins. Whether the user trusts it is read once, from a file that grows to megabytes.
func TestTimeOfManyPluginsIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	growthtest.Linear(t, 100, func(n int) func() {
		files := map[string]string{".claude.json": `{"projects": {` + strings.Repeat(`"/x": {"history": []}, `, 20*n) + `"/y": {}}}`}
		for i := range n {
			root := fmt.Sprintf("project/.claude/skills/s%d/", i)
			files[root+".claude-plugin/plugin.json"] = fmt.Sprintf(`{"name": "s%d"}`, i)
			files[root+"hooks/hooks.json"] = `{"hooks": {"Stop": []}}`
		}
		env := envtest.New(t, files, nil)
		return func() {
			if all := pluginFiles(env); len(all) != n {
				t.Fatalf("%d files", len(all))
			}
		}
	})
}
