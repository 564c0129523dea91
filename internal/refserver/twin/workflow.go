// Package twin holds servers that behave as the ones in the field do, written from what was measured
// of them, so that the engine can be tried where a wrong value is taken without a word.
//
// It must not know harnesses, hooks or rules: it sees calls, and judges the values in them.
package twin

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Payload is what a workflow-server token says, in the order of the recorded ones (2026-05-13).
type Payload struct {
	WF    string  `json:"wf"`
	Act   string  `json:"act"`
	Skill string  `json:"skill"`
	Cond  string  `json:"cond"`
	V     string  `json:"v"`
	Seq   int     `json:"seq"`
	TS    int64   `json:"ts"`
	SID   string  `json:"sid"`
	AID   string  `json:"aid"`
	PSID  string  `json:"psid,omitempty"`
	PWF   string  `json:"pwf,omitempty"`
	PAct  *string `json:"pact,omitempty"` // a parent without activity has it, empty
	PV    string  `json:"pv,omitempty"`
	BCP   string  `json:"bcp,omitempty"`
}

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

func (w *Workflow) seal(p Payload) string {
	raw, err := json.Marshal(p)
	if err != nil {
		panic(err) // strings and numbers
	}
	body := base64.RawURLEncoding.EncodeToString(raw)
	return body + "." + w.sign(body)
}

func (w *Workflow) sign(body string) string {
	mac := hmac.New(sha256.New, w.key)
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

// open reads a token; refusal is empty when it is good.
func (w *Workflow) open(token string) (p Payload, refusal string) {
	body, sig, dotted := strings.Cut(token, ".")
	if !dotted {
		return p, "Invalid session token: the token is malformed (missing signature segment)."
	}
	if !hmac.Equal([]byte(sig), []byte(w.sign(body))) {
		return p, "Invalid session token: HMAC signature verification failed."
	}
	p, _ = peek(token)
	return p, ""
}

// peek reads a payload and trusts it, as start_session does.
func peek(token string) (p Payload, ok bool) {
	body, _, _ := strings.Cut(token, ".")
	raw, err := base64.RawURLEncoding.DecodeString(body)
	return p, err == nil && json.Unmarshal(raw, &p) == nil && p.SID != ""
}

func newID() string { return idFrom(rand.Reader) }

func (w *Workflow) newID() string {
	if w.Random == nil {
		return newID()
	}
	return idFrom(w.Random)
}

func idFrom(random io.Reader) string {
	b := make([]byte, 16)
	_, _ = io.ReadFull(random, b) // neither crypto/rand nor a generator fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
