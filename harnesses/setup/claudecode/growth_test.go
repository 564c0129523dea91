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
				`]}`,
		}, nil)
		return func() {
			if p, err := find(env); err != nil || len(p.Servers) != n {
				t.Fatalf("%d servers, %v", len(p.Servers), err)
			}
		}
	})
}
