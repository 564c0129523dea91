package fakeserver

import (
	"encoding/json"
	"fmt"
	"time"

	"wsi/internal/refserver"
)

// Server is what all twins are.
type Server interface {
	// Tools are what tools/list shows.
	Tools() []refserver.Tool
	// Call answers a call with a raw CallToolResult; the agent is known to the ledger only. An error
	// means that there is no such tool, or arguments that cannot be read.
	Call(agent, tool string, args []byte) (result []byte, err error)
	// Ledger returns a line for every call so far.
	Ledger() []Entry

	memory() any               // what a restart keeps
	remember(raw []byte) error // and takes up again
	issued() []string
}

// patient is a server with calls whose answer somebody else has to decide about first.
type patient interface {
	// ask is Call up to there; waits says for what it waits, "" if it is answered.
	ask(agent, tool string, args []byte) (result []byte, waits string, err error)
	// outcome is the answer once it is decided.
	outcome(of string) (result []byte, waits string, err error)
}

// Kinds are the servers there is a twin of.
func Kinds() []string {
	return []string{"workflow-server", "workflow-server-index", "claude-code-mcp", "localrouter", "clawed-abode", "plexus"}
}

// New returns a server of a kind. Those whose values are signed sign with key.
func New(kind string, key []byte, now func() time.Time) (Server, error) {
	switch kind {
	case "workflow-server":
		return NewWorkflow(key, now), nil
	case "workflow-server-index":
		return NewIndex(), nil
	case "claude-code-mcp":
		return NewLeo(key), nil
	case "localrouter":
		return NewLocalRouter(now), nil
	case "clawed-abode":
		return NewClawedAbode(), nil
	case "plexus":
		return NewPlexus(now), nil
	}
	return nil, fmt.Errorf("no server %q: there are %v", kind, Kinds())
}

// restore takes up what was kept, if anything was.
func restore[T any](into *T, raw []byte) error {
	var kept T
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &kept); err != nil {
			return fmt.Errorf("read the server's state: %w", err)
		}
	}
	*into = kept
	return nil
}

func (w *Workflow) memory() any               { return &w.ledger }
func (w *Workflow) remember(raw []byte) error { return restore(&w.ledger, raw) }
func (w *Workflow) issued() []string          { return w.ledger.issued() }
