package doctor

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/hook"
	"wsi/hook/journal"
	"wsi/internal/testkit/envtest"
)

func only(ids ...string) func(*world) {
	return func(w *world) {
		w.harnessList = slices.DeleteFunc(w.harnessList, func(h setup.Harness) bool { return !slices.Contains(ids, h.ID) })
	}
}

func (w *world) remove(rel string) {
	w.t.Helper()
	w.must(os.Remove(w.path(rel)))
}

// A finding may quote a file; a file must not move the terminal.
func TestFindingsAreOneLine(t *testing.T) {
	f := finished("x", "", broken("a\n\tb", "%s", "red \x1b[31m\r\nand\u2028more\x00"))
	if f.Text != "red ?[31m and more?" || f.Fix.Text != "a b" {
		t.Errorf("%q %q", f.Text, f.Fix)
	}
}

// A bug at one harness ends in an error that names it, not in the end of the program, and leaves no
// folder behind.
func TestAPanicIsAnError(t *testing.T) {
	temp := t.TempDir()
	h := setup.Harness{ID: "one", Name: "Harness One", Find: func(setup.Env) (setup.Presence, error) { panic("a bug") }}
	_, err := Run(t.Context(), Options{Env: envtest.New(t, nil, nil), TempDir: temp, Harnesses: []setup.Harness{h}}, "")
	if err == nil || !strings.Contains(err.Error(), "wsi failed while examining Harness One: a bug") {
		t.Errorf("err = %v", err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left are %v (%v)", left, err)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, w.options(), ""); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

// What one check has found all others find, and asking again costs nothing.
func TestSteady(t *testing.T) {
	env := envtest.New(t, nil, nil)
	asked := 0
	env.ReadFile = func(string) ([]byte, error) { asked++; return []byte("{}"), nil }
	env.LookPath = func(string) (string, error) { asked++; return "", os.ErrNotExist }
	env.Resolve = func(path string) (string, error) { asked++; return path + "/real", nil }
	env = steady(env)
	for range 3 {
		content, err := env.ReadFile("a")
		if err != nil || string(content) != "{}" {
			t.Errorf("%q, %v", content, err)
		}
		content[0] = 'x' // the caller may change its copy
		if _, err := env.LookPath("a"); !os.IsNotExist(err) {
			t.Error(err)
		}
		if path, err := env.Resolve("a"); err != nil || path != "a/real" {
			t.Error(path, err)
		}
	}
	if asked != 3 {
		t.Errorf("asked %d times", asked)
	}
}

// BenchmarkDoctor is a whole examination of four harnesses, all well, as wsi doctor makes it. It
// reports the median, for that is what a person waits.
func BenchmarkDoctor(b *testing.B) {
	w := newWorld(b, "")
	o := w.options()
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		r, err := Run(b.Context(), o, "")
		if err != nil || !r.Healthy() {
			b.Fatal(err, withStatus(r, report.Fail))
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms/median")
	b.ReportMetric(0, "ns/op") // the mean says less
}

// Runs that failed at the start are known by the hook's own words.
func TestUnbegunIsWhatTheHookSays(t *testing.T) {
	for name, c := range map[string]struct {
		event string
		opt   hook.Options
	}{
		"no event":          {"", hook.Options{Verb: harnesses.Inject}},
		"half an event":     {"{", hook.Options{Verb: harnesses.Inject}},
		"no tool":           {"{}", hook.Options{Verb: harnesses.Inject}},
		"a damaged command": {"{}", hook.Options{Verb: "unknown", Damaged: `unknown command "injekt"`}},
	} {
		dir := t.TempDir()
		c.opt.Harness = "codex"
		hook.Run(hook.Env{
			Stdin: strings.NewReader(c.event), Stdout: io.Discard, Home: dir, GOOS: runtime.GOOS,
			Getenv: func(name string) string { return map[string]string{"WSI_STATE_DIR": dir}[name] },
		}, c.opt)
		entries, err := journal.In(dir).Entries()
		if err != nil || len(entries) != 1 || !unbegun(entries[0]) {
			t.Errorf("%s: %v %+v", name, err, entries)
		}
	}
}

// A file that cannot be read says nothing about what is in it.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", "claude-code")
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
	if shown := w.shown(r); strings.Contains(shown, "has no entry of wsi") || strings.Contains(shown, "fix: wsi setup") {
		t.Errorf("it claims to know what is in the file:\n%s", shown)
	}
}

// The doctor deletes the folders of doctors that were killed, and no others.
func TestSweep(t *testing.T) {
	temp := t.TempDir()
	stay := []string{"killed", scratchPrefix + "of-another-program", scratchPrefix + "runs"}
	for _, name := range append(stay, scratchPrefix+"killed") {
		if err := os.MkdirAll(filepath.Join(temp, name, "a"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	running := flock.New(filepath.Join(temp, scratchPrefix+"runs", scratchLock))
	locked, err := running.TryLock()
	w := os.WriteFile(filepath.Join(temp, scratchPrefix+"killed", scratchLock), nil, 0o600)
	if err := errors.Join(err, w); !locked || err != nil {
		t.Fatal(locked, err)
	}
	defer running.Close()
	s, err := newScratch(temp)
	if err != nil {
		t.Fatal(err)
	}
	sweep(temp) // by another doctor
	names := func() (all []string) {
		all, _ = filepath.Glob(filepath.Join(temp, "*"))
		for i := range all {
			all[i] = filepath.Base(all[i])
		}
		return all
	}
	if got := names(); len(got) != 4 || !slices.Contains(got, filepath.Base(s.dir)) {
		t.Errorf("next to a running one: %v", got)
	}
	s.remove()
	if got := names(); !slices.Equal(got, stay) {
		t.Errorf("afterwards: %v, want %v", got, stay)
	}
}

// Without a folder for temporary files the user hears it once, with what to do.
func TestWithoutATemporaryFolder(t *testing.T) {
	o := newWorld(t, "").options()
	o.TempDir = filepath.Join(t.TempDir(), "none")
	_, err := Run(t.Context(), o, "")
	if err == nil || strings.Count(err.Error(), "none") != 1 || !strings.Contains(err.Error(), "set TMPDIR to") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}

// A program that a doctor has ended may still have a child that writes.
func TestRemoveWhileWritten(t *testing.T) {
	t.Parallel()
	s, err := newScratch(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
			name, err := os.MkdirTemp(s.dir, "") //nolint:usetesting // in the folder that is removed
			if err == nil {
				err = os.WriteFile(filepath.Join(name, "f"), nil, 0o600)
			}
			if _, gone := os.Stat(s.dir); err != nil && gone != nil {
				return
			}
		}
	}()
	time.Sleep(10 * time.Millisecond)
	s.remove()
	<-over
	if _, err := os.Stat(s.dir); err == nil {
		t.Error("the folder is left")
	}
}
