package rehearse

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"wsi/harnesses/setup"
	wsihook "wsi/hook"
	"wsi/hook/journal"
	"wsi/hook/rules"
	"wsi/internal/plainfile"
	"wsi/internal/stdiorpc"
)

// Sandbox has folders for hooks and servers, and an environment as small as that of a harness started from a desktop.
type Sandbox struct {
	Dir   string   // holds all the others
	Home  string   // of the user
	Cwd   string   // the project
	State string   // wsi's state folder
	Live  string   // for servers
	Rules string   // the user's rule file, which need not exist
	Env   []string // of all programs
}

// NewSandbox creates the folders in dir. The caller deletes dir.
func NewSandbox(dir string, e setup.Env) (Sandbox, error) {
	config := filepath.Join(dir, "config")
	s := Sandbox{
		Dir: dir, Home: filepath.Join(dir, "home"), Cwd: filepath.Join(dir, "project"), State: filepath.Join(dir, "state"),
		Live: filepath.Join(dir, "live"), Rules: filepath.Join(config, "wsi", rules.FileName),
	}
	for _, d := range []string{s.Home, s.Cwd, s.State, s.Live, filepath.Dir(s.Rules)} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return s, err
		}
	}
	s.Env = []string{"WSI_STATE_DIR=" + s.State, configVariable + "=" + config}
	if e.GOOS != "windows" {
		s.Env = append(s.Env, "HOME="+s.Home, "PATH=/usr/bin:/bin")
		return s, nil
	}
	s.Env = append(s.Env, "USERPROFILE="+s.Home)
	for _, name := range []string{"PATH", "SystemRoot", "ComSpec", "PATHEXT", "TEMP", "TMP"} {
		s.Env = append(s.Env, name+"="+e.Getenv(name))
	}
	return s, nil
}

const configVariable = "XDG_CONFIG_HOME"

// Ran is the result of a command.
type Ran struct {
	Stdout, Stderr []byte // Stderr only with another status than 0
	Exit           int
	Took           time.Duration
	Err            error // could not be started, or did not end
}

// LastWords returns the last line that the command printed to standard error.
func (r Ran) LastWords() string {
	lines := strings.Split(strings.TrimSpace(string(r.Stderr)), "\n")
	return fmt.Sprintf("%.200s", lines[len(lines)-1])
}

// patience is how long a hook may run. Those of wsi stay far below it.
const patience = 10 * time.Second

// Run runs a command in the project folder. It ends the command after some seconds.
func (s Sandbox) Run(ctx context.Context, argv []string, stdin []byte) (r Ran) {
	if len(argv) == 0 {
		return Ran{Err: errors.New("nothing to run")}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("it did not end within %s", patience))
	defer cancel()
	start := time.Now()
	r.Stdout, r.Err = stdiorpc.Run(ctx, stdiorpc.Program{Path: argv[0], Args: argv[1:], Dir: s.Cwd, Env: s.Env, Stdin: stdin})
	r.Took = time.Since(start)
	if failed, ok := errors.AsType[*exec.ExitError](r.Err); ok {
		r.Stderr, r.Exit, r.Err = failed.Stderr, failed.ExitCode(), nil
	}
	return r
}

func (s Sandbox) runHere(goos string, said setup.Registered, stdin []byte) Ran {
	var out bytes.Buffer
	wsihook.Run(wsihook.Env{
		Stdin: bytes.NewReader(stdin), Stdout: &out, GOOS: goos, // without a home, the value goes to the vault only
		Getenv: func(name string) string {
			switch name {
			case "WSI_STATE_DIR":
				return s.State
			case configVariable:
				return filepath.Dir(filepath.Dir(s.Rules))
			}
			return ""
		},
	}, wsihook.Options{Verb: said.Verb, Harness: said.Harness, Servers: said.Servers, As: said.As})
	return Ran{Stdout: out.Bytes()}
}

// Relay returns a relay command that uses the sandbox's folders.
func (s Sandbox) Relay(c setup.RelayCommand) setup.RelayCommand {
	c.State = s.State
	if c.Rules != "" {
		c.Rules = s.Rules
	}
	return c
}

// Journal returns the journal of the hooks that ran in the sandbox.
func (s Sandbox) Journal() ([]journal.Entry, error) { return journal.In(s.State).Entries() }

func (s Sandbox) transcript(session, agent string) string {
	if agent == "" {
		return filepath.Join(s.Home, "transcripts", session+".jsonl")
	}
	return filepath.Join(s.Home, "transcripts", session, "subagents", "agent-"+agent+".jsonl")
}

func (s Sandbox) write(path string, lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return plainfile.Append(path, lines)
}
