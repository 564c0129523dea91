package relay

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// When a file changes, the server is started again between two calls, and the client hears of other tools.
func TestReloadOnChange(t *testing.T) {
	old := tendEvery
	tendEvery = 10 * time.Millisecond
	t.Cleanup(func() { tendEvery = old })
	w := newWorld(t)
	w.opt.Watch = []string{filepath.Join(w.dir, "other-tools")}
	c := w.connect()
	c.greet()
	c.do("start_session", ``, ``)
	pid := w.pid()
	open := c.call("get_activity", `"label":"wait:go"`, ``)
	w.until("the call arrived", func() bool { return strings.Contains(w.arrived(), "wait:go") })
	w.let("other-tools")
	if time.Sleep(200 * time.Millisecond); w.pid() != pid {
		t.Fatal("the server was stopped during a call")
	}
	w.let("go")
	if got := c.answer(open); strings.Contains(got, "error") {
		t.Error(got)
	}
	w.until("the client was told", func() bool {
		c.await("none", 20*time.Millisecond)
		return len(c.other) == 1 && strings.Contains(c.other[0], "tools/list_changed")
	})
	c.do("get_activity", ``, ``)
	if w.last() != "get_activity right 1" || w.pid() == pid {
		t.Error(w.verdicts())
	}
	if why := w.restarts(1); why[0] != "a watched file changed" {
		t.Errorf("journal: %q", why)
	}
}

// A subscription that the server has refused is not made again.
func TestRefusedSubscription(t *testing.T) {
	w := newWorld(t)
	w.let("has-no-resources")
	c := w.connect()
	c.greet()
	if got := c.answer(c.request("resources/subscribe", `{"uri":"a:b"}`)); !strings.Contains(got, "Method not found") {
		t.Error(got)
	}
	c.die()
	c.answer(c.request("ping", `{}`))
	if n := strings.Count(w.arrived(), "resources/subscribe"); n != 1 {
		t.Errorf("the server was asked %d times", n)
	}
}

// A file that is replaced by one of the same size and time is another file, and so is one that is written in place with its time
// set back.
func TestStampOfAReplacedFile(t *testing.T) {
	dir := t.TempDir()
	file, when := filepath.Join(dir, "server.js"), time.Date(1985, 10, 26, 8, 15, 0, 0, time.UTC) // npm's
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	write(file, "one")
	was := stamps([]string{file})[0]
	if now := stamps([]string{file})[0]; !now.same(was) {
		t.Error("it has not changed")
	}
	write(file+".new", "two")
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
	now := stamps([]string{file})[0]
	if now.same(was) {
		t.Error("it was replaced")
	}
	if runtime.GOOS != "windows" { // which has no time that a program cannot set
		time.Sleep(20 * time.Millisecond) // the kernel's clock for files is not finer
		write(file, "six")
		if stamps([]string{file})[0].same(now) {
			t.Error("it was written")
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if gone := stamps([]string{file})[0]; gone.same(now) || !gone.same(stamps([]string{file})[0]) {
		t.Error("it was removed")
	}
}
