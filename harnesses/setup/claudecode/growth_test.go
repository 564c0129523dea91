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

func TestLike(t *testing.T) {
	for pattern, cases := range map[string]map[string]bool{
		"":                {"": true, "x": false},
		"*":               {"": true, "https://x": true},
		"https://h/x":     {"https://h/x": true, "https://h/x/y": false},
		"https://*.h/*":   {"https://a.h/": true, "https://a.h/b/c": true, "https://a.i/": false, "https://h/": false},
		"https://h/*/z*":  {"https://h/a/zb": true, "https://h/z": false},
		"https://h/*ab*b": {"https://h/ab": false, "https://h/abb": true},
	} {
		for text, want := range cases {
			if like(pattern, text) != want {
				t.Errorf("%q and %q: %t", pattern, text, !want)
			}
		}
	}
}
