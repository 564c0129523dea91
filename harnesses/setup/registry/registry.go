// Package registry lists the harnesses wsi knows, in the order in which they are shown. It must hold nothing else.
package registry

import (
	"slices"

	"wsi/harnesses/setup"
	"wsi/harnesses/setup/claudecode"
	"wsi/harnesses/setup/clinecli"
	"wsi/harnesses/setup/codex"
	"wsi/harnesses/setup/copilotcli"
	"wsi/harnesses/setup/cursor"
	"wsi/harnesses/setup/geminicli"
	"wsi/harnesses/setup/opencode"
	"wsi/harnesses/setup/qwencode"
	"wsi/harnesses/setup/relayonly"
	"wsi/internal/lists"
)

// All returns every harness: those in which setup proposes hooks, the rows of package relayonly, and those with hooks in which it
// proposes a relay.
func All() []setup.Harness {
	hooksFirst := []setup.Harness{claudecode.Harness(), codex.Harness(), cursor.Harness(), opencode.Harness()}
	relayFirst := []setup.Harness{qwencode.Harness(), geminicli.Harness(), copilotcli.Harness(), clinecli.Harness()}
	return slices.Concat(hooksFirst, relayonly.All(), relayFirst)
}

// Get returns one harness by its id.
func Get(id string) (setup.Harness, bool) {
	return lists.Find(All(), func(h setup.Harness) bool { return h.ID == id })
}
