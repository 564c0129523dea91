package fakeserver

import (
	"encoding/json"
	"fmt"
	"time"

	"wsi/internal/refserver"
)

// Server is a fake server.
type Server interface {
	// Tools returns the tools that tools/list shows.
	Tools() []refserver.Tool
	// Call answers a call with a raw CallToolResult. Only the ledger uses the agent. Call returns an error for
	// an unknown tool, or for arguments that are not JSON of the right types.
	Call(agent, tool string, args []byte) (result []byte, err error)
	// Ledger returns an entry for every call so far.
	Ledger() []Entry

	memory() any               // the state that a restart keeps
	remember(raw []byte) error // restores that state from its JSON
	issued() []string
}

// waiter is a server with calls that wait for a decision.
type waiter interface {
	// ask is Call without waiting. If the call has to wait for a decision, ask returns the id of the decision.
	ask(agent, tool string, args []byte) (result []byte, waits string, err error)
	// outcome returns the result of a decision, or its id again if the decision is missing.
	outcome(of string) (result []byte, waits string, err error)
}

// Kinds returns the kinds of server that [New] knows.
func Kinds() []string {
	return []string{"workflow-server", "workflow-server-index", "claude-code-mcp", "localrouter", "clawed-abode", "plexus"}
}

// New returns a server of a kind, or an error for an unknown kind. Servers with signed values sign them with key.
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
	return nil, fmt.Errorf("unknown server %q: use one of %v", kind, Kinds())
}

// restore decodes raw into a new value. An empty raw gives the zero value.
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
