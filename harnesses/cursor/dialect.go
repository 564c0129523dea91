// Package cursor is what hooks and relays must know of Cursor. Package setup/cursor has the rest.
package cursor

import "wsi/harnesses"

// ID names the harness on command lines.
const ID = "cursor"

// Dialect returns how Cursor speaks with hooks and servers.
func Dialect() harnesses.Dialect {
	return harnesses.Dialect{Codec: Codec{}, Recorded: true, Capabilities: harnesses.Capabilities{
		Deny:    Codec{}.Deny,
		Tell:    harnesses.Saying(`{"additional_context":%s}`), // a text of more than 10,000 characters is dropped
		Rewrite: Codec{}.Rewrite, MayOmitServer: true,
	}}
}
