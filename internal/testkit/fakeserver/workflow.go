// Package fakeserver contains fake servers that behave as real servers were measured to behave. Tests use them where
// a real server accepts a wrong value without an error: the ledger of a fake server has the verdict.
//
// It must not know harnesses, hooks or rules. It sees only calls and the values in them.
package fakeserver

import (
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"wsi/internal/refserver"
)

// Workflow is the workflow-server up to 2026-05-17. It is stateless like the real one: its state is only for the
// ledger. Workflow is safe for concurrent use.
type Workflow struct {
	Random io.Reader // source of session ids for reproducible tests; nil for crypto/rand

	base
	key     []byte
	now     func() time.Time
	started int64
}

// NewWorkflow returns a server with a key. With the key of another server it acts as that server after a restart.
func NewWorkflow(key []byte, now func() time.Time) *Workflow {
	return &Workflow{key: key, now: now, started: now().Unix()}
}

// Call implements [Server].
func (w *Workflow) Call(agent, tool string, args []byte) ([]byte, error) {
	in, err := decode[arguments](tool, args)
	if err != nil {
		return nil, err
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

// note records a call in the ledger. A call can change the activity or the checkpoint.
func (w *Workflow) note(agent, tool string, in arguments, r reply) {
	argument, value := in.carried(tool)
	opens := tool == "start_session"
	if !takesToken(tool) && !opens {
		value = ""
	}
	w.mem.note(noted{
		agent: agent, tool: tool, argument: argument, value: value, parent: in.Parent, wants: takesToken(tool),
		opens: opens, child: in.Parent != "" && in.Token == "", got: r.token, failed: r.failed,
		changed: tool == "next_activity" || tool == "yield_checkpoint" || tool == "respond_checkpoint",
	})
}

// open verifies and decodes a token. refusal is "" if the token is valid.
func (w *Workflow) open(token string) (p refserver.Payload, refusal string) {
	body, sig, dotted := strings.Cut(token, ".")
	if !dotted {
		return p, "Invalid session token: the token is malformed (missing signature segment)."
	}
	if !hmac.Equal([]byte(sig), []byte(refserver.Sign(w.key, body))) {
		return p, "Invalid session token: HMAC signature verification failed."
	}
	p, _ = decodeToken(token)
	return p, ""
}

// decodeToken decodes a payload without verifying it, as start_session does.
func decodeToken(token string) (p refserver.Payload, ok bool) {
	body, _, _ := strings.Cut(token, ".")
	raw, err := base64.RawURLEncoding.DecodeString(body)
	return p, err == nil && json.Unmarshal(raw, &p) == nil && p.SID != ""
}

func (w *Workflow) newID() string {
	if w.Random == nil {
		return refserver.NewID(rand.Reader)
	}
	return refserver.NewID(w.Random)
}
