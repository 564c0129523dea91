package doctor

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

	"wsi/harnesses"
	wsihook "wsi/hook"
	"wsi/hook/journal"
	"wsi/internal/procgroup"
)

// sandbox has a home, a state folder and a project for hooks, and an environment as small as that of a harness
// started from a desktop.
type sandbox struct {
	home, cwd, state, live string
	config                 string // holds the user's rule file
	env                    []string
}

func newSandbox(dir string, e harnesses.Env) (sandbox, error) {
	s := sandbox{
		home: filepath.Join(dir, "home"), cwd: filepath.Join(dir, "project"), state: filepath.Join(dir, "state"),
		live: filepath.Join(dir, "live"), config: filepath.Join(dir, "config"),
	}
	for _, d := range []string{s.home, s.cwd, s.state, s.live, filepath.Join(s.config, "wsi")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return s, err
		}
	}
	s.env = []string{"HOME=" + s.home, "WSI_STATE_DIR=" + s.state, configVariable + "=" + s.config, "PATH=/usr/bin:/bin"}
	if e.GOOS == "windows" {
		s.env = []string{"USERPROFILE=" + s.home, "WSI_STATE_DIR=" + s.state, configVariable + "=" + s.config}
		for _, name := range []string{"PATH", "SystemRoot", "ComSpec", "PATHEXT", "TEMP", "TMP"} {
			s.env = append(s.env, name+"="+e.Getenv(name))
		}
	}
	return s, nil
}

const configVariable = "XDG_CONFIG_HOME"

// ran is the result of a command.
type ran struct {
	stdout, stderr []byte
	exit           int
	took           time.Duration
	err            error // could not be started, or did not end
}

// Limits of a run. Hooks of wsi stay far below them.
const (
	patience  = 10 * time.Second
	maxOutput = 16 << 20
)

var errOutput = fmt.Errorf("it prints more than %d MB", maxOutput>>20)

// bounded keeps what is written to it, up to maxOutput. Then it fails, so that a program that prints on ends.
type bounded struct {
	kept bytes.Buffer // not embedded: io.Copy would use its ReadFrom, without a limit
	full bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.full = b.full || b.kept.Len()+len(p) > maxOutput; b.full {
		return 0, errOutput
	}
	return b.kept.Write(p)
}

// run runs a registered command as the harness does.
func (s sandbox) run(ctx context.Context, argv []string, stdin []byte) ran {
	if len(argv) == 0 {
		return ran{err: errors.New("nothing to run")}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("it did not end within %s", patience))
	defer cancel()
	var out, complaint bounded
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = s.cwd, s.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &complaint
	procgroup.Own(cmd)
	cmd.WaitDelay = patience / 5 // a grandchild may hold the pipe open
	start := time.Now()
	err := cmd.Run()
	procgroup.Kill(cmd)
	r := ran{stdout: out.kept.Bytes(), stderr: complaint.kept.Bytes(), exit: cmd.ProcessState.ExitCode(), took: time.Since(start)}
	var status *exec.ExitError
	switch {
	case out.full || complaint.full:
		r.err = errOutput
	case ctx.Err() != nil:
		r.err = context.Cause(ctx)
	case err != nil && !errors.As(err, &status):
		r.err = err
	}
	return r
}

// here runs a hook of wsi in this process.
func (s sandbox) here(goos string, said harnesses.Registered, stdin []byte) ran {
	var out bounded
	start := time.Now()
	wsihook.Run(wsihook.Env{
		Stdin: bytes.NewReader(stdin), Stdout: &out, GOOS: goos, // without a home, the value goes to the vault only
		Getenv: func(name string) string {
			switch name {
			case "WSI_STATE_DIR":
				return s.state
			case configVariable:
				return s.config
			}
			return ""
		},
	}, wsihook.Options{Verb: said.Verb, Harness: said.Harness, Servers: said.Servers, As: said.As})
	return ran{stdout: out.kept.Bytes(), took: time.Since(start)}
}

// journal returns the journal of the hooks that ran in the sandbox.
func (s sandbox) journal() ([]journal.Entry, error) { return journal.In(s.state).Entries() }

// transcript returns the path of an agent's transcript.
func (s sandbox) transcript(session, agent string) string {
	if agent == "" {
		return filepath.Join(s.home, "transcripts", session+".jsonl")
	}
	return filepath.Join(s.home, "transcripts", session, "subagents", "agent-"+agent+".jsonl")
}

// write appends lines to a transcript.
func (s sandbox) write(path string, lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(lines)
	return errors.Join(err, f.Close())
}

// play returns a call as the model makes it.
func (p *target) play(session, agent, id, tool, args string) harnesses.ToolCall {
	return harnesses.ToolCall{
		Session: session, Agent: agent, ID: id, Server: p.server, Tool: tool, Args: []byte(args),
		Cwd: p.box.cwd, Transcript: p.box.transcript(session, agent),
	}
}

// complaint returns the last line that a command printed to standard error.
func (r ran) complaint() string {
	lines := strings.Split(strings.TrimSpace(string(r.stderr)), "\n")
	return fmt.Sprintf("%.200s", lines[len(lines)-1])
}
