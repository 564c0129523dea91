package recorded

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/harnesses"
)

// recorder is a harness that records a run as a line "run NAME".
func recorder(dir string) harnesses.Harness {
	h := harnesses.Harness{ID: "one", Name: "One"}
	h.Capabilities.History = harnesses.History{
		Places: func(harnesses.Env) []string { return []string{dir, filepath.Join(dir, "none")} },
		Begins: func(begin []byte) bool { return bytes.HasPrefix(begin, []byte("session\n")) },
		HookRuns: func(r harnesses.Recording, from int64, each func(harnesses.HookRun)) error {
			lines := bufio.NewScanner(io.NewSectionReader(r.File, from, r.Size-from))
			lines.Buffer(nil, 1<<20)
			for lines.Scan() {
				if name, ok := strings.CutPrefix(lines.Text(), "run "); ok {
					each(harnesses.HookRun{Command: name})
				}
			}
			return lines.Err()
		},
	}
	return h
}

func write(t *testing.T, path, text string, old bool) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err == nil {
		err = f.Close()
	}
	if at := time.Now().Add(-30 * 24 * time.Hour); err == nil && old {
		err = os.Chtimes(path, at, at)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestRuns(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write(t, path("a"), "session\nrun a1\nrun a2\nrun a", false)
	write(t, path("old"), "session\nrun old\n", true)
	write(t, path("other"), "no session\nrun other\n", false)
	write(t, path("big"), "session\nrun first\n"+strings.Repeat("run x"+strings.Repeat("y", 1000)+"\n", mostTail/1000)+"run last\n", false)
	if err := os.Mkdir(path("folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, path("circle")); err != nil {
		t.Log(err) // on Windows
	}
	r := Runs{Files: Files{Harnesses: []harnesses.Harness{recorder(dir)}}, Since: time.Now().Add(-time.Hour)}
	read := func() (names []string) {
		r.Read(func(harness string, run harnesses.HookRun) {
			if !strings.HasPrefix(run.Command, "xyyy") {
				names = append(names, harness+" "+run.Command)
			}
		})
		slices.Sort(names)
		return names
	}
	if got, want := fmt.Sprint(read()), "[one a1 one a2 one last]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := read(); len(got) > 0 {
		t.Errorf("again: %s", got)
	}
	write(t, path("a"), "3\nrun a4\n", false)
	write(t, path("b"), "session\nrun b1\n", false)
	if got, want := fmt.Sprint(read()), "[one a3 one a4 one b1]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
