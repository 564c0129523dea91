package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"wsi/harnesses"
	"wsi/hook"
	"wsi/internal/testkit/buildtest"
)

// server is the server as the harness calls it. twin is another one of the same kind.
const server, twin = "workflow-server", "twin"

// port runs a hook as a harness does.
type port interface {
	// run passes an event to the hook and returns its stdout. It returns an error if the hook wrote to stderr or
	// exited with a status other than 0, which it must never do.
	run(h home, verb string, event []byte) (stdout []byte, err error)
	// kill starts the hook and kills it before it is done, or does not start it at all.
	kill(h home, verb string, event []byte, after time.Duration)
	// sequential reports whether hooks that run at the same time must run one after the other, so that a seed always
	// plays the same schedule.
	sequential() bool
}

// home is the home folder of a schedule's user.
type home string

func (h home) state() string   { return filepath.Join(string(h), "state") }
func (h home) journal() string { return filepath.Join(h.state(), "journal.jsonl") }

// create makes the home folder, with a rule file if rules is not "".
func (h home) create(content string) error {
	rules := filepath.Join(string(h), ".config", "wsi", "rules.toml")
	if err := os.MkdirAll(filepath.Dir(rules), 0o700); err != nil {
		return err
	}
	if content == "" {
		return nil
	}
	return os.WriteFile(rules, []byte(content), 0o600)
}

// inside runs the hook in this process, without the cost of a process.
type inside struct{ bare bool } // without current.token and a rule file

func (inside) sequential() bool { return true }

func (in inside) run(h home, verb string, event []byte) ([]byte, error) {
	var stdout bytes.Buffer
	env := hook.Env{
		Stdin: bytes.NewReader(event), Stdout: &stdout, Home: string(h), GOOS: runtime.GOOS,
		Getenv: func(name string) string {
			if name == "WSI_STATE_DIR" {
				return h.state()
			}
			return ""
		},
	}
	if in.bare {
		env.Home = ""
	}
	hook.Run(env, hook.Options{Verb: verb, Harness: "claude-code", Servers: []string{server, twin}, As: map[string]string{twin: server}})
	return stdout.Bytes(), nil
}

func (inside) kill(home, string, []byte, time.Duration) {}

// processes runs the binary with the command line that setup registers.
type processes struct{ program string }

func (processes) sequential() bool { return false }

func (p processes) command(h home, verb string, event []byte) *exec.Cmd {
	cmd := exec.Command(p.program, verb, "--harness", "claude-code", "--server", server, "--server", twin+"="+server)
	cmd.Env = []string{"HOME=" + string(h), "USERPROFILE=" + string(h), "WSI_STATE_DIR=" + h.state(), "CLAUDECODE=1"}
	cmd.Dir = string(h)
	cmd.Stdin = bytes.NewReader(event)
	return cmd
}

func (p processes) run(h home, verb string, event []byte) ([]byte, error) {
	cmd := p.command(h, verb, event)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	switch err := cmd.Run(); {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", verb, err)
	case stderr.Len() > 0:
		return nil, fmt.Errorf("%s wrote %d bytes to stderr", verb, stderr.Len())
	}
	return stdout.Bytes(), nil
}

func (p processes) kill(h home, verb string, event []byte, after time.Duration) {
	cmd := p.command(h, verb, event)
	if after == 0 || cmd.Start() != nil {
		return
	}
	time.Sleep(after)
	_ = cmd.Process.Kill() // it may have ended already
	_ = cmd.Wait()
}

// build compiles wsi into a folder.
func build(dir string) (processes, error) {
	program, err := buildtest.Program(dir, buildtest.Wsi)
	return processes{program}, err
}

var verbs = struct{ inject, capture string }{harnesses.Inject, harnesses.Capture}
