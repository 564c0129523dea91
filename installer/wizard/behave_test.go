package wizard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"wsi/installer"
)

// What the review shows is what is written: the change of every file, and no other.
func TestTheReviewIsWhatIsWritten(t *testing.T) {
	c := settle(t, home)
	before := tree(t, c.Options.Env.Home)
	p := start(t, c, 80, 24).press("enter")
	if diff := cmp.Diff(before, tree(t, c.Options.Env.Home)); diff != "" {
		t.Fatalf("something was written before it was agreed to:\n%s", diff)
	}
	plan := p.m.review.plan
	p.press("enter")
	if p.m.step != done || !p.m.review.Applied {
		t.Fatalf("not written:\n%s", p.text())
	}
	after := tree(t, c.Options.Env.Home)
	for _, change := range plan.Changes {
		if after[change.Path] != string(change.After) {
			t.Errorf("%s is not as it was shown", change.Path)
		}
		delete(before, change.Path)
		delete(after, change.Path)
		for _, dir := range change.Folders {
			delete(after, dir)
		}
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("more was changed than was shown:\n%s", diff)
	}
}

// Every way out before the review is agreed to leaves everything as it was.
func TestLeavingWritesNothing(t *testing.T) {
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
		if !p.quit {
			t.Errorf("%v does not leave", keys)
		}
		if diff := cmp.Diff(before, tree(t, c.Options.Env.Home)); diff != "" {
			t.Errorf("%v wrote something:\n%s", keys, diff)
		}
		if end := p.m.outcome(); !errors.Is(end.Err, ErrQuit) || end.Record(false) != "" {
			t.Errorf("%v ends with %v and the record %q", keys, end.Err, end.Record(false))
		}
	}
}

// slowDisk lets the test do something in the middle of an apply.
type slowDisk struct {
	installer.Disk
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

// Whatever happens while files are written, all of them are as they were.
func TestAnApplyThatDoesNotEnd(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(p *player) error
		keys []string // meanwhile
		says string
	}{
		{"fails", func(*player) error { return errors.New("no space left") }, nil, "no space left; wsi has left all files as they were"},
		{"panics", func(*player) error { panic("a bug") }, nil, "wsi failed and has put everything back: a bug"},
		{"is interrupted", nil, []string{"ctrl+c"}, ""},
		{"is left", nil, []string{"q"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
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
			p.send(stroke("enter"))
			if c.keys != nil {
				for len(p.m.run.written) == 0 {
					p.one()
				}
				<-reached
				for _, k := range c.keys {
					p.send(stroke(k))
				}
				if !strings.Contains(p.text(), "everything is put back") {
					t.Errorf("it does not say so:\n%s", p.text())
				}
				close(on)
			}
			p.settle()
			if diff := cmp.Diff(before, tree(t, config.Options.Env.Home)); diff != "" {
				t.Errorf("files are not as they were:\n%s", diff)
			}
			if c.keys != nil && !p.quit || p.m.outcome().Review.Applied {
				t.Errorf("left: %v, applied: %v", p.quit, p.m.outcome().Review.Applied)
			}
			if text := strings.Join(strings.Fields(p.text()), " "); !strings.Contains(text, c.says) {
				t.Errorf("the screen does not say %q:\n%s", c.says, p.text())
			}
		})
	}
}

// What changes while the user reads is not written over: it is looked at again. Row 22.
func TestWhatChangesMeanwhileIsReviewedAgain(t *testing.T) {
	c := settle(t, home)
	p := start(t, c, 80, 24).press("enter")
	path := filepath.Join(c.Options.Env.Home, ".claude", "settings.json")
	theirs := strings.Replace(home[".claude/settings.json"], "opus", "sonnet", 1)
	if err := os.WriteFile(path, []byte(theirs), 0o600); err != nil {
		t.Fatal(err)
	}
	p.press("enter")
	if p.m.step != reviewing || !strings.Contains(p.text(), "it changed meanwhile, so nothing was written: please look again") {
		t.Fatalf("not reviewed again:\n%s", p.text())
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != theirs {
		t.Errorf("written over: %v\n%s", err, now)
	}
	p.press("enter")
	now, err := os.ReadFile(path)
	if err != nil || p.m.step != done || !strings.Contains(string(now), `"sonnet"`) || !strings.Contains(string(now), "wsi inject") {
		t.Errorf("not written the second time: %v\n%s\n%s", err, now, p.text())
	}
}

// Another setup at work is waited for no longer than the lock does, and is said.
func TestAnotherIsAtWork(t *testing.T) {
	c := settle(t, home)
	c.Lock = func() (func(), error) { return nil, installer.Refusal{Err: installer.ErrBusy, Hint: "wait for it"} }
	p := start(t, c, 80, 24).press("enter", "enter")
	if p.m.step != done || !strings.Contains(p.text(), "another wsi setup or remove is at work: wait for it") {
		t.Errorf("shown was:\n%s", p.text())
	}
}

// A key that comes while everything is still being looked for neither crashes nor plans with half
// of what there is.
func TestKeysBeforeAnythingIsKnown(t *testing.T) {
	c := settle(t, home)
	p := &player{t: t, todo: make(chan tea.Msg, 1000)}
	p.m = newModel(t.Context(), c, &p.work)
	for _, k := range []string{"enter", "space", "tab", "t", "b", "pgdown", "v", "space", "esc", "?", "x", "up", "down"} {
		p.send(stroke(k))
	}
	p.settle()
	if p.m.step != choosing || p.m.review.planned {
		t.Errorf("there is a plan already:\n%s", p.text())
	}
}

// Content of a file cannot move the reader's terminal.
func TestContentIsMadeVisible(t *testing.T) {
	c := settle(t, with(home, ".cursor/hooks.json", "{\r\n// \x1b[2J\u202egnp.exe\x07\tx\r\n}\r\n"))
	p := start(t, c, 80, 24).press("enter", "tab", "tab")
	if text := p.text(); strings.ContainsAny(text, "\x1b\x07\t\r\u202e") || !strings.Contains(text, "// ?[2J?gnp.exe?    x") {
		t.Errorf("shown was:\n%q", text)
	}
}

// Servers that wsi is registered for stay so, unless a flag or the user says otherwise.
func TestRegisteredServersStay(t *testing.T) {
	c := settle(t, home)
	p := start(t, c, 80, 24).press("v", "down", "space", "up", "space", "enter", "enter", "enter")
	if p.m.step != done {
		t.Fatalf("not wired for wf:\n%s", p.text())
	}
	for _, again := range []struct {
		set  bool
		keys []string
		want string
	}{{false, nil, "wf"}, {true, nil, "workflow-server"}, {false, []string{"v", "space", "enter"}, "workflow-server wf"}} {
		c.ServersSet = again.set
		p := start(t, c, 80, 24).press(again.keys...)
		if got := strings.Join(p.m.choose.servers(), " "); got != again.want {
			t.Errorf("%v: chosen are %s, not %s", again, got, again.want)
		}
	}
}
