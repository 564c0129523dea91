// Package fakeserver holds servers that behave as the ones in the field do, written from what was measured
// of them, so that the engine can be tried where a wrong value is taken without a word.
//
// It must not know harnesses, hooks or rules: it sees calls, and judges the values in them.
package fakeserver

import (
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"wsi/internal/refserver"
)

// Workflow is the workflow-server up to 2026-05-17. It is stateless as that is: what it remembers is
// for the ledger alone. It may be called by several goroutines at once.
type Workflow struct {
	Random io.Reader // of session ids, for tests that must do the same again; nil: nobody can guess them

	mu      sync.Mutex
	key     []byte
	now     func() time.Time
	started int64
	ledger  ledger
}

// NewWorkflow returns a server with a key: with the key of another one it is that one, restarted.
func NewWorkflow(key []byte, now func() time.Time) *Workflow {
	return &Workflow{key: key, now: now, started: now().Unix()}
}

// Ledger returns a line for every call so far.
func (w *Workflow) Ledger() []Entry {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]Entry(nil), w.ledger.entries...)
}

// Call answers a call with a raw CallToolResult. The agent is known to the ledger only.
// An error means that there is no such tool or that args is no object of strings where those count.
func (w *Workflow) Call(agent, tool string, args []byte) ([]byte, error) {
	var in arguments
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", tool, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var r reply
	switch tool {
	case "discover", "list_workflows", "resolve_operations":
		r = reply{line: "server: workflow-server"}
	case "health_check":
		r = reply{text: map[string]any{"status": "healthy", "server": "workflow-server", "version": "1.0.0", "workflows_available": 1, "uptime_seconds": 0}}
	case "start_session":
		r = w.start(args, in)
	default:
		if !takesToken(tool) {
			return nil, fmt.Errorf("no tool %q", tool)
		}
		r = w.act(args, tool, in)
	}
	w.note(agent, tool, in, r)
	return r.encode()
}

// note tells the ledger. What a call changes is the activity, or whether there is a checkpoint.
func (w *Workflow) note(agent, tool string, in arguments, r reply) {
	argument, value := in.carried(tool)
	opens := tool == "start_session"
	if !takesToken(tool) && !opens {
		value = ""
	}
	w.ledger.note(noted{
		agent: agent, tool: tool, argument: argument, value: value, parent: in.Parent, wants: takesToken(tool),
		opens: opens, child: in.Parent != "" && in.Token == "", got: r.token, failed: r.failed,
		changed: tool == "next_activity" || tool == "yield_checkpoint" || tool == "respond_checkpoint",
	})
}

// open reads a token; refusal is empty when it is good.
func (w *Workflow) open(token string) (p refserver.Payload, refusal string) {
	body, sig, dotted := strings.Cut(token, ".")
	if !dotted {
		return p, "Invalid session token: the token is malformed (missing signature segment)."
	}
	if !hmac.Equal([]byte(sig), []byte(refserver.Sign(w.key, body))) {
		return p, "Invalid session token: HMAC signature verification failed."
	}
	p, _ = peek(token)
	return p, ""
}

// peek reads a payload and trusts it, as start_session does.
func peek(token string) (p refserver.Payload, ok bool) {
	body, _, _ := strings.Cut(token, ".")
	raw, err := base64.RawURLEncoding.DecodeString(body)
	return p, err == nil && json.Unmarshal(raw, &p) == nil && p.SID != ""
}

func newID() string { return refserver.NewID(rand.Reader) }

// base36 returns random digits and small letters.
func base36(n int) string {
	raw := make([]byte, n)
	_, _ = rand.Read(raw) // never fails
	for i, b := range raw {
		raw[i] = "0123456789abcdefghijklmnopqrstuvwxyz"[b%36]
	}
	return string(raw)
}

func (w *Workflow) newID() string {
	if w.Random == nil {
		return newID()
	}
	return refserver.NewID(w.Random)
}
