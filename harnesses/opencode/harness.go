// Package opencode is all that wsi knows of OpenCode.
package opencode

import "wsi/harnesses"

// ID names the harness on command lines.
const ID = "opencode"

// Harness returns what wsi knows of OpenCode.
func Harness() harnesses.Harness {
	return harnesses.Harness{ID: ID, Name: "OpenCode"}
}
