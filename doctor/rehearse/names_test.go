package rehearse

import (
	"io/fs"
	"testing"

	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/hook/rules"
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
			s, ok := Subject{Harness: h, Env: env, Box: box, Server: name, As: rules.WorkflowServer}.Wired("/bin/wsi", name)
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
