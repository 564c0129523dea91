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

var all = []struct {
	id  string
	new func() harnesses.Dialect
}{
	{claudecode.ID, claudecode.Dialect},
	{codex.ID, codex.Dialect},
	{cursor.ID, cursor.Dialect},
	{opencode.ID, opencode.Dialect},
}

// Get returns the dialect of a harness. It is empty if hooks and relays need to know nothing of the harness.
func Get(id string) harnesses.Dialect {
	for _, known := range all {
		if known.id == id {
			return known.new()
		}
	}
	return harnesses.OlderDialect(id)
}
