package installer

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/claudecode"
	"wsi/harnesses/setup/codex"
	"wsi/harnesses/setup/cursor"
	"wsi/installer/files"
	"wsi/installer/ledger"
	"wsi/installer/refusal"
	"wsi/internal/testkit/envtest"
	"wsi/internal/testkit/linktest"
)

// world is a home folder with the configurations of three harnesses.
func world(t *testing.T) Options {
	t.Helper()
	env := envtest.New(t, map[string]string{
		".claude/settings.json": "{\n  \"model\": \"opus\"\n}\n",
		".codex/config.toml":    "# mine\nmodel = \"x\"\n",
		".cursor/hooks.json":    "{\n  // mine\n  \"version\": 1\n}\n",
	}, nil)
	env.GOOS, env.Asked = goos(), envtest.Asked
	o := Options{
		Env: env, FS: files.Disk{}, StateDir: filepath.Join(env.Home, "state", "wsi"), Scope: setup.User,
		Harnesses: []setup.Harness{claudecode.Harness(), codex.Harness(), cursor.Harness()},
		Setup:     Setup{Program: setup.Program{Path: filepath.Join(env.Home, ".local", "bin", "wsi"), Servers: []string{harnesses.DefaultServer}}},
		Purge:     true,
	}
	return o
}

// contents returns the content of every file of the harnesses.
func contents(t *testing.T, home string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == "state" {
				return fs.SkipDir
			}
			return err
		}
		content, err := os.ReadFile(path)
		rel, _ := filepath.Rel(home, path)
		all[filepath.ToSlash(rel)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// faulty fails at one of its changes. If dead is set, all later ones fail too, as if the process had been
// killed.
type faulty struct {
	files.Disk
	left int
	dead bool
}

var errFault = errors.New("injected fault")

func (f *faulty) fault() error {
	f.left--
	if f.left == 0 || f.left < 0 && f.dead {
		return errFault
	}
	return nil
}

func (f *faulty) Replace(path string, before, after []byte, mode fs.FileMode) error {
	if err := f.fault(); err != nil {
		return err
	}
	return f.Disk.Replace(path, before, after, mode)
}

func (f *faulty) Mkdir(path string, mode fs.FileMode) error {
	if err := f.fault(); err != nil {
		return err
	}
	return f.Disk.Mkdir(path, mode)
}

func (f *faulty) Remove(path string) error {
	if err := f.fault(); err != nil {
		return err
	}
	return f.Disk.Remove(path)
}

func mustPlan(t *testing.T, plan func(Options) (Plan, error), o Options) Plan {
	t.Helper()
	p, err := plan(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range p.Refusals {
		t.Errorf("refused: %v", r)
	}
	return p
}

func mustApply(t *testing.T, plan func(Options) (Plan, error), o Options) {
	t.Helper()
	if err := Apply(t.Context(), o.FS, mustPlan(t, plan, o), nil); err != nil {
		t.Fatal(err)
	}
}

func sameFiles(a, b map[string]string) bool {
	for path, content := range a {
		if other, ok := b[path]; !ok || other != content {
			return false
		}
	}
	return len(a) == len(b)
}

// A file that changed after the plan was made is not overwritten, and nothing else is written. Row 22.
func TestChangedSincePlan(t *testing.T) {
	changes := map[string]func(t *testing.T, home string){
		"edited": func(t *testing.T, home string) {
			t.Helper()
			write(t, filepath.Join(home, ".claude/settings.json"), "{\"theirs\": 1}")
		},
		"gone": func(t *testing.T, home string) {
			t.Helper()
			remove(t, filepath.Join(home, ".claude/settings.json"))
		},
		"appeared": func(t *testing.T, home string) {
			t.Helper()
			write(t, filepath.Join(home, ".codex/hooks.json"), "{}")
		},
		"now a link": func(t *testing.T, home string) {
			t.Helper()
			path := filepath.Join(home, ".claude/settings.json")
			if err := os.Rename(path, path+".real"); err != nil {
				t.Fatal(err)
			}
			linktest.Make(t, path+".real", path)
		},
		"now a link to nowhere": func(t *testing.T, home string) {
			t.Helper()
			linktest.Make(t, filepath.Join(home, "nowhere"), filepath.Join(home, ".codex/hooks.json"))
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			o := world(t)
			p := mustPlan(t, PlanSetup, o)
			change(t, o.Env.Home)
			before := listing(t, o.Env.Home)
			err := Apply(t.Context(), files.Disk{}, p, nil)
			var r refusal.Error
			if !errors.Is(err, ErrChanged) || !errors.As(err, &r) || r.Fix == "" {
				t.Errorf("applied: %v", err)
			}
			if now := listing(t, o.Env.Home); !slices.Equal(now, before) {
				t.Errorf("now\n%q\nbefore\n%q", now, before)
			}
			if _, err := os.Stat(o.StateDir); err == nil {
				t.Error("a record was written")
			}
		})
	}
}

// listing returns files and links without following the links.
func listing(t *testing.T, home string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, _ := os.ReadFile(path) // a link to nowhere has none
		all = append(all, path+" "+d.Type().String()+" "+string(content))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func TestDryRunCannotWrite(t *testing.T) {
	o := world(t)
	before := contents(t, o.Env.Home)
	o.FS = dryRun{FS: files.Disk{}}
	p := mustPlan(t, PlanSetup, o)
	if err := Apply(t.Context(), o.FS, p, nil); !errors.Is(err, errDryRun) {
		t.Errorf("applied: %v", err)
	}
	if now := contents(t, o.Env.Home); !sameFiles(now, before) {
		t.Errorf("now %q", now)
	}
}

// Of two plans made at the same time, the second would overwrite the ledger of the first.
func TestConcurrentPlans(t *testing.T) {
	o := world(t)
	one, two := o, o
	one.Harnesses, two.Harnesses = o.Harnesses[:1], o.Harnesses[2:]
	first, second := mustPlan(t, PlanSetup, one), mustPlan(t, PlanSetup, two)
	if err := Apply(t.Context(), files.Disk{}, first, nil); err != nil {
		t.Fatal(err)
	}
	before := contents(t, o.Env.Home)
	if err := Apply(t.Context(), files.Disk{}, second, nil); !errors.Is(err, ErrChanged) {
		t.Errorf("applied: %v", err)
	}
	if now := contents(t, o.Env.Home); !sameFiles(now, before) {
		t.Errorf("now %q", now)
	}
}

// racing is a disk on which a harness writes at the same time as wsi, and on which wsi's next write fails.
type racing struct {
	faulty
	race func()
}

func (m *racing) Replace(path string, before, after []byte, mode fs.FileMode) error {
	if m.left == 1 {
		m.race()
	}
	return m.faulty.Replace(path, before, after, mode)
}

// Undoing wsi's changes keeps what other programs wrote meanwhile. Row 22.
func TestUndoKeepsOtherWrites(t *testing.T) {
	const theirs = "{\"theirs\": 1}"
	for name, race := range map[string]func(t *testing.T, path string){
		"edited": func(t *testing.T, path string) { t.Helper(); write(t, path, theirs) },
		"gone":   func(t *testing.T, path string) { t.Helper(); remove(t, path) },
	} {
		t.Run(name, func(t *testing.T) {
			o := world(t)
			before := contents(t, o.Env.Home)
			settings := filepath.Join(o.Env.Home, ".claude/settings.json")
			ledger := ledger.Path(o.StateDir)
			met := false
			// The write that fails is the last.
			m := &racing{faulty: faulty{left: changesOfSetup(t)}}
			m.race = func() { met = true; race(t, settings); write(t, ledger, theirs) }
			err := Apply(t.Context(), m, mustPlan(t, PlanSetup, o), nil)
			if !met || !errors.Is(err, errFault) || !errors.Is(err, errOthers) || strings.Contains(err.Error(), "as they were") {
				t.Fatalf("raced %v: %v", met, err)
			}
			now := contents(t, o.Env.Home)
			if content, ok := now[".claude/settings.json"]; ok != (name == "edited") || ok && content != theirs {
				t.Errorf("their change is gone: %q", content)
			}
			if content, err := os.ReadFile(ledger); err != nil || string(content) != theirs {
				t.Errorf("the ledger of another: %q, %v", content, err)
			}
			for _, path := range []string{".codex/config.toml", ".cursor/hooks.json", ".codex/hooks.json"} {
				if now[path] != before[path] {
					t.Errorf("%s was not put back: %q", path, now[path])
				}
			}
		})
	}
}

// changesOfSetup counts the changes to the disk that setup makes in a world.
func changesOfSetup(t *testing.T) int {
	t.Helper()
	counter := &faulty{left: 1 << 20}
	if err := Apply(t.Context(), counter, mustPlan(t, PlanSetup, world(t)), nil); err != nil {
		t.Fatal(err)
	}
	return 1<<20 - counter.left
}

// After ctrl-c or a panic during Apply, all files have their old content.
func TestInterruptedApply(t *testing.T) {
	for name, stop := range map[string]func(end context.CancelFunc){
		"ctrl-c": func(end context.CancelFunc) { end() },
		"panic":  func(context.CancelFunc) { panic("a bug") },
	} {
		t.Run(name, func(t *testing.T) {
			o := world(t)
			p, before := mustPlan(t, PlanSetup, o), contents(t, o.Env.Home)
			ctx, end := context.WithCancel(t.Context())
			defer end()
			written := 0
			var err error
			func() {
				defer func() {
					if recover() != nil {
						err = ErrStopped
					}
				}()
				err = Apply(ctx, o.FS, p, func(Change) {
					written++
					if written == 2 {
						stop(end)
					}
				})
			}()
			if !errors.Is(err, ErrStopped) || written != 2 {
				t.Errorf("stopped after %d changes: %v", written, err)
			}
			if after := contents(t, o.Env.Home); !sameFiles(before, after) {
				t.Errorf("files are not as they were: %v", after)
			}
			mustApply(t, PlanSetup, o)
		})
	}
}
