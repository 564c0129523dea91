package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkSetup measures the time from `wsi setup` to a proven round trip with four harnesses: inspecting, planning,
// writing and the doctor's round trip for each.
func BenchmarkSetup(b *testing.B) {
	if testing.Short() {
		b.Skip("it builds wsi")
	}
	wsi := filepath.Join(b.TempDir(), "wsi")
	build(b, wsi)
	for b.Loop() {
		b.StopTimer()
		e, err := newEnv()
		if err != nil {
			b.Fatal(err)
		}
		e.Home, e.StateDir = b.TempDir(), b.TempDir()
		e.Getenv = func(name string) string { return map[string]string{"PATH": os.Getenv("PATH")}[name] }
		for path, content := range map[string]string{
			".claude/settings.json":          "{\n  \"model\": \"opus\"\n}\n",
			".claude.json":                   `{"mcpServers":{"workflow-server":{"command":"x"}}}`,
			".codex/config.toml":             "[mcp_servers.workflow-server]\ncommand = \"x\"\n",
			".cursor/mcp.json":               `{"mcpServers":{"workflow-server":{"command":"x"}}}`,
			".config/opencode/opencode.json": `{"mcp":{"workflow-server":{"type":"local","command":["x"]}}}`,
		} {
			path = filepath.Join(e.Home, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				b.Fatal(err)
			}
		}
		var out strings.Builder
		e.Stdin, e.Stdout, e.Stderr = strings.NewReader(strings.Repeat("y\n", 4)+strings.Repeat("hooks\n", 4)+"none\n"+strings.Repeat("y\n", 2)), &out, io.Discard
		b.StartTimer()
		root := newRootCmd(e)
		root.SetArgs([]string{"setup", "--plain", "--scope", "user", "--binary", wsi, "--trust-codex-hooks"})
		if err := root.ExecuteContext(context.Background()); err != nil {
			b.Fatalf("%v\n%s", err, out.String())
		}
		if n := strings.Count(out.String(), "✓ delivered"); n != 3 { // for Cursor the line has more text
			b.Fatalf("%d harnesses are proven:\n%s", n, out.String())
		}
	}
}

// build compiles wsi as it is released.
func build(b *testing.B, to string) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", to, ".")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
}
