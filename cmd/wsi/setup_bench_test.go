package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wsi/internal/testkit/buildtest"
)

// BenchmarkSetup measures the time from `wsi setup` to a proven round trip with four harnesses: inspecting, planning,
// writing and the doctor's round trip for each.
func BenchmarkSetup(b *testing.B) {
	if testing.Short() {
		b.Skip("it builds wsi")
	}
	wsi, err := buildtest.Program(b.TempDir(), buildtest.Wsi)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		b.StopTimer()
		cmd := exec.CommandContext(b.Context(), wsi, "setup", "--plain", "--scope", "user", "--trust-codex-hooks", "--binary", wsi)
		home := homeOfFour(b)
		cmd.Env = []string{"HOME=" + home, "WSI_STATE_DIR=" + b.TempDir(), "PATH=" + os.Getenv("PATH")}
		cmd.Stdin = strings.NewReader(strings.Repeat("y\n", 6))
		b.StartTimer()
		out, err := cmd.CombinedOutput()
		if err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		if n := strings.Count(string(out), "✓ delivered"); n != 3 { // for Cursor the line has more text
			b.Fatalf("%d harnesses are proven:\n%s", n, out)
		}
	}
}

// homeOfFour returns a home folder with the settings of four harnesses.
func homeOfFour(b *testing.B) (home string) {
	b.Helper()
	home = b.TempDir()
	for path, content := range map[string]string{
		".claude/settings.json":          "{\n  \"model\": \"opus\"\n}\n",
		".claude.json":                   `{"mcpServers":{"workflow-server":{"command":"x"}}}`,
		".codex/config.toml":             "[mcp_servers.workflow-server]\ncommand = \"x\"\n",
		".cursor/mcp.json":               `{"mcpServers":{"workflow-server":{"command":"x"}}}`,
		".config/opencode/opencode.json": `{"mcp":{"workflow-server":{"type":"local","command":["x"]}}}`,
	} {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return home
}
