// Package dialects lists the harnesses with hooks of wsi, by id.
//
// It must not know how a harness is set up.
package dialects

import (
	"wsi/harnesses"
	"wsi/harnesses/claudecode"
	"wsi/harnesses/codex"
	"wsi/harnesses/cursor"
	"wsi/harnesses/opencode"
)

// Get returns the dialect of a harness, an empty one if wsi registers no hooks in it.
func Get(id string) harnesses.Dialect {
	switch id {
	case claudecode.ID:
		return claudecode.Dialect()
	case codex.ID:
		return codex.Dialect()
	case cursor.ID:
		return cursor.Dialect()
	case opencode.ID:
		return opencode.Dialect()
	}
	return harnesses.Dialect{}
}
