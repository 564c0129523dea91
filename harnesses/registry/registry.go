// Package registry lists the harnesses wsi knows: one line each, in the order in which they are
// shown. It must hold nothing else.
package registry

import (
	"wsi/harnesses"
	"wsi/harnesses/claudecode"
	"wsi/harnesses/claudedesktop"
	"wsi/harnesses/clinecli"
	"wsi/harnesses/codex"
	"wsi/harnesses/continuedev"
	"wsi/harnesses/copilotcli"
	"wsi/harnesses/cursor"
	"wsi/harnesses/geminicli"
	"wsi/harnesses/opencode"
	"wsi/harnesses/qwencode"
	"wsi/harnesses/roocode"
	"wsi/harnesses/vscode"
	"wsi/harnesses/windsurf"
	"wsi/harnesses/zed"
)

var known = []struct {
	id  string
	new func() harnesses.Harness
}{
	{claudecode.ID, claudecode.Harness},
	{codex.ID, codex.Harness},
	{cursor.ID, cursor.Harness},
	{opencode.ID, opencode.Harness},
	{claudedesktop.ID, claudedesktop.Harness},
	{vscode.ID, vscode.Harness},
	{zed.ID, zed.Harness},
	{windsurf.ID, windsurf.Harness},
	{roocode.ID, roocode.Harness},
	{qwencode.ID, qwencode.Harness},
	{continuedev.ID, continuedev.Harness},
	{geminicli.ID, geminicli.Harness},
	{copilotcli.ID, copilotcli.Harness},
	{clinecli.ID, clinecli.Harness},
}

// All returns every harness.
func All() []harnesses.Harness {
	all := make([]harnesses.Harness, 0, len(known))
	for _, k := range known {
		all = append(all, k.new())
	}
	return all
}

// Get returns one harness by its id.
func Get(id string) (harnesses.Harness, bool) {
	for _, k := range known {
		if k.id == id {
			return k.new(), true
		}
	}
	return harnesses.Harness{}, false
}
