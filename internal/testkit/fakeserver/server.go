package fakeserver

import "wsi/internal/refserver"

// Server is a fake server.
type Server interface {
	// Tools returns the tools that tools/list shows.
	Tools() []refserver.Tool
	// Call answers a call with a raw CallToolResult. Only the ledger uses the agent. Call returns an error for
	// an unknown tool, or for arguments that are not JSON of the right types.
	Call(agent, tool string, args []byte) (result []byte, err error)
	// Ledger returns an entry for every call so far.
	Ledger() []Entry
}
