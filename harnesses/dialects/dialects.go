// Package dialects lists the harnesses of which a hook or a relay must know something, by id. A harness that is not in it
// has no hooks of wsi and tells a relay nothing.
//
// It must not know how a harness is set up.
package dialects

import (
	"wsi/harnesses"
	"wsi/harnesses/claudecode"
	"wsi/harnesses/clinecli"
	"wsi/harnesses/codex"
	"wsi/harnesses/copilotcli"
	"wsi/harnesses/cursor"
	"wsi/harnesses/geminicli"
	"wsi/harnesses/opencode"
	"wsi/harnesses/qwencode"
)

var all = []struct {
	id  string
	new func() harnesses.Dialect
}{
	{claudecode.ID, claudecode.Dialect},
	{codex.ID, codex.Dialect},
	{cursor.ID, cursor.Dialect},
	{opencode.ID, opencode.Dialect},
	{qwencode.ID, qwencode.Dialect},
	{geminicli.ID, geminicli.Dialect},
	{copilotcli.ID, copilotcli.Dialect},
	{clinecli.ID, clinecli.Dialect},
}

// Get returns the dialect of a harness. It is empty if the harness is not in the list.
func Get(id string) harnesses.Dialect {
	for _, known := range all {
		if known.id == id {
			return known.new()
		}
	}
	return harnesses.Dialect{}
}
