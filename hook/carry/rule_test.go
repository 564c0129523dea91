package carry

import "testing"

func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"workflow-server", "workflow_server", true},
		{"mcp__plexus__loopback_permit", "mcp__plexus__loopback.permit", true},
		{"my server", "my_server", true},
		{"straße", "stra_e", true},
		{"a", "A", false},
		{"ab", "a", false},
		{"", "", true},
	} {
		if Same(c.a, c.b) != c.want {
			t.Errorf("Same(%q, %q) is not %v", c.a, c.b, c.want)
		}
	}
}
