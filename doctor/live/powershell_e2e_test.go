//go:build e2e

package live

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/internal/testkit/npmtest"
)

// On Windows the harnesses that run hooks with PowerShell register lines that it runs, wherever wsi is. A grammar of PowerShell
// judges that: the program itself is not here.
func TestPowerShellRunsWhatIsRegistered(t *testing.T) {
	var lines []string
	for id, before := range map[string]string{"codex": "", "claude-code": "", "cursor": "& "} { // what they put before a line
		h, _ := registry.Get(id)
		for _, path := range []string{`C:\Users\ada\wsi.exe`, `C:\Users\Jörg Groß\wsi.exe`, `C:\Users\Jörg\wsi.exe`, `C:\a,b\wsi.exe`, `C:\Program Files (x86)\wsi\wsi.exe`, `C:\o'neil\wsi.exe`} {
			p := setup.Program{Path: path, Servers: []string{"a server", "b,c", "@d", "flows"}, As: map[string]string{"flows": harnesses.DefaultServer}}
			w, err := h.Wiring(windowsWithoutBash(t), setup.User, p)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range w.Hooks[0].Entries {
				lines = append(lines, before+e.Command)
			}
		}
	}
	bad := []string{`"C:/a b/wsi.exe" inject --harness codex`, `C:/a,b/wsi.exe inject`}
	input, err := json.Marshal(append(slices.Clone(bad), lines...))
	if err != nil {
		t.Fatal(err)
	}
	modules := npmtest.Install(t, filepath.Join("testdata", "npm", "powershell-grammar-0.26.4"))
	cmd := exec.Command("node", filepath.Join("testdata", "powershell.mjs"), modules)
	cmd.Stdin = bytes.NewReader(input)
	out, err := cmd.Output()
	var runs []bool
	if err == nil {
		err = json.Unmarshal(out, &runs)
	}
	if err != nil || len(runs) != len(bad)+len(lines) || len(lines) < 40 {
		t.Fatalf("%d lines, %d answers, %v", len(lines), len(runs), err)
	}
	for i, line := range slices.Concat(bad, lines) {
		if runs[i] != (i >= len(bad)) {
			t.Errorf("PowerShell runs it: %t: %s", runs[i], line)
		}
	}
}

// windowsWithoutBash returns a Windows machine on which Git is not installed.
func windowsWithoutBash(t *testing.T) setup.Env {
	t.Helper()
	dir := t.TempDir()
	return setup.Env{
		Home: dir, Cwd: dir, GOOS: "windows", Getenv: func(string) string { return "" },
		ReadFile: func(string) ([]byte, error) { return nil, fs.ErrNotExist }, Stat: func(string) (bool, error) { return false, fs.ErrNotExist },
		LookPath: func(string) (string, error) { return "", fs.ErrNotExist },
	}
}
