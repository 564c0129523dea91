// Package opencode is all that wsi knows of OpenCode, measured on 1.18.33.
package opencode

import "wsi/harnesses"

// ID names the harness on command lines.
const ID = "opencode"

// Harness returns what wsi knows of OpenCode.
func Harness() harnesses.Harness {
	return harnesses.Harness{ID: ID, Name: "OpenCode", Dialect: Dialect{}}
}
