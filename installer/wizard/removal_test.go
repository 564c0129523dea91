package wizard

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wsi/installer"
	"wsi/internal/testkit/terminal"
	"wsi/internal/tui"
)

// removal returns a Config that removes wsi from a home in which it was set up, and the files before that.
func removal(t *testing.T) (c Config, before map[string]string) {
	t.Helper()
	c = settle(t, home)
	before = tree(t, c.Options.Env.Home)
	p, err := installer.PlanSetup(c.Options)
	if err := errors.Join(err, installer.Apply(t.Context(), c.Options.FS, p, nil)); err != nil {
		t.Fatal(err)
	}
	c.Removal = true
	return c, before
}

// A removal has the review of setup, in reverse: files of wsi's own are one line there, until a key shows their text.
func TestRemovalScreens(t *testing.T) {
	for name, keys := range map[string][]string{
		"remove": nil, "remove-own": {"tab", "tab", "tab"}, "remove-own-text": {"tab", "tab", "tab", "n"}, "remove-help": {"?"}, "remove-done": {"enter"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := removal(t)
			p := start(t, c, 80, 24).press(keys...)
			terminal.Compare(t, *update, filepath.Join("testdata", "screens", name+".txt"), p.Text())
			p.EverySize(func(width, height int) {
				if name == "remove" && width >= tui.LeastWidth && height >= tui.LeastHeight && !strings.Contains(p.Text(), " enter write 2 files") {
					t.Errorf("%dx%d: the key that writes is not named:\n%s", width, height, p.Text())
				}
			})
		})
	}
}

// Nothing changes before enter, then all files are as they were before setup.
func TestRemovalRestores(t *testing.T) {
	t.Parallel()
	c, before := removal(t)
	wired := tree(t, c.Options.Env.Home)
	p := start(t, c, 80, 24).press("b", "t", "r", "tab", "q")
	if diff := cmp.Diff(wired, tree(t, c.Options.Env.Home)); diff != "" || !errors.Is(p.m.outcome().Err, ErrQuit) {
		t.Errorf("left with %v:\n%s", p.m.outcome().Err, diff)
	}
	p = start(t, c, 80, 24).press("enter")
	if diff := cmp.Diff(before, tree(t, c.Options.Env.Home)); diff != "" || p.m.step != done {
		t.Errorf("after the removal:\n%s\n%s", diff, p.Text())
	}
	end := p.m.outcome()
	if record := end.Record(false); end.Err != nil || !strings.Contains(record, "~/.codex/hooks.json deleted") || strings.Contains(record, "Undo") {
		t.Errorf("%v\n%s", end.Err, record)
	}
}

// Without a plan the error is on the screen, and is that of the program.
func TestRemovalWithoutPlan(t *testing.T) {
	c, _ := removal(t)
	if err := os.WriteFile(filepath.Join(c.Options.StateDir, "ledger.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, c, 80, 24)
	if end := p.m.outcome(); end.Err == nil || end.Review.Applied || p.m.step != done || !strings.Contains(p.Text(), "ledger.json") {
		t.Errorf("%v\n%s", end.Err, p.Text())
	}
}
