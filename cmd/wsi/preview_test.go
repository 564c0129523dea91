package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wsi/harnesses/setup"
	"wsi/installer"
	"wsi/installer/edit"
	"wsi/internal/testkit/configgen"
	"wsi/internal/testkit/samplehome"
)

// Setup does what it shows: --dry-run prints the diffs of --json, and applying them to the files, with secrets masked,
// gives the bytes that --yes writes. Nothing else changes. Row 2.
func TestPreviewJSONAndApplyAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("it sets up many homes")
	}
	seen := map[string]int{}
	agree := func(w *world, flags ...string) {
		t.Helper()
		setup := append([]string{"setup", "--binary", installed}, flags...)
		var scope []string
		for i, flag := range flags {
			if flag == "--scope" {
				scope = flags[i : i+2]
			}
		}
		w.agrees(t, seen, setup...)
		w.agrees(t, seen, setup...) // nothing is left to do
		w.agrees(t, seen, append([]string{"remove"}, scope...)...)
	}
	agree(newWorld(t, samplehome.Files("{{HOME}}"), nil))
	agree(newWorld(t, samplehome.Files("{{HOME}}"), nil), "--trust-codex-hooks", "--server", "workflow-server", "--server", "other=workflow-server")
	agree(newWorld(t, samplehome.Files("{{HOME}}"), nil), "--scope", "project")
	agree(newWorld(t, nil, nil), "--harness", "claude-code,codex,cursor,opencode", "--server", "workflow-server")
	agree(newWorld(t, map[string]string{".claude/settings.json": "", ".codex/config.toml": "\ufeffmodel = 'x'", ".cursor/hooks.json": "{}"}, nil), "--server", "workflow-server")
	agree(newWorld(t, map[string]string{".claude/settings.json": "{ torn", ".codex/hooks.json": "{\r\n\t\"hooks\": {}\r\n}"}, nil), "--server", "workflow-server") // one is refused
	agree(newWorld(t, map[string]string{"moved/settings.json": `{"a":1}`}, map[string]string{"CLAUDE_CONFIG_DIR": "~/moved"}), "--harness", "claude-code", "--server", "workflow-server")
	configgen.Each(t, 40, func(t *testing.T, r *rand.Rand) {
		t.Helper()
		flags := []string{"--harness", "claude-code,codex,cursor,opencode", "--server", "workflow-server"}
		if r.IntN(2) == 0 {
			flags = append(flags, "--trust-codex-hooks")
		}
		agree(newWorld(t, anyFiles(r), nil), flags...)
	})
	t.Logf("%v", seen)
	if seen["create"] < 50 || seen["update"] < 50 || seen["delete"] < 20 {
		t.Errorf("too little was changed: %v", seen)
	}
}

// agrees runs a command with --dry-run, with --dry-run --json and with --yes, and compares the results.
func (w *world) agrees(t *testing.T, seen map[string]int, command ...string) {
	t.Helper()
	before := w.files(t)
	shown, _ := w.run(append(command, "--dry-run")...)
	would := w.review(t, append(command, "--dry-run", "--json")...)
	if diff := cmp.Diff(before, w.files(t)); diff != "" {
		t.Errorf("a dry run of %q changed:\n%s", command, diff)
	}
	want := maps.Clone(before)
	if len(would.Changes) > 0 {
		_, shown, _ = strings.Cut(shown, "\n\n") // the sentence that matters
		shown = "\n" + shown
	}
	for _, c := range would.Changes {
		seen[c.Action]++
		var ok bool
		if shown, ok = strings.CutPrefix(shown, "\n"+c.Diff); !ok && strings.HasPrefix(shown, "\n"+c.Action+" "+c.File+", ") {
			_, shown, ok = strings.Cut(shown, ", wsi's own\n")
		}
		if !ok {
			t.Errorf("%q: --dry-run does not print\n%s\nbut\n%s", command, c.Diff, shown)
		}
		text, _ := masked(c.File, before[c.File], "")
		after, err := patch(text, c.Diff)
		if err != nil {
			t.Errorf("%s: %v:\n%s", c.File, err, c.Diff)
		}
		if want[c.File] = after; c.Action == "delete" {
			delete(want, c.File)
		}
	}
	if regexp.MustCompile(`(?m)^(---|\+\+\+|@@) `).MatchString(shown) {
		t.Errorf("%q: --dry-run prints more than --json has:\n%s", command, shown)
	}
	did := w.review(t, append(command, "--yes", "--json")...)
	did.Applied = would.Applied
	if diff := cmp.Diff(would, did, cmp.AllowUnexported(installer.Note{})); diff != "" {
		t.Errorf("%q: --json of what would be and of what was done:\n%s", command, diff)
	}
	is := w.files(t)
	for _, c := range would.Changes {
		if after, ok := is[c.File]; ok {
			_, is[c.File] = masked(c.File, before[c.File], after)
		}
	}
	if diff := cmp.Diff(want, is); diff != "" {
		t.Errorf("%q: what was shown, applied, and what was done:\n%s", command, diff)
	}
}

// masked returns two versions of a file as a diff shows them.
func masked(file, before, after string) (shown, shows string) {
	format := setup.JSON
	if filepath.Ext(file) == ".toml" {
		format = setup.TOML
	}
	was, is := edit.Mask(format, []byte(before), []byte(after))
	return string(was), string(is)
}

func (w *world) review(t *testing.T, args ...string) (r installer.Review) {
	t.Helper()
	out, _ := w.run(args...)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%q: %v: %s%s", args, err, out, w.errs)
	}
	return r
}

var hunk = regexp.MustCompile(`^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@\n$`)

// patch applies a unified diff. It returns an error if the diff does not match the text.
func patch(text, diff string) (string, error) {
	old := strings.SplitAfter(text, "\n")
	var done strings.Builder
	at, lines := 0, strings.SplitAfter(diff, "\n")
	for n, line := range lines {
		if n < 2 || line == "" || line[0] == '\\' { // the file names, the end, "no newline at end of file"
			continue
		}
		if m := hunk.FindStringSubmatch(line); m != nil {
			start, err := strconv.Atoi(m[1])
			if err != nil || start-1 > len(old) {
				return "", fmt.Errorf("no line %s: %w", m[1], err)
			}
			for ; at < start-1; at++ {
				done.WriteString(old[at])
			}
			continue
		}
		content := line[1:]
		if n+1 < len(lines) && strings.HasPrefix(lines[n+1], `\`) {
			content = strings.TrimSuffix(content, "\n")
		}
		if line[0] != '+' {
			if at >= len(old) || old[at] != content {
				return "", fmt.Errorf("line %d is not %q", at+1, content)
			}
			at++
		}
		if line[0] != '-' {
			done.WriteString(content)
		}
	}
	return done.String() + strings.Join(old[at:], ""), nil
}

// On a terminal setup shows the diff and writes it only after a yes. The proof then fails without a wsi at the path.
func TestSetupAsksOnATerminal(t *testing.T) {
	for _, c := range []struct {
		answer string
		exit   int
	}{{"y\n", 1}, {"YES\n", 1}, {"\n", 3}, {"no\n", 3}, {"yesterday\nno\n", 3}, {"", 3}} {
		e, out, errs := terminal(t, strings.NewReader(c.answer)) // no trust
		root := newRootCmd(e)
		root.SetArgs([]string{"setup", "--binary", installed, "--harness", "codex", "--server", "workflow-server", "--scope", "user"})
		if exit := e.report(root.Execute()); exit != c.exit {
			t.Errorf("%q: exit status %d, want %d\n%s", c.answer, exit, c.exit, errs.String())
		}
		if !strings.Contains(out.String(), `"`+installed+` inject --harness codex"`) || !strings.Contains(out.String(), "Write 1 file? [y/N]") {
			t.Errorf("%q: shown was\n%s", c.answer, out.String())
		}
		_, err := os.Stat(filepath.Join(e.Home, ".codex", "hooks.json"))
		if written := err == nil; written != (c.exit == 1) {
			t.Errorf("%q: the file was written: %v", c.answer, written)
		}
	}
}

// terminal returns an interactive env with an empty home. stdin answers its questions.
func terminal(t *testing.T, stdin io.Reader) (e env, out, errs *bytes.Buffer) {
	t.Helper()
	e, err := newEnv()
	if err != nil {
		t.Fatal(err)
	}
	out, errs = &bytes.Buffer{}, &bytes.Buffer{}
	e.Home, e.StateDir = t.TempDir(), t.TempDir()
	e.Getenv = func(string) string { return "" }
	e.Stdin, e.Stdout, e.Stderr, e.Interactive = stdin, out, errs, true
	return e, out, errs
}

// hookedReader calls before once, before the first Read.
type hookedReader struct {
	io.Reader
	before func()
}

func (r *hookedReader) Read(p []byte) (int, error) {
	if r.before != nil {
		r.before()
		r.before = nil
	}
	return r.Reader.Read(p)
}

// Setup does not overwrite a file that changes while it waits for the answer. Row 22.
func TestSetupKeepsFileChangedDuringQuestion(t *testing.T) {
	stdin := &hookedReader{Reader: strings.NewReader("y\n")}
	e, out, errs := terminal(t, stdin)
	path := filepath.Join(e.Home, ".codex", "hooks.json")
	stdin.before = func() {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("theirs"), 0o600)); err != nil {
			t.Error(err)
		}
	}
	root := newRootCmd(e)
	root.SetArgs([]string{"setup", "--binary", installed, "--harness", "codex", "--server", "workflow-server", "--scope", "user", "--trust-codex-hooks"})
	if exit := e.report(root.Execute()); exit != 1 {
		t.Errorf("exit status %d", exit)
	}
	if !strings.Contains(filepath.ToSlash(errs.String()), "error: ~/.codex/hooks.json: it changed after the plan was made\nhint: nothing was written; run the command again") {
		t.Errorf("shown was\n%s\nsaid was\n%s", out, errs)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "theirs" {
		t.Errorf("%q, %v", content, err)
	}
}
