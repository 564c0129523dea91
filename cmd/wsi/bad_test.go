package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// healthy is a home in which four harnesses can be set up.
var healthy = map[string]string{
	".claude/settings.json":          "{}\n",
	".codex/config.toml":             "model = \"x\"\n",
	".cursor/hooks.json":             "{\"version\": 1}\n",
	".config/opencode/opencode.json": "{}\n",
	"project/.git/config":            "",
}

// marks lists, by harness, files of which one names wsi when the harness is set up.
var marks = map[string][]string{
	"claude-code": {".claude/settings.json", "project/.claude/settings.local.json"},
	"codex":       {".codex/hooks.json", ".codex/config.toml", "project/.codex/hooks.json"},
	"cursor":      {".cursor/hooks.json", "project/.cursor/hooks.json"},
	"opencode":    {".config/opencode/plugin/wsi.js", "project/.opencode/plugin/wsi.js"},
}

// spot is a file that setup changes or only reads.
type spot struct {
	harness, name string // its id, and the name that is shown
	path          string
	flags         []string
	before        map[string]string // other files that are needed
	contents      []string
	quiet         bool // setup need not report it
}

// badHooks are invalid contents of a hook file of any harness.
var badHooks = []string{
	`{"a": }`, `{"hooks": {`, `{"hooks": {}`, "{\"a\": \"\n\"}", `{"a": 1} {"b": 2}`, `{'a': 1}`, "hooks: {}\n", "\x00", "\xff\xfe{\x00}\x00",
	`null`, `[]`, `[{"hooks": {}}]`, `42`, `"hooks"`, `true`,
	`{"hooks": null}`, `{"hooks": []}`, `{"hooks": "x"}`, `{"hooks": 7}`, `{"hooks": {}, "hooks": {}}`,
}

// badEvents returns hook files with an invalid event. What is in its list only the harness judges.
func badEvents(event string) (all []string) {
	for _, v := range []string{"{}", `"x"`, "1", "null"} {
		all = append(all, `{"version": 1, "hooks": {"`+event+`": `+v+`}}`)
	}
	return all
}

var badTOML = []string{
	"a = \n", "a = 1\na = 2\n", "[hooks\n", "a = \"x\n", "[t]\n[t]\n", "a = {b = 1\n", "{}", "\x00", "\xff\xfe", "= 1\n",
	"hooks = \"x\"\n", "hooks = 1\n", "hooks = []\n",
}

var touched = []spot{
	{harness: "claude-code", name: "Claude Code", path: ".claude/settings.json", contents: slices.Concat(badHooks, badEvents("PreToolUse"))},
	{
		harness: "claude-code", name: "Claude Code", path: "project/.claude/settings.local.json", flags: []string{"--scope", "project"},
		contents: slices.Concat(badHooks, badEvents("PostToolUseFailure")),
	},
	{harness: "codex", name: "Codex", path: ".codex/hooks.json", contents: slices.Concat(badHooks, badEvents("PreToolUse"), []string{`{"version": 1, "hooks": {}}`})},
	{
		harness: "codex", name: "Codex", path: ".codex/config.toml", before: map[string]string{".codex/config.toml": "[[hooks.Stop]]\nhooks = []\n"},
		contents: append(slices.Clone(badTOML), "[hooks]\nPreToolUse = \"x\"\n", "[hooks.PreToolUse]\nx = 1\n", "hooks = {PreToolUse = {}}\n"),
	},
	{harness: "cursor", name: "Cursor", path: ".cursor/hooks.json", contents: slices.Concat(badHooks, badEvents("preToolUse"), []string{"{ /* open", `{"version": "1", "hooks": {}}`})},
	{
		harness: "opencode", name: "OpenCode", path: ".config/opencode/plugin/wsi.js",
		contents: []string{"", "export const mine = 1\n", "// wsi opencode plugin v1 sha256:00\nedited\n", "\x00"},
	},
}

// read are the files that setup only reads. With a bad one of its own OpenCode does not start, so setup refuses it.
var read = []spot{
	{harness: "claude-code", path: ".claude.json", contents: badServers},
	{harness: "claude-code", path: "project/.mcp.json", contents: badServers},
	{harness: "cursor", path: ".cursor/mcp.json", contents: badServers},
	{harness: "codex", path: ".codex/config.toml", quiet: true, contents: []string{"mcp_servers = 1\n", "[mcp_servers]\nx = 1\n"}},
}

var badServers = []string{`{"mcpServers": `, `{"mcpServers": [], "mcp": []}`, `{"mcpServers": {"x": 1}, "mcp": {"x": 1}}`, `[]`, `42`, "\x00"}

// cell is a spot with one defect.
type cell struct {
	spot
	what string
	make func(t *testing.T, path string) // makes the defect
}

func contentsOf(places []spot) (all []cell) {
	for _, p := range places {
		for _, content := range p.contents {
			all = append(all, cell{spot: p, what: fmt.Sprintf("content %q", content), make: func(t *testing.T, path string) {
				t.Helper()
				put(t, path, content)
			}})
		}
	}
	return all
}

// For each file that setup writes and each defect, of its content or of the file: setup prints one error and one hint, exits
// with 1, does not change the file, and sets up the other harnesses. Rows 5, 20 and 21. A defect in a file that setup only
// reads blocks no harness, and setup reports it.
func TestBadFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs wsi some hundred times")
	}
	t.Parallel()
	written, only := wrongFiles()
	for name, c := range map[string]struct {
		cells []cell
		check func(cell, *testing.T)
	}{
		"written": {append(contentsOf(touched), written...), cell.refused}, "only read": {append(contentsOf(read), only...), cell.reported},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, one := range c.cells {
				c.check(one, t)
			}
			t.Logf("%d defects", len(c.cells))
		})
	}
}

// home makes a home that is healthy except for this cell.
func (c cell) home(t *testing.T) string {
	t.Helper()
	home := filepath.Join(t.TempDir(), "h")
	for _, files := range []map[string]string{healthy, c.before} {
		for path, content := range files {
			put(t, filepath.Join(home, path), content)
		}
	}
	path := filepath.Join(home, c.path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	c.make(t, path)
	return home
}

func (c cell) setup(t *testing.T, home string) (status int, stdout, stderr string) {
	t.Helper()
	return runIn(t, home, append([]string{"setup", "--binary", installed, "--server", "workflow-server"}, c.flags...)...)
}

func runIn(t *testing.T, home string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	args = append(args, "--yes", "--harness", "claude-code,codex,cursor,opencode")
	cmd := exec.CommandContext(t.Context(), "wsi", args...)
	cmd.Dir = filepath.Join(home, "project")
	cmd.Env = []string{"HOME=" + home, "USERPROFILE=" + home, "PATH=", "GORACE=atexit_sleep_ms=0", "WSI_STATE_DIR=" + filepath.Join(home, "state"), "TMPDIR=" + home}
	asUser(t, cmd, home)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// refused checks that setup refuses the harness, does not change the file and sets up the other harnesses. Remove takes
// wsi out of those and does not change the file either.
func (c cell) refused(t *testing.T) {
	t.Helper()
	home := c.home(t)
	path := filepath.Join(home, c.path)
	before := describe(t, path)
	status, stdout, stderr := c.setup(t, home)
	lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "error: "+c.name+" stays as it is: ") || !strings.HasPrefix(lines[1], "hint: ") || len(lines[1]) < len("hint: ab") {
		t.Errorf("%s, %s: standard error is not one error and one hint:\n%s", c.path, c.what, stderr)
	}
	if status != 1 {
		t.Errorf("%s, %s: exit status %d\n%s", c.path, c.what, status, stdout)
	}
	if now := describe(t, path); now != before {
		t.Errorf("%s, %s: it was\n%s\nand is\n%s", c.path, c.what, before, now)
	}
	c.others(t, home, stdout)
	c.removes(t, home)
	if now := describe(t, path); now != before {
		t.Errorf("%s, %s: it was\n%s\nand is after remove\n%s", c.path, c.what, before, now)
	}
}

// removes checks that remove takes wsi out of all files but the bad one, for which it may print one error.
func (c cell) removes(t *testing.T, home string) {
	t.Helper()
	args := []string{"remove"}
	if slices.Contains(c.flags, "--scope") {
		args = append(args, c.flags...)
	}
	status, _, stderr := runIn(t, home, args...)
	complaints := strings.Count(stderr, "error: ")
	if status != complaints || complaints > 1 || complaints != strings.Count(stderr, "\nhint: ") {
		t.Errorf("%s, %s: remove ends with %d:\n%s", c.path, c.what, status, stderr)
	}
	for id, paths := range marks {
		if id == c.harness {
			continue // it may be a pipe
		}
		for _, path := range paths {
			content, err := os.ReadFile(filepath.Join(home, path))
			if err == nil && namesInstalled(content) {
				t.Errorf("%s, %s: wsi is still in %s", c.path, c.what, path)
			}
		}
	}
}

// reported checks that setup sets up every harness and reports the file that it could not read.
func (c cell) reported(t *testing.T) {
	t.Helper()
	home := c.home(t)
	path := filepath.Join(home, c.path)
	before := describe(t, path)
	status, stdout, stderr := c.setup(t, home)
	if status != 0 || stderr != "" {
		t.Errorf("%s, %s: exit status %d\n%s", c.path, c.what, status, stderr)
	}
	if !c.quiet && !strings.Contains(stdout, "Not all server registrations of ") {
		t.Errorf("%s, %s: nothing is said of it:\n%s", c.path, c.what, stdout)
	}
	if now := describe(t, path); now != before && c.path != ".codex/config.toml" {
		t.Errorf("%s, %s: it was\n%s\nand is\n%s", c.path, c.what, before, now)
	}
	c.name, c.harness = "", ""
	c.others(t, home, stdout)
}

// others checks that the other harnesses are set up.
func (c cell) others(t *testing.T, home, stdout string) {
	t.Helper()
	for id, paths := range marks {
		if id == c.harness {
			continue
		}
		done := slices.ContainsFunc(paths, func(path string) bool {
			content, err := os.ReadFile(filepath.Join(home, path))
			return err == nil && namesInstalled(content)
		})
		if !done {
			t.Errorf("%s, %s: %s was not set up:\n%s", c.path, c.what, id, stdout)
		}
	}
}

// describe returns a text that changes with the file, its times, and temporary files next to it.
func describe(t *testing.T, path string) string {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		return err.Error()
	}
	text := fmt.Sprintf("%v %v %d bytes", info.Mode(), info.ModTime(), info.Size())
	if info.Mode().IsRegular() {
		content, err := os.ReadFile(path)
		text += fmt.Sprintf(" %q %v", content, err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".tmp") {
			text += " next to " + entry.Name()
		}
	}
	return text + fmt.Sprint(err)
}
