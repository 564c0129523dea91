package edit

import (
	"strings"
	"testing"
)

func TestMaskEntry(t *testing.T) {
	for _, entry := range []string{
		`{"type": "http", "url": "https://h.example", "headers": {"X-Team": "alpha7"}}`,
		`{ type = "command", command = "a", env = { TEAM = "alpha7" } }`,
		"[[hooks.PreToolUse.hooks]]\ncommand = \"a\"\n[hooks.PreToolUse.hooks.headers]\nX-Team = \"alpha7\"",
		`{"command": "API_KEY=alpha7 curl x"}`,
	} {
		masked := MaskEntry(entry)
		if strings.Contains(masked, "alpha7") || !strings.Contains(masked, "***") || len(masked) < len(entry)/2 {
			t.Errorf("%s: %s", entry, masked)
		}
	}
	if entry := `{"type": "command", "command": "rtk hook claude", "timeout": 5}`; MaskEntry(entry) != entry {
		t.Error(MaskEntry(entry))
	}
}
