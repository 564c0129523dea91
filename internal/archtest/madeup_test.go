package archtest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// madeUpRow is all that a harness with a relay needs: the one of CONTRIBUTING.md.
const madeUpRow = `
	{
		ID: "acme-cli", Name: "Acme CLI", Binary: "acme", MovedBy: "ACME_HOME",
		Dir:  func(env setup.Env) string { return filepath.Join(env.Home, ".acme") },
		User: []string{"mcp.json"}, Project: []string{".acme/mcp.json"}, Format: setup.JSONC, Table: "mcpServers",
		Form: setup.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "http", Kept: []string{"oauth"}},
		Why:  "there are no hooks", Share: "all conversations",
	},`

// A harness without hooks is one row: setup wires it, the doctor rehearses it, and no test names it. Only the tables that
// make docs writes are old.
func TestMadeUpHarnessIsOneRow(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	const rows = "harnesses/setup/relayonly/relayonly.go"
	const content = `{"mcpServers": {"workflow-server": {"command": "node"}}}`
	overlay := overlaid(t, rows, "var table = []setup.Plain{", "var table = []setup.Plain{"+madeUpRow)
	home := t.TempDir()
	program, config := filepath.Join(home, "wsi"), filepath.Join(home, ".acme", "mcp.json")
	goCommand(t, nil, "build", "-C", filepath.Join("..", ".."), "-overlay", overlay, "-o", program, "./cmd/wsi")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	wsi := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("wsi %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	wsi("setup", "--yes", "--binary", program, "--harness", "acme-cli", "--server", "workflow-server")
	if written, err := os.ReadFile(config); err != nil || !strings.Contains(string(written), `"relay", "--server", "workflow-server", "--harness", "acme-cli"`) {
		t.Errorf("setup wrote %s, %v", written, err)
	}
	if said := wsi("doctor", "--harness", "acme-cli", "--only", "token.delivered", "--json"); !regexp.MustCompile(`wsi made \d+ test calls, \d+ with the registered commands: each got the right value`).MatchString(said) {
		t.Errorf("the doctor says %s", said)
	}
	wsi("remove", "--yes")
	if left, err := os.ReadFile(config); err != nil || string(left) != content {
		t.Errorf("remove left %s, %v", left, err)
	}

	cmd := exec.CommandContext(t.Context(), "go", "test", "-json", "-overlay", overlay, "./harnesses/...", "./cmd/wsi", "-run",
		"Harness|Registry|CloneHas|Tables|WireNames|Docs|Md|Snippet|Completion|TestScripts/(command-line|wiring-without)")
	cmd.Dir = filepath.Join("..", "..")
	out, _ := cmd.Output() // the tables are old
	var failed []string
	said := map[string]string{}
	for line := range bytes.Lines(out) {
		var event struct{ Action, Test, Output string }
		if json.Unmarshal(line, &event) == nil {
			said[event.Test] += event.Output
		}
		if event.Action == "fail" && event.Test != "" {
			failed = append(failed, event.Test)
		}
	}
	slices.Sort(failed)
	if want := []string{"TestTables", "TestWireNamesOfRegistrations"}; !slices.Equal(failed, want) {
		t.Errorf("%v fail, and make docs writes only what %v compare", failed, want)
		for _, name := range failed {
			t.Log(said[name])
		}
	}
}

// overlaid writes an overlay for the go command, in which a text in a file of the module is another one.
func overlaid(t *testing.T, name, old, with string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(text, []byte(old)) {
		t.Fatalf("%s does not have %s: %v", name, old, err)
	}
	changed, overlay := filepath.Join(t.TempDir(), "changed.go"), filepath.Join(t.TempDir(), "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{path: changed}})
	if err == nil {
		err = os.WriteFile(overlay, list, 0o600)
	}
	if err == nil {
		err = os.WriteFile(changed, bytes.Replace(text, []byte(old), []byte(with), 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return overlay
}
