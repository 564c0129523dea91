package npmtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Tests that need the same program at once install it once: npm fails where two install into one folder.
func TestInstallAtOnce(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed")
	}
	t.Setenv("WSI_E2E_CACHE", t.TempDir())
	from, tool := filepath.Join(t.TempDir(), "x"), `{"name":"tool","version":"1.0.0"}`
	for path, content := range map[string]string{
		"package.json": `{"private":true,"dependencies":{"tool":"file:tool"}}`, "tool/package.json": tool,
		"package-lock.json": `{"lockfileVersion":3,"packages":{"":{"dependencies":{"tool":"file:tool"}},"node_modules/tool":{"resolved":"tool","link":true},"tool":{"version":"1.0.0"}}}`,
	} {
		path = filepath.Join(from, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			content, err := os.ReadFile(filepath.Join(Install(t, from), "tool", "package.json"))
			if err != nil || string(content) != tool {
				t.Errorf("%s, %v", content, err)
			}
		})
	}
	all.Wait()
}
