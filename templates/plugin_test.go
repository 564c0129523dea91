package templates

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"wsi/harnesses/setup"
)

// TestPlugin runs the plugin's tests, which are in JavaScript.
func TestPlugin(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the wsi of these tests is a shell script")
	}
	for _, tests := range []string{"testdata/opencode.test.mjs", "testdata/opencode2.test.mjs"} {
		t.Run(tests, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p := setup.Program{Path: filepath.Join(dir, "wsi"), Servers: []string{"workflow-server"}}
			// Without the first line: nothing must depend on it.
			_, body, _ := bytes.Cut(OpenCode(p), []byte("\n"))
			write(t, filepath.Join(dir, "wsi.js"), body)
			write(t, filepath.Join(dir, "package.json"), []byte(`{"type":"module"}`))
			runTests(t, dir, []string{"node", "--expose-gc", "--test", "--test-reporter=tap", tests})
		})
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
