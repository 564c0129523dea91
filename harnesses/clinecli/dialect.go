// Package clinecli is what hooks and relays must know of Cline CLI. Package setup/clinecli has the rest.
package clinecli

import "wsi/harnesses"

// ID names the harness on command lines.
const ID = "cline-cli"

// Dialect returns how Cline CLI speaks with servers.
func Dialect() harnesses.Dialect {
	return harnesses.Dialect{Older: true, Capabilities: harnesses.Capabilities{ShowsMeta: true}}
}
