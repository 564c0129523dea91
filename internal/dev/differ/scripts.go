package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// byChance are scripts with another outcome in each run: a server draws keys by lot, two programs run at once.
var byChance = []string{"relay-carries-a-value.txtar", "two-setups-at-once.txtar"}

// scripts plays the test scripts of the command. They are not judged here: all their commands run, whatever comes out, and
// what they print and leave is compared.
func scripts() (all []scenario, err error) {
	paths, err := filepath.Glob("cmd/wsi/testdata/script/*.txtar")
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		if slices.Contains(byChance, filepath.Base(path)) {
			continue
		}
		all = append(all, scenario{"test script", filepath.Base(path), func(p *place) { p.script(path) }})
	}
	return all, err
}

// script plays a script and records its log, in which each command's output is, and its folder.
func (p *place) script(path string) {
	l := &log{}
	testscript.RunT(l, testscript.Params{
		Files: []string{path}, WorkdirRoot: p.work(), ContinueOnError: true, RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			home, servers := filepath.Join(e.WorkDir, "home"), filepath.Join(e.WorkDir, "servers")
			e.Setenv("HOME", home)
			e.Setenv("PATH", filepath.Dir(p.bin())+string(filepath.ListSeparator)+servers)
			e.Setenv("WSI", p.bin())
			e.Setenv("GIT_AUTHOR_DATE", "2026-01-02T03:04:05Z") // the names of commits depend on it
			e.Setenv("GIT_COMMITTER_DATE", "2026-01-02T03:04:05Z")
			e.Setenv("B", installed(home))
			return errors.Join(p.install(home), os.MkdirAll(servers, 0o700), os.WriteFile(filepath.Join(servers, "node"), nil, 0o700)) //nolint:gosec // a program
		},
		Condition: func(string) (bool, error) { return true, nil },
		Cmds:      p.commands(),
	})
	p.record("log", l.text.String())
	p.tree()
}

// commands are those of cmd/wsi/main_test.go. Those that only check do nothing.
func (p *place) commands() map[string]func(*testscript.TestScript, bool, []string) {
	write := func(ts *testscript.TestScript, file string, content []byte, mode os.FileMode) {
		ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(file)), 0o700))
		ts.Check(os.WriteFile(ts.MkAbs(file), content, mode))
	}
	all := map[string]func(*testscript.TestScript, bool, []string){
		"exits": func(ts *testscript.TestScript, _ bool, args []string) {
			ts.Logf("[%v]", ts.Exec(args[1], args[2:]...))
		},
		"raw": func(ts *testscript.TestScript, _ bool, args []string) {
			text, err := strconv.Unquote(`"` + args[1] + `"`)
			ts.Check(err)
			write(ts, args[0], []byte(text), 0o600)
		},
		"program": func(ts *testscript.TestScript, _ bool, args []string) { write(ts, args[0], p.program, 0o700) },
		"older": func(ts *testscript.TestScript, _ bool, args []string) {
			write(ts, args[0], slices.Concat(p.program, []byte("older")), 0o700)
		},
		"expand": func(ts *testscript.TestScript, _ bool, args []string) {
			write(ts, args[0], []byte(os.Expand(ts.ReadFile(args[0]), ts.Getenv)), 0o600)
		},
	}
	for _, name := range []string{"mode", "snapshot", "changed", "tlsservers", "asked", "pastes", "says", "tells", "narrow"} {
		all[name] = func(*testscript.TestScript, bool, []string) {}
	}
	return all
}

// log is a [testscript.T] that keeps what a script logs.
type log struct{ text strings.Builder }

// stopped is how a script ends early.
type stopped struct{}

func (l *log) Run(_ string, f func(testscript.T)) {
	defer func() {
		if why := recover(); why != nil && why != any(stopped{}) {
			panic(why)
		}
	}()
	f(l)
}
func (l *log) Log(args ...any)   { fmt.Fprintln(&l.text, args...) }
func (l *log) Skip(args ...any)  { l.Log(args...); l.FailNow() }
func (l *log) Fatal(args ...any) { l.Log(args...); l.FailNow() }
func (l *log) FailNow()          { panic(stopped{}) }
func (l *log) Parallel()         {}
func (l *log) Verbose() bool     { return true }
