package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wsi/harnesses"
	"wsi/hook"
)

// program is a program under comparison, with its own home folder.
type program struct {
	name string
	argv []string // without the command
	with string   // what the home has in addition to that of the first, the same program
	home string
	rare bool // slow: only run in every eighth round
}

// run passes one event to the program through pipes, as a harness does. It returns the CPU time that the program took.
func (p program) run(verb string, event []byte) (time.Duration, []byte, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(p.argv[0], append(p.argv[1:len(p.argv):len(p.argv)], verb, "--harness", "claude-code")...)
	// The environment is minimal: NODE_EXTRA_CA_CERTS alone doubles the start time of Node.
	cmd.Env = []string{"HOME=" + p.home, "USERPROFILE=" + p.home, "WSI_STATE_DIR=" + p.state(), "PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(event), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return 0, nil, fmt.Errorf("%s: %w: %s", p.name, err, stderr.Bytes())
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), stdout.Bytes(), nil
}

func (p program) state() string { return filepath.Join(p.home, "state") }

// current returns the token that the program stored last.
func (p program) current() (string, error) {
	b, err := os.ReadFile(filepath.Join(p.home, ".claude", "workflow-server-tokens", "current.token"))
	return string(bytes.TrimSpace(b)), err
}

// capture runs the hook after a call in this process, which takes less time.
func (p program) capture(event []byte) {
	hook.Run(hook.Env{
		Stdin: bytes.NewReader(event), Stdout: new(bytes.Buffer), Home: p.home,
		Getenv: func(name string) string { return map[string]string{"WSI_STATE_DIR": p.state()}[name] },
	}, hook.Options{Verb: harnesses.Capture, Harness: "claude-code"})
}

// rule writes a user's rule file with n rules, each as long as the longest built-in one.
func (p program) rule(n int) error {
	var file strings.Builder
	for i := range n {
		fmt.Fprintf(&file, `
[[carry]]
name = "rule %[1]d"
servers = ["server-%[1]d", "server-%[1]d-beta"]
shape = '^rule%[1]d[A-Za-z0-9_-]{20,}$'
[carry.capture]
from = ["meta:handle_%[1]d", "structured:a.handle_%[1]d", "json:handle_%[1]d", 'text:(?m)^handle_%[1]d is (\S+)\.$']
key = ["json:ticket.id"]
[[carry.inject]]
tools = ["get_activity", "next_activity", "get_workflow", "get_resource", "close_%[1]d"]
argument = "ticket.handle_%[1]d"
choose = "key:id"
[[carry.repair]]
arguments = ["ticket.handle_%[1]d"]
`, i)
	}
	dir := filepath.Join(p.home, ".config", "wsi")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "rules.toml"), []byte(file.String()), 0o600)
}

// samples are the CPU times of the runs of a program in a scene.
type samples []time.Duration

// median ignores runs with interference.
func (s samples) median() time.Duration { return slices.Sorted(slices.Values(s))[len(s)/2] }
