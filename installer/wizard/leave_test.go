package wizard

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"wsi/installer"
	"wsi/installer/files"
	"wsi/installer/refusal"
	"wsi/internal/testkit/terminal"
	"wsi/internal/tui"
)

// Leaving before agreeing to the review changes nothing.
func TestLeavingWritesNothing(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{
		{"q"},
		{"ctrl+c"},
		{"enter", "q"},
		{"enter", "ctrl+c"},
		{"?", "ctrl+c"},
		{"v", "ctrl+c"},
		{"enter", "b", "space", "enter", "t", "tab", "esc", "q"},
	} {
		c := settle(t, home)
		before := tree(t, c.Options.Env.Home)
		p := start(t, c, 80, 24).press(keys...)
		if !p.Quit {
			t.Errorf("%v does not leave", keys)
		}
		p.kept(before)
		if end := p.m.outcome(); !errors.Is(end.Err, ErrQuit) || end.Record(false) != "" {
			t.Errorf("%v ends with %v and the record %q", keys, end.Err, end.Record(false))
		}
	}
}

// slowDisk lets a test act in the middle of an apply.
type slowDisk struct {
	files.Disk
	at string // part of the path at whose first writing
	do func() error
}

func (d *slowDisk) Replace(path string, before, after []byte, mode fs.FileMode) error {
	if do := d.do; do != nil && strings.Contains(path, d.at) {
		d.do = nil
		if err := do(); err != nil {
			return err
		}
	}
	return d.Disk.Replace(path, before, after, mode)
}

// After an error while files are written, all of them have their old content.
func TestFailedApply(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		do   func(p *player) error
		keys []string // meanwhile
		says string
	}{
		{"fails", func(*player) error { return errors.New("no space left") }, nil, "no space left; wsi has left all files as they were"},
		{"panics", func(*player) error { panic("a bug") }, nil, "wsi failed and restored all files: a bug"},
		{"is interrupted", nil, []string{"ctrl+c"}, ""},
		{"is left", nil, []string{"q"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			config := settle(t, home)
			before := tree(t, config.Options.Env.Home)
			reached, on := make(chan bool), make(chan bool)
			var p *player
			config.Options.FS = &slowDisk{at: "cursor", do: func() error {
				if c.do != nil {
					return c.do(p)
				}
				reached <- true
				<-on
				return nil
			}}
			p = start(t, config, 80, 24).press("enter")
			p.Send(terminal.KeyPress("enter"))
			if c.keys != nil {
				for p.m.run.written == 0 {
					p.One()
				}
				<-reached
				for _, k := range c.keys {
					p.Send(terminal.KeyPress(k))
				}
				p.shows("restoring all files")
				close(on)
			}
			p.Settle()
			p.kept(before)
			if _, err := os.Stat(filepath.Join(config.Options.StateDir, "lock")); err == nil {
				t.Error("the lock is still held")
			}
			if c.keys != nil && !p.Quit || p.m.outcome().Review.Applied {
				t.Errorf("left: %v, applied: %v", p.Quit, p.m.outcome().Review.Applied)
			}
			if text := strings.Join(strings.Fields(p.Text()), " "); !strings.Contains(text, c.says) {
				t.Errorf("the screen does not say %q:\n%s", c.says, p.Text())
			}
		})
	}
}

// The wizard waits for another setup only as long as the lock does, and says so.
func TestAnotherSetupRuns(t *testing.T) {
	t.Parallel()
	c := settle(t, home)
	c.Lock = func(context.Context) (func(), error) {
		return nil, refusal.Error{Err: installer.ErrBusy, Fix: "wait for it"}
	}
	p := start(t, c, 80, 24).press("enter", "enter").shows("another wsi setup or remove is running: wait for it")
	if p.m.step != done {
		t.Errorf("step %v", p.m.step)
	}
}

// held is the enter key, held down.
var held = tea.KeyPressMsg{Code: tea.KeyEnter, IsRepeat: true}

// Only a key that is pressed after the reading time agrees to the review.
func TestHoldingEnterWritesNothing(t *testing.T) {
	t.Parallel()
	c := settle(t, home)
	before := tree(t, c.Options.Env.Home)
	p := start(t, c, 80, 24)
	p.m.readingTime = readingTime
	p.Send(terminal.KeyPress("enter"))
	for p.m.step != reviewing {
		p.One()
	}
	for range 30 { // a terminal that tells repeats, and one that does not
		p.Send(held)
		p.Send(terminal.KeyPress("enter"))
	}
	if p.kept(before); p.m.step != reviewing {
		t.Fatalf("step %v", p.m.step)
	}
	p.shows("read it first, then press enter once")
	p.Settle()
	p.press("down", "enter")
	if p.m.step != done {
		t.Errorf("not written afterwards:\n%s", p.Text())
	}
}

// Pasted text agrees to nothing.
func TestPastingWritesNothing(t *testing.T) {
	c := settle(t, home)
	before := tree(t, c.Options.Env.Home)
	p := start(t, c, 80, 24).press("enter")
	p.Send(tea.PasteMsg{Content: "\n\ny\n\r"})
	p.Settle()
	if p.kept(before); p.m.step != reviewing {
		t.Errorf("step %v", p.m.step)
	}
}

// Leaving while changed files are planned again works.
func TestLeavingWhilePlanningAgain(t *testing.T) {
	c := settle(t, home)
	p := start(t, c, 80, 24).press("enter")
	path := filepath.Join(c.Options.Env.Home, ".claude", "settings.json")
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Send(terminal.KeyPress("enter"))
	for p.m.review.notice == "" {
		p.One()
	}
	p.press("q")
	if end := p.m.outcome(); !p.Quit || !errors.Is(end.Err, ErrQuit) {
		t.Errorf("left: %v, %v", p.Quit, end.Err)
	}
}

// A wizard that waits for another wsi says so, and the user can leave at once.
func TestLeavingWhileAnotherSetupRuns(t *testing.T) {
	t.Parallel()
	c := settle(t, home)
	unlock, err := installer.Lock(t.Context(), c.Options.StateDir)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	p := start(t, c, 80, 24).press("enter")
	p.Send(terminal.KeyPress("enter"))
	for !p.m.run.waiting {
		p.One()
	}
	p.shows("waiting for another wsi to end; nothing is written yet")
	began := time.Now()
	p.press("q")
	if end := p.m.outcome(); !p.Quit || !errors.Is(end.Err, ErrQuit) || time.Since(began) > 5*time.Second {
		t.Errorf("left: %v, %v, after %s", p.Quit, end.Err, time.Since(began))
	}
}

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
	if p.kept(wired); !errors.Is(p.m.outcome().Err, ErrQuit) {
		t.Errorf("left with %v", p.m.outcome().Err)
	}
	p = start(t, c, 80, 24).press("enter")
	if p.kept(before); p.m.step != done {
		t.Errorf("after the removal:\n%s", p.Text())
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
