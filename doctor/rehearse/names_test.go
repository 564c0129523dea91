package rehearse

import (
	"io/fs"
	"testing"

	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/hook/rules"
	"wsi/installer/inspect"
	"wsi/internal/refserver"
)

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
