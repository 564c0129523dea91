// Package claudecode is all that wsi knows of Claude Code.
package claudecode

import "wsi/harnesses"

// ID names the harness on command lines.
const ID = "claude-code"

// Harness returns what wsi knows of Claude Code.
func Harness() harnesses.Harness {
	return harnesses.Harness{ID: ID, Name: "Claude Code"}
}
