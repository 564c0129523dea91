// Package cursor is what hooks and relays must know of Cursor. Package setup/cursor has the rest.
package cursor

import "wsi/harnesses"

// ID names the harness on command lines.
const ID = "cursor"

// Dialect returns how Cursor speaks with hooks and servers.
func Dialect() harnesses.Dialect {
	return harnesses.Dialect{
		Codec:        Codec{},
		Capabilities: harnesses.Capabilities{Deny: Codec{}.Deny, Tell: Codec{}.Tell, Rewrite: Codec{}.Rewrite, MayOmitServer: true},
		Recorded:     true,
	}
}
