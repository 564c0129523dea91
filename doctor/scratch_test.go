package doctor

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"wsi/doctor/report"
)

// Without a folder for temporary files wsi's own has them, and nothing of them stays. Where not even that can be
// written to, it is said once.
func TestWithoutATemporaryFolder(t *testing.T) {
	for name, c := range map[string]struct {
		harm    func(w *world)
		made    bool // the state folder is to be there afterwards
		no, yes []string
	}{
		"the state folder is there": {func(*world) {}, true, []string{"token.delivered"}, nil},
		"no state folder, either": {func(w *world) {
			if err := os.RemoveAll(w.state()); err != nil {
				w.t.Fatal(err)
			}
		}, false, []string{"token.delivered"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "")
			only("codex")(w)
			c.harm(w)
			o := w.options()
			o.TempDir = filepath.Join(w.home, "none", "at", "all")
			before := w.names()
			r, err := Run(t.Context(), o, "")
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(withStatus(r, report.Warn), "wsi.temp") || !slices.Contains(withStatus(r, report.OK), "codex.token.delivered") {
				t.Errorf("%s", w.shown(r))
			}
			if after := w.names(); !slices.Equal(after, before) {
				t.Errorf("left behind: %v, was %v", after, before)
			}
		})
	}
	t.Run("nowhere", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("a file for a folder is another error there")
		}
		w := newWorld(t, "")
		o := w.options()
		o.TempDir, o.StateDir = filepath.Join(w.home, "none"), filepath.Join(wsi, "state")
		_, err := Run(t.Context(), o, "")
		if err == nil || strings.Count(err.Error(), "none") != 1 || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v", err)
		}
	})
}

// names are all paths below the home.
func (w *world) names() (all []string) {
	w.t.Helper()
	if err := filepath.WalkDir(w.home, func(path string, _ os.DirEntry, err error) error {
		all = append(all, path)
		return err
	}); err != nil {
		w.t.Fatal(err)
	}
	return all
}
