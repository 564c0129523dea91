// Package geminicli is what hooks and relays must know of Gemini CLI. Package setup/geminicli has the rest.
package geminicli

import "wsi/harnesses"

// ID names the harness on command lines.
const ID = "gemini-cli"

// Dialect returns how Gemini CLI speaks with servers.
func Dialect() harnesses.Dialect {
	return harnesses.Dialect{Older: true}
}
