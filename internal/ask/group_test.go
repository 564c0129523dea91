//go:build unix

package ask

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What the program has started ends with it, even if the program itself has ended before.
func TestTheGroupEnds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ticks")
	for _, last := range []string{"wait", "exit"} {
		talk, err := Begin(t.Context(), Program{
			Path: "/bin/sh",
			Args: []string{"-c", `(while :; do echo tick >> "$0"; sleep 0.02; done) & read line; echo '{"id":1}'; ` + last, file},
			Env:  []string{"PATH=/usr/bin:/bin"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := talk.Ask("q", nil); err != nil {
			t.Error(err)
		}
		talk.End()
		before := size(t, file)
		time.Sleep(100 * time.Millisecond)
		if after := size(t, file); before == 0 || after != before {
			t.Errorf("%s: %d bytes, then %d", last, before, after)
		}
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
