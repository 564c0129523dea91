package rehearse

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/hook/rules"
	"wsi/installer/inspect"
	"wsi/internal/refserver"
	"wsi/internal/stdiorpc"
	"wsi/internal/testkit/linktest"
)

// A copy of this program, which setup may have installed, makes the same calls as it does; another build may not.
func TestIsThis(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	this := file("wsi", "one build")
	for name, c := range map[string]struct {
		programs []string
		want     bool
	}{
		"itself":                    {[]string{this}, true},
		"a copy":                    {[]string{file("copy", "one build")}, true},
		"another build":             {[]string{file("older", "two build")}, false},
		"another length":            {[]string{file("longer", "one build of wsi")}, false},
		"no program":                {[]string{""}, false},
		"nothing there":             {[]string{filepath.Join(dir, "none")}, false},
		"a folder":                  {[]string{dir}, false},
		"itself, and another build": {[]string{this, this, filepath.Join(dir, "older")}, false},
	} {
		s := Subject{This: this}
		for _, program := range c.programs {
			s.Hooks = append(s.Hooks, Hook{Program: program})
		}
		if got := s.IsThis(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if (Subject{}).IsThis() {
		t.Error("without a path and hooks")
	}
	if (Subject{This: filepath.Join(dir, "gone"), Hooks: []Hook{{Program: this}}}).IsThis() {
		t.Error("the running program is gone")
	}
}

func TestIsThisByALink(t *testing.T) {
	dir := t.TempDir()
	this, link := filepath.Join(dir, "wsi"), filepath.Join(dir, "link")
	if err := os.WriteFile(this, []byte("one build"), 0o700); err != nil {
		t.Fatal(err)
	}
	linktest.Make(t, this, link)
	if s := (Subject{This: this, Hooks: []Hook{{Program: link}}}); !s.IsThis() {
		t.Error("another one")
	}
}

// Harnesses write the names of servers differently into the names of tools: the hooks recognize each of them.
func TestOddNamesOfServers(t *testing.T) {
	env := setup.Env{
		Home: t.TempDir(), GOOS: "linux", Getenv: func(string) string { return "" }, ReadFile: func(string) ([]byte, error) { return nil, fs.ErrNotExist },
		Stat: func(string) (bool, error) { return false, fs.ErrNotExist }, LookPath: func(string) (string, error) { return "", fs.ErrNotExist },
	}
	env.Cwd = env.Home
	short := act{
		name: "odd", script: shortScript, tail: true,
		server: refserver.Options{Places: []refserver.Place{refserver.Meta, refserver.Text}},
	}
	for _, h := range registry.All() {
		if h.Proof.Simulator == nil || h.Capabilities.MayOmitServer {
			continue // events before a call do not name the server
		}
		for _, name := range []string{"my.server", "my server", "Wörkflow", "WORKFLOW", "flow_", "a__b", "42"} {
			box, err := NewSandbox(t.TempDir(), env)
			if err != nil {
				t.Fatal(err)
			}
			s, ok := Subject{Harness: h, Env: env, Box: box}.wired("/bin/wsi", name)
			if !ok {
				t.Errorf("%s cannot have hooks for %s", h.ID, name)
				continue
			}
			if score, err := s.play(t.Context(), short, true); err != nil || score.Right != 1 || score.Needed != 1 {
				t.Errorf("%s, %s: %+v, %v", h.ID, name, score, err)
			}
		}
	}
}

// wired returns the subject with a server, and hooks as setup would register them for the wsi at this path. ok is false if the
// harness cannot have them.
func (s Subject) wired(path, server string) (wired Subject, ok bool) {
	wiring, err := s.Harness.Wiring(s.Env, setup.User, setup.Program{
		Path: path, Servers: []string{server}, As: map[string]string{server: rules.WorkflowServer},
	})
	if err != nil {
		return s, false
	}
	s.Server = server
	add := func(f inspect.Source, e setup.Entry) {
		said, _ := setup.ParseCommand(e.Command)
		one := setup.Hook{Event: e.Event, Matcher: e.Matcher, Command: e.Command, Parsed: said, Mine: true}
		s.Hooks = append(s.Hooks, Hook{Hook: one, File: f, Program: path, Line: e.Command})
	}
	for _, hf := range wiring.Hooks {
		for _, e := range hf.Entries {
			add(inspect.Source{Path: hf.Path, Hooks: hf}, e)
		}
	}
	for _, wf := range wiring.Owned {
		for _, line := range wf.Commands(wf.Content) {
			add(inspect.Source{Path: wf.Path, Owned: wf}, setup.Entry{Command: line})
		}
	}
	return s, true
}

// Whatever a registered command does, its run ends soon, and with little kept.
func TestRunIsBounded(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("shell scripts stand in for wsi")
	}
	late := errors.New("too late")
	for name, c := range map[string]struct {
		script string
		want   error
		exit   int
	}{
		"ends":                            {"cat > /dev/null; echo '{}'", nil, 0},
		"ends badly":                      {"exit 3", nil, 3},
		"prints without end":              {"yes", stdiorpc.ErrOutput, -1},
		"complains without end":           {"yes >&2", stdiorpc.ErrOutput, -1},
		"prints on after its reader ends": {"trap '' PIPE; while :; do yes; done 2>/dev/null", stdiorpc.ErrOutput, -1},
		"hangs":                           {"sleep 600", late, -1},
		"leaves one that holds the end":   {"sleep 600 & echo '{}'", exec.ErrWaitDelay, 0},
		"hangs with all it has started":   {"sleep 600 & sleep 600 & wait", late, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box, err := NewSandbox(t.TempDir(), setup.Env{GOOS: runtime.GOOS})
			if err != nil {
				t.Fatal(err)
			}
			limit := 3 * time.Second
			if errors.Is(c.want, late) { // sooner: it would not end by itself
				limit = time.Second
			}
			ctx, cancel := context.WithTimeoutCause(t.Context(), limit, late)
			defer cancel()
			start := time.Now()
			r := box.Run(ctx, []string{"/bin/sh", "-c", c.script}, []byte(strings.Repeat("x", 1<<20)))
			if !errors.Is(r.Err, c.want) || c.exit >= 0 && r.Exit != c.exit {
				t.Errorf("ended with status %d, %v", r.Exit, r.Err)
			}
			if took := time.Since(start); took > 7*time.Second {
				t.Errorf("ended after %s", took)
			}
		})
	}
}
