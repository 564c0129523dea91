package relay

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

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
	was := stampOf(file)
	if now := stampOf(file); !now.same(was) {
		t.Error("it has not changed")
	}
	write(file+".new", "two")
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
	now := stampOf(file)
	if now.same(was) {
		t.Error("it was replaced")
	}
	if runtime.GOOS != "windows" { // which has no time that a program cannot set
		time.Sleep(20 * time.Millisecond) // the kernel's clock for files is not finer
		write(file, "six")
		if stampOf(file).same(now) {
			t.Error("it was written")
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if gone := stampOf(file); gone.same(now) || !gone.same(stampOf(file)) {
		t.Error("it was removed")
	}
}
