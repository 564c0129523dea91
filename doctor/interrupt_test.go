package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"wsi/doctor/report"
)

func TestCancelled(t *testing.T) {
	w := newWorld(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, w.options(), ""); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

// A file that cannot be read says nothing about what is in it.
func TestUnreadable(t *testing.T) {
	w := newWorld(t, "")
	only("claude-code")(w)
	o := w.options()
	o.Harnesses = w.harnessList
	settings := w.path(".claude/settings.json")
	o.Env.ReadFile = func(path string) ([]byte, error) {
		if path == settings {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
		}
		return os.ReadFile(path)
	}
	r, err := Run(t.Context(), o, "")
	if red := withStatus(r, report.Fail); err != nil || !slices.Equal(red, []string{"claude-code.hook.file"}) {
		t.Errorf("red: %v, %v", red, err)
	}
	if shown := w.shown(r); strings.Contains(shown, "(no wsi entries)") || strings.Contains(shown, "fix: wsi setup") {
		t.Errorf("it claims to know what is in the file:\n%s", shown)
	}
}
