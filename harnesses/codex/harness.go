// Package codex is all that wsi knows of Codex.
package codex

import "wsi/harnesses"

// ID names the harness on command lines.
const ID = "codex"

// Harness returns what wsi knows of Codex.
func Harness() harnesses.Harness {
	return harnesses.Harness{ID: ID, Name: "Codex"}
}
