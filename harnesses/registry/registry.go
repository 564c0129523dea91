// Package registry lists the harnesses wsi knows, in the order in which they are shown. It must hold
// nothing else.
package registry

import (
	"slices"

	"wsi/harnesses"
	"wsi/harnesses/claudecode"
	"wsi/harnesses/clinecli"
	"wsi/harnesses/codex"
	"wsi/harnesses/copilotcli"
	"wsi/harnesses/cursor"
	"wsi/harnesses/geminicli"
	"wsi/harnesses/opencode"
	"wsi/harnesses/qwencode"
	"wsi/harnesses/relayonly"
)

type known struct {
	id  string
	new func() harnesses.Harness
}

// Harnesses with hooks of wsi. Those without are rows of package relayonly and are shown between the two.
var (
	hooksFirst = []known{
		{claudecode.ID, claudecode.Harness},
		{codex.ID, codex.Harness},
		{cursor.ID, cursor.Harness},
		{opencode.ID, opencode.Harness},
	}
	relayFirst = []known{
		{qwencode.ID, qwencode.Harness},
		{geminicli.ID, geminicli.Harness},
		{copilotcli.ID, copilotcli.Harness},
		{clinecli.ID, clinecli.Harness},
	}
)

// All returns every harness.
func All() []harnesses.Harness {
	var all []harnesses.Harness
	for _, k := range hooksFirst {
		all = append(all, k.new())
	}
	all = append(all, relayonly.All()...)
	for _, k := range relayFirst {
		all = append(all, k.new())
	}
	return all
}

// Get returns one harness by its id.
func Get(id string) (harnesses.Harness, bool) {
	for _, list := range [][]known{hooksFirst, relayFirst} {
		if i := slices.IndexFunc(list, func(k known) bool { return k.id == id }); i >= 0 {
			return list[i].new(), true
		}
	}
	return relayonly.Get(id)
}
