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
	"wsi/hook/vault"
)

// port runs a hook as a harness does.
type port interface {
	// run gives the hook an event and returns what it said. An error means that the hook broke a
	// promise: it said something on stderr, or ended with another status than 0.
	run(h home, verb string, event []byte) (stdout []byte, err error)
	// kill starts the hook and ends it before it is done, or does not start it at all.
	kill(h home, verb string, event []byte, after time.Duration)
	// orders tells whether hooks that run at once must be run one after the other, for a seed to play
	// the same schedule each time.
	orders() bool
}

// home is the folder of one user: of a schedule.
type home string

func (h home) state() string   { return filepath.Join(string(h), "state") }
func (h home) journal() string { return filepath.Join(h.state(), "journal.jsonl") }

// furnish makes the home. single puts the rule file into it that has one value for everything.
func (h home) furnish(single bool) error {
	rules := filepath.Join(string(h), ".config", "wsi", "rules.toml")
	if err := os.MkdirAll(filepath.Dir(rules), 0o700); err != nil {
		return err
	}
	if !single {
		return nil
	}
	return os.WriteFile(rules, []byte("keying = \"single\"\n"), 0o600)
}

// inside runs the hook in this process: the same code without the cost of a process, and with a memory
// also without that of files.
type inside struct{ memory *vault.Memory }

func (inside) orders() bool { return true }

func (in inside) run(h home, verb string, event []byte) ([]byte, error) {
	var stdout bytes.Buffer
	env := hook.Env{
		Stdin: bytes.NewReader(event), Stdout: &stdout, Home: string(h), GOOS: runtime.GOOS, Memory: in.memory,
		Getenv: func(name string) string {
			if name == "WSI_STATE_DIR" {
				return h.state()
			}
			return ""
		},
	}
	if in.memory != nil { // no current.token, and no rule file
		env.Home = ""
	}
	hook.Run(env, hook.Options{Verb: verb, Harness: "claude-code"})
	return stdout.Bytes(), nil
}

func (inside) kill(home, string, []byte, time.Duration) {}

// processes runs the binary, with the command line that setup registers.
type processes struct{ program string }

func (processes) orders() bool { return false }

func (p processes) command(h home, verb string, event []byte) *exec.Cmd {
	cmd := exec.Command(p.program, verb, "--harness", "claude-code")
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
	_ = cmd.Process.Kill() // it may have ended: then it was quick
	_ = cmd.Wait()
}

// build compiles wsi into a folder.
func build(dir string) (processes, error) {
	p := processes{filepath.Join(dir, "wsi")}
	if runtime.GOOS == "windows" {
		p.program += ".exe"
	}
	out, err := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", p.program, "wsi/cmd/wsi").CombinedOutput()
	if err != nil {
		return p, fmt.Errorf("build wsi: %w\n%s", err, out)
	}
	return p, nil
}

var verbs = struct{ inject, capture string }{harnesses.Inject, harnesses.Capture}
