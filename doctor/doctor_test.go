package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wsi/doctor/report"
	"wsi/harnesses/setup"
)

// unproven is what no rehearsal can tell, even where all is well.
var unproven = []string{"cursor.token.delivered"}

func TestHealthy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.leaveOut()
	r := w.examine()
	if failed := withStatus(r, report.Fail); len(failed) > 0 || !r.Healthy() {
		t.Errorf("red in a healthy world: %v\n%s", failed, w.shown(r))
	}
	if warned := withStatus(r, report.Warn); len(warned) > 0 {
		t.Errorf("yellow in a healthy world: %v\n%s", warned, w.shown(r))
	}
	if _, verdict := r.Verdict(); len(w.harnessList) == 4 && verdict != "All well: wsi carries values in Claude Code, Codex and OpenCode; the first call in Cursor will show whether it works there." {
		t.Error(verdict)
	}
	for _, g := range r.Groups {
		for _, j := range g.Chain {
			gate := g.ID != "cursor"
			want := report.OK
			switch {
			case j.Link == report.Trusted && !gate:
				want = report.Info
			case j.Link == report.RightValue && g.ID == "cursor":
				want = report.Info
			}
			if j.Status != want {
				t.Errorf("%s %s is %s", g.ID, j.Link, j.Status)
			}
		}
	}
	if len(w.issued) < 50 {
		t.Errorf("only %d values were issued", len(w.issued))
	}
}

func only(ids ...string) func(*world) {
	return func(w *world) {
		w.harnessList = slices.DeleteFunc(w.harnessList, func(h setup.Harness) bool { return !slices.Contains(ids, h.ID) })
	}
}

func (w *world) remove(rel string) {
	w.t.Helper()
	if err := os.Remove(w.path(rel)); err != nil {
		w.t.Fatal(err)
	}
}

// A harness without wsi is a failure only if it has the server, or if the user names it.
func TestNotWired(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.leaveOut("cursor")
	w.only = withoutRehearsal()
	w.remove(".cursor/hooks.json")
	if red := withStatus(w.examine(), report.Fail); !slices.Equal(red, []string{"cursor.hook.registered"}) {
		t.Errorf("red: %v", red)
	}
	w.remove(".cursor/mcp.json")
	if red := withStatus(w.examine(), report.Fail); len(red) > 0 {
		t.Errorf("red: %v", red)
	}
	o := w.options()
	o.Named = true
	r, err := Run(t.Context(), o, "")
	if red := withStatus(r, report.Fail); err != nil || !slices.Equal(red, []string{"cursor.hook.registered"}) {
		t.Errorf("red when named: %v, %v", red, err)
	}
}

// Hooks of others in the same files are never run.
func TestForeignHooksAreNotRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	only("claude-code")(w)
	trap := filepath.Join(w.home, "trap")
	w.replace(".claude/settings.json", `"PreToolUse": [`,
		`"PreToolUse": [{"matcher":"mcp__.*","hooks":[{"type":"command","command":`+quoted("touch "+trap)+`}]},`)
	r := w.examine()
	if _, err := os.Stat(trap); err == nil {
		t.Error("the doctor ran another's hook")
	}
	if shown := w.shown(r); strings.Contains(shown, trap) || strings.Contains(shown, quoted(trap)) {
		t.Error("the other hook's arguments are shown")
	}
}

// A finding may quote a file; a file must not move the terminal.
func TestFindingsAreOneLine(t *testing.T) {
	f := finished("x", "", broken("a\n\tb", "%s", "red \x1b[31m\r\nand\u2028more\x00"))
	if f.Text != "red ?[31m and more?" || f.Fix.Text != "a b" {
		t.Errorf("%q %q", f.Text, f.Fix)
	}
}
