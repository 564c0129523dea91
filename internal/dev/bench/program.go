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
	mute bool // ignores events and prints nothing: the cost of a process
}

// sample is the cost of one run.
type sample struct{ cpu, wall time.Duration }

// run passes one event to the program through pipes, as a harness does.
func (p program) run(verb string, event []byte) (sample, []byte, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(p.argv[0], append(p.argv[1:len(p.argv):len(p.argv)], p.verb(verb)...)...)
	// The environment is minimal: NODE_EXTRA_CA_CERTS alone doubles the start time of Node.
	cmd.Env = []string{"HOME=" + p.home, "USERPROFILE=" + p.home, "WSI_STATE_DIR=" + p.state(), "PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if !p.mute {
		cmd.Stdin = bytes.NewReader(event)
	}
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return sample{}, nil, fmt.Errorf("%s: %w: %s", p.name, err, stderr.Bytes())
	}
	wall := time.Since(start)
	return sample{cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), wall}, stdout.Bytes(), nil
}

func (p program) verb(verb string) []string {
	if p.mute {
		return nil
	}
	return []string{verb, "--harness", "claude-code"}
}

func (p program) state() string { return filepath.Join(p.home, "state") }

// current returns the token that the program stored last.
func (p program) current() (string, error) {
	b, err := os.ReadFile(filepath.Join(p.home, ".claude", "workflow-server-tokens", "current.token"))
	return string(bytes.TrimSpace(b)), err
}

// fill captures the first token of n other sessions.
func (p program) fill(n int) {
	for i := range n {
		var answer bytes.Buffer
		hook.Run(hook.Env{
			Stdin:  bytes.NewReader(after(fmt.Sprintf("other-%d", i), 0, 2<<10)),
			Stdout: &answer, Home: p.home,
			Getenv: func(name string) string { return map[string]string{"WSI_STATE_DIR": p.state()}[name] },
		}, hook.Options{Verb: harnesses.Capture, Harness: "claude-code"})
	}
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

// samples are the runs of a program in a scene.
type samples []sample

func (s samples) cpu() time.Duration { return median(s, func(s sample) time.Duration { return s.cpu }) }

func (s samples) wall() time.Duration {
	return median(s, func(s sample) time.Duration { return s.wall })
}

func (s samples) minimum() time.Duration {
	return slices.MinFunc(s, func(a, b sample) int { return int(a.cpu - b.cpu) }).cpu
}

func median(s samples, of func(sample) time.Duration) time.Duration {
	values := make([]time.Duration, len(s))
	for i := range s {
		values[i] = of(s[i])
	}
	slices.Sort(values)
	return values[len(values)/2]
}
