package templates

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"wsi/harnesses"
)

// TestPlugin runs the plugin's tests, which are in its own language. Building and proving wsi needs
// Node and npm anyway.
func TestPlugin(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the wsi of these tests is a shell script")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatalf("the tests of the OpenCode plugin need Node 20 or newer: %v", err)
	}
	dir := t.TempDir()
	p := harnesses.Program{Path: filepath.Join(dir, "wsi"), Servers: []string{"workflow-server"}}
	write(t, filepath.Join(dir, "wsi.js"), OpenCode(p))
	write(t, filepath.Join(dir, "package.json"), []byte(`{"type":"module"}`))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, "--expose-gc", "--test", "--test-reporter=tap", "testdata/opencode.test.mjs")
	cmd.Env = append(os.Environ(), "WSI_TEST_DIR="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
