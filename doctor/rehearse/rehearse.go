// Package rehearse makes test calls with the registered commands of wsi: it plays the harness and the server, and
// counts the calls that carry the right value. It never shows a value.
//
// It must not know how hooks are found, which of them may be run, or what a user is told about the result.
package rehearse

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"slices"

	"wsi/harnesses/setup"
	"wsi/installer/inspect"
)

// ErrNotRun is the error of a hook or relay without a program.
var ErrNotRun = errors.New("wsi does not run another program that a project's file names")

// Hook is a registered hook and its file.
type Hook struct {
	setup.Hook
	File    inspect.Source
	Program string // that is started for it, "" = none
	Line    string // that is run for it
}

// Subject is a harness with its hooks, and a server that it calls.
type Subject struct {
	Harness setup.Harness
	Env     setup.Env // of the user
	Box     Sandbox
	This    string // path of the running program, "" = not known
	Hooks   []Hook // of wsi
	Server  string
	Issued  func(value string) // receives every value that is issued, from several goroutines; may be nil
}

// Score counts the calls of a rehearsal.
type Score struct {
	Needed, Right int
	Wrong         string // the first failure although the harness showed the value
	Unseen        int    // calls that could not be right: the harness never showed the value
	Outside       int    // of Needed, calls for which the registered commands ran
}

// Plus returns the sum of two scores.
func (s Score) Plus(o Score) Score {
	return Score{
		s.Needed + o.Needed, s.Right + o.Right, cmp.Or(s.Wrong, o.Wrong),
		s.Unseen + o.Unseen, s.Outside + o.Outside,
	}
}

// Scores has a score for each place of the value: the text, which models read, or _meta alone.
type Scores struct{ Text, Meta Score }

// All returns the sum of the scores.
func (s Scores) All() Score { return s.Text.Plus(s.Meta) }

// Call returns a call as the model makes it.
func (s Subject) Call(session, agent, id, tool, args string) setup.ToolCall {
	return setup.ToolCall{
		Session: session, Agent: agent, ID: id, Server: s.Server, Tool: tool, Args: []byte(args),
		Cwd: s.Box.Cwd, Transcript: s.Box.transcript(session, agent),
	}
}

// IsThis reports whether this program is the registered one, or a copy of it.
func (s Subject) IsThis() bool {
	if _, err := os.Stat(s.This); err != nil {
		return false
	}
	var same []string
	for _, h := range s.Hooks {
		if slices.Contains(same, h.Program) {
			continue
		}
		if !SameProgram(s.This, h.Program) {
			return false
		}
		same = append(same, h.Program)
	}
	return true
}

// SameProgram reports whether two paths lead to the same file, or to files with the same content.
func SameProgram(a, b string) bool {
	one, err1 := os.Stat(a)
	other, err2 := os.Stat(b)
	if err1 != nil || err2 != nil || !one.Mode().IsRegular() || !other.Mode().IsRegular() || one.Size() != other.Size() {
		return false
	}
	if os.SameFile(one, other) {
		return true
	}
	sum, err1 := digest(a)
	others, err2 := digest(b)
	return err1 == nil && err2 == nil && bytes.Equal(sum, others)
}

// digest returns the SHA-256 of a file. A program is too large to be read as a whole.
func digest(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return sum.Sum(nil), err
}

// Start runs a hook of wsi as the harness does.
func (s Subject) Start(ctx context.Context, h Hook, event []byte) Ran {
	if h.Program == "" {
		return Ran{Err: ErrNotRun}
	}
	return s.Box.Run(ctx, s.Harness.Proof.Simulator.Shell(s.Env, h.Line), event)
}

// hooksFor returns the hooks that the harness runs for an event, each command once.
func (s Subject) hooksFor(event []byte, verb string) (run []Hook) {
	for _, h := range s.Hooks {
		known := slices.ContainsFunc(run, func(o Hook) bool { return o.Command == h.Command })
		if h.Parsed.Verb == verb && inspect.Runs(h.File, h.Hook, event) && !known {
			run = append(run, h)
		}
	}
	return run
}

// namesAgents reports whether the harness's events name the sub-agent that makes a call.
func (s Subject) namesAgents() bool {
	ev, err := s.Harness.Codec.Read(s.Harness.Proof.Simulator.Before(s.Call("s", "a", "c", "get_activity", `{}`)))
	return err == nil && ev.Agent != ""
}

func (s Subject) issue(value string) {
	if s.Issued != nil {
		s.Issued(value)
	}
}
