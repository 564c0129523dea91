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
		Why:  "it has no hooks", Share: "all its conversations",
	},`

// A harness without hooks is one row: setup wires it, the doctor rehearses it, and no test names it. Only the tables that
// make docs writes are old.
func TestMadeUpHarnessIsOneRow(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	const rows = "harnesses/setup/relayonly/relayonly.go"
	overlay := overlaid(t, map[string]string{rows: changed(t, rows, "var table = []setup.Plain{", "var table = []setup.Plain{"+madeUpRow)})
	proveMadeUp(t, overlay, ".acme/mcp.json", `{"mcpServers": {"workflow-server": {"command": "node"}}}`, `"relay", "--server", "workflow-server", "--harness", "acme-cli"`)
}

// madeUpDialect and madeUpSetup are the folders of a harness with hooks. Its events are those of Cursor.
const (
	madeUpDialect = `package acme

import (
	"wsi/harnesses"
	"wsi/harnesses/cursor"
)

const ID = "acme-cli"

func Dialect() harnesses.Dialect {
	return harnesses.Dialect{Codec: cursor.Codec{}, Capabilities: harnesses.Capabilities{Deny: cursor.Codec{}.Deny, MayOmitServer: true}}
}
`
	madeUpSetup = `package acme

import (
	"path/filepath"

	"wsi/harnesses"
	"wsi/harnesses/acme"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/cursor"
)

func Harness() setup.Harness {
	return setup.Harness{
		ID: acme.ID, Name: "Acme CLI", Dialect: acme.Dialect(), Find: find, Wiring: wiring,
		Files: setup.HookFiles{Reads: reads},
		Proof: setup.Proof{Simulator: cursor.Simulator{}},
	}
}

func reads(env setup.Env, scope setup.Scope) []setup.HookFile {
	return []setup.HookFile{{Path: file(env, scope), Format: setup.JSON, Shape: setup.Flat}}
}

func file(env setup.Env, scope setup.Scope) string {
	if scope == setup.Project {
		return filepath.Join(env.Cwd, ".acme", "hooks.json")
	}
	return filepath.Join(env.Home, ".acme", "hooks.json")
}

func find(env setup.Env) (setup.Presence, error) {
	return env.Locate("acme", "ACME_HOME", filepath.Join(env.Home, ".acme")), nil
}

func wiring(env setup.Env, scope setup.Scope, p setup.Program) (setup.Wiring, error) {
	return setup.Wiring{Hooks: []setup.HookFile{{
		Path: file(env, scope), Format: setup.JSON, Shape: setup.Flat,
		Entries: []setup.Entry{
			{Event: "preToolUse", Command: p.Command(env.GOOS, harnesses.Inject, acme.ID)},
			{Event: "postToolUse", Command: p.Command(env.GOOS, harnesses.Capture, acme.ID)},
			{Event: "afterMCPExecution", Command: p.Command(env.GOOS, harnesses.Capture, acme.ID)},
		},
	}}}, p.Check(env.GOOS)
}
`
)

// A harness with hooks is its folders, a case in one list and an element of another.
func TestMadeUpHarnessWithHooksIsAFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	proveMadeUp(t, overlaid(t, map[string]string{
		"harnesses/acme/dialect.go":       madeUpDialect,
		"harnesses/setup/acme/harness.go": madeUpSetup,
		"harnesses/dialects/dialects.go": changed(t, "harnesses/dialects/dialects.go",
			"import (\n", "import (\n\"wsi/harnesses/acme\"\n", "\tcase opencode.ID:\n", "\tcase acme.ID:\n\t\treturn acme.Dialect()\n\tcase opencode.ID:\n"),
		"harnesses/setup/registry/registry.go": changed(t, "harnesses/setup/registry/registry.go",
			"import (\n", "import (\n\"wsi/harnesses/setup/acme\"\n", "opencode.Harness()}", "opencode.Harness(), acme.Harness()}"),
	}), ".acme/hooks.json", "{}", "inject --harness acme-cli")
}

// proveMadeUp sets up the harness acme-cli with a wsi that was built with an overlay, and runs the tests that all harnesses must
// pass. file, in the home folder, then has the words.
func proveMadeUp(t *testing.T, overlay, file, content, words string) {
	t.Helper()
	home := t.TempDir()
	program, config := filepath.Join(home, "wsi"), filepath.Join(home, filepath.FromSlash(file))
	goes(t, "build", "-overlay", overlay, "-o", program, "./cmd/wsi")
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
	if written, err := os.ReadFile(config); err != nil || !strings.Contains(string(written), words) {
		t.Errorf("setup wrote %s, %v; want %s", written, err, words)
	}
	if said := wsi("doctor", "--harness", "acme-cli", "--only", "token.delivered", "--json"); !regexp.MustCompile(`rehearsed: (\d+) of (\d+) right`).MatchString(said) {
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

// changed returns a file of the module with pairs of strings replaced, each of which it has.
func changed(t *testing.T, name string, pairs ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(pairs); i += 2 {
		if !bytes.Contains(text, []byte(pairs[i])) {
			t.Fatalf("%s does not have %s", name, pairs[i])
		}
	}
	return strings.NewReplacer(pairs...).Replace(string(text))
}

// overlaid writes an overlay for the go command: contents of files of the module by their names.
func overlaid(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, replace := t.TempDir(), map[string]string{}
	write := func(name, content string) string {
		t.Helper()
		path := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, content := range files {
		path, err := filepath.Abs(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		replace[path] = write(name, content)
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	return write("overlay.json", string(text))
}

// goes runs the go command in the root of the module.
func goes(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = filepath.Join("..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
