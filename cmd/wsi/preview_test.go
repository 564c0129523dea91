package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
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
	for _, c := range would.Changes {
		seen[c.Action]++
		var ok bool
		if shown, ok = strings.CutPrefix(shown, c.Diff); !ok && strings.HasPrefix(shown, c.Action+" "+c.File+", ") {
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
	if diff := cmp.Diff(would, did); diff != "" {
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
