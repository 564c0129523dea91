package rehearse

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
)

// inCmd is a harness whose hooks run in cmd.exe, whichever shell it prefers: neither PowerShell nor Git Bash runs in Wine.
type inCmd struct{ setup.Simulator }

func (s inCmd) Shell(env setup.Env, command string) []string {
	argv := s.Simulator.Shell(env, command)
	if name := strings.TrimSuffix(filepath.Base(argv[0]), ".exe"); name != "bash" && name != "powershell" && name != "pwsh" {
		return argv
	}
	return []string{"cmd", "/c", strings.TrimPrefix(command, "& ")}
}

type repeatingInCmd struct {
	inCmd
	setup.Repeating
}

// The hooks of every dialect carry the value on Windows: the registered command lines run, with paths of Windows in the events,
// for a wsi whose path needs quotes and for one whose path needs none.
func TestDialects(t *testing.T) {
	built := os.Getenv("WSI_TEST_PROGRAMS")
	if built == "" {
		t.Skip("there is no wsi.exe: make windows builds it")
	}
	program, err := os.ReadFile(filepath.Join(built, "wsi.exe"))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := os.MkdirTemp(`C:\`, "Jörg")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(plain)
	home := t.TempDir()
	env := setup.Env{
		Home: home, Cwd: home, GOOS: "windows", Getenv: os.Getenv, ReadFile: os.ReadFile, LookPath: exec.LookPath,
		Stat: func(path string) (bool, error) {
			info, err := os.Stat(path)
			return err == nil && info.IsDir(), err
		},
	}
	played := 0
	for _, folder := range []string{plain, filepath.Join(home, "a b")} {
		path := filepath.Join(folder, "wsi.exe")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, program, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, h := range registry.All() {
			if h.Proof.Simulator == nil {
				continue
			}
			if again, ok := h.Proof.Simulator.(setup.Repeating); ok {
				h.Proof.Simulator = repeatingInCmd{inCmd{h.Proof.Simulator}, again}
			} else {
				h.Proof.Simulator = inCmd{h.Proof.Simulator}
			}
			box, err := NewSandbox(filepath.Join(t.TempDir(), h.ID), env)
			if err != nil {
				t.Fatal(err)
			}
			s, ok := Subject{Harness: h, Env: env, Box: box, Server: harnesses.DefaultServer}.wired(path, harnesses.DefaultServer)
			if !ok || !slices.ContainsFunc(s.Hooks, func(h Hook) bool { return h.Parsed.Verb == harnesses.Inject }) {
				continue // its hooks carry nothing
			}
			played++
			score, err := s.play(t.Context(), core, false)
			if err != nil || score.Wrong != "" || score.Right == 0 || score.Right+score.Unseen < score.Needed {
				t.Errorf("%s: %s: %+v, %v", h.ID, s.Hooks[0].Line, score, err)
			}
		}
	}
	if played < 2*7 {
		t.Errorf("the hooks of %d harnesses were played", played)
	}
}
