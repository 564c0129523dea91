package journal

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"wsi/internal/testkit/wine"
)

func TestOtherLinesAreSkippedAndCounted(t *testing.T) {
	good := `{"t":"2026-11-21T00:00:00Z","verb":"inject","harness":"codex","did":"injected","us":7}`
	for name, c := range map[string]struct {
		text           string
		found, skipped int
	}{
		"nothing":                  {"", 0, 0},
		"no last newline":          {good + "\n" + good, 2, 0},
		"CRLF and empty lines":     {good + "\r\n\r\n\n" + good + "\r\n", 2, 0},
		"cut short":                {good[:20] + "\n" + good + "\n", 1, 1},
		"NULs":                     {strings.Repeat("\x00", 4096) + "\n" + good + "\n", 1, 1},
		"another object":           {"{}\nnull\n[]\n42\n" + good + "\n", 1, 4},
		"no time":                  {strings.Replace(good, "2026-11-21T00:00:00Z", "soon", 1) + "\n" + good, 1, 1},
		"a line of 100 MB":         {strings.Repeat("x", 100<<20) + "\n" + good + "\n", 1, 1},
		"a long line that is JSON": {strings.Replace(good, "codex", strings.Repeat("x", maxLine), 1) + "\n" + good, 1, 1},
		"invalid UTF-8":            {"\xff\xfe\n" + good, 1, 1},
		"numbers beyond reason":    {strings.Replace(good, `:7`, `:1e400`, 1) + "\n" + strings.Replace(good, `:7`, `:-7`, 1), 2, 0},
	} {
		found := 0
		skipped, err := Each(strings.NewReader(c.text), func(e Entry) {
			if found++; e.Micros < 0 || e.Harness != "codex" {
				t.Errorf("%s: %+v", name, e)
			}
		})
		if found != c.found || skipped != c.skipped || err != nil {
			t.Errorf("%s: %d found, %d skipped, %v; want %d and %d", name, found, skipped, err, c.found, c.skipped)
		}
	}
}

// Names come from models and servers, and the file may have been written by anyone.
func TestEntriesAreSafeToPrint(t *testing.T) {
	e, ok := Parse([]byte(`{"t":"2026-11-21T00:00:00Z","verb":"inject","harness":"a\u001b[2J","session":"b\u0007","server":"c\u202e","tool":"d\r\n","did":"left","why":"caf\u00e9\u009b"}`))
	want := Entry{Time: e.Time, Verb: "inject", Harness: "a?[2J", Session: "b?", Server: "c?", Tool: "d??", Did: "left", Why: "café?"}
	if !ok || e != want {
		t.Errorf("%v, %+v", ok, e)
	}
}

func FuzzParseEntry(f *testing.F) {
	f.Add([]byte(`{"t":"2026-11-21T09:00:00.123456789Z","verb":"inject","harness":"codex","session":"0a","agent":true,"server":"s","tool":"t","did":"left","why":"w","us":1,"wait":2}`))
	f.Add([]byte(`{"t":"0001-01-01T00:00:00Z","verb":"\u0000","did":"\ud800","us":9223372036854775808}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, ok := Parse(line)
		if !ok {
			return
		}
		raw := e.line()
		if bytes.Count(raw, []byte("\n")) != 1 {
			t.Fatalf("%q is not one line", raw)
		}
		again, ok := Parse(raw)
		e.Harness, e.Server, e.Tool = clip(e.Harness), clip(e.Server), clip(e.Tool)
		if !ok || !again.Time.Equal(e.Time) {
			t.Fatalf("%q became %q", line, raw)
		}
		if again.Time = e.Time; again != e {
			t.Fatalf("%+v became %+v", e, again)
		}
	})
}

// TestAppender is one of the processes of TestManyProcessesRotate.
func TestAppender(t *testing.T) {
	path := os.Getenv("WSI_TEST_JOURNAL")
	if path == "" {
		t.Skip("run by TestManyProcessesRotate")
	}
	for n := range appended {
		e := Entry{Time: time.Unix(int64(n), 0).UTC(), Verb: "inject", Did: "left", Server: os.Getenv("WSI_TEST_NAME"), Why: strings.Repeat("w", 8<<10)}
		if err := (File{path}).Append(e); err != nil {
			t.Fatal(err)
		}
	}
}

const (
	appenders = 20
	appended  = 36 // so that all of them pass the limit, once
)

// Two files have room for all lines, so none may be missing.
func TestManyProcessesRotate(t *testing.T) {
	j := In(t.TempDir())
	var all sync.WaitGroup
	for n := range appenders {
		all.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestAppender$")
			cmd.Env = append(os.Environ(), "WSI_TEST_JOURNAL="+j.Path, fmt.Sprint("WSI_TEST_NAME=p", n))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	lines, last := map[string]int{}, map[string]time.Time{}
	skipped, err := j.Each(func(e Entry) {
		lines[e.Server]++
		if e.Time.Before(last[e.Server]) {
			t.Errorf("a line of %s comes too late", e.Server)
		}
		last[e.Server] = e.Time
	})
	if info, err := os.Stat(j.Older()); err != nil || info.Size() <= maxSize {
		t.Errorf("not rotated: %v", err)
	}
	if len(lines) != appenders || err != nil {
		t.Errorf("%d processes, %v", len(lines), err)
	}
	if !t.Failed() {
		wine.Skip(t, "an append that no other process divides (it looks for the end of the file first)")
	}
	if skipped > 0 {
		t.Errorf("%d lines mixed", skipped)
	}
	for name, n := range lines {
		if n != appended {
			t.Errorf("%s has %d lines of %d", name, n, appended)
		}
	}
}

// A process that wrote to a journal which another process has rotated must not rotate the new one.
func TestNewJournalIsNotRotated(t *testing.T) {
	j := In(t.TempDir())
	write(t, j.Path, "old\n")
	f, err := Open(j.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Rename(j.Path, j.Older()); err != nil {
		t.Fatal(err)
	}
	write(t, j.Path, "new\n")
	j.rotate(f)
	if raw, err := os.ReadFile(j.Older()); string(raw) != "old\n" {
		t.Errorf("older file: %q, %v", raw, err)
	}
}

func TestMissingJournal(t *testing.T) {
	dir := t.TempDir()
	if all, err := In(dir).Entries(); len(all) > 0 || err != nil {
		t.Errorf("%v, %v", all, err)
	}
	if err := os.Mkdir(In(dir).Path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := In(dir).Entries(); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder in its place: %v", err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
