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
)

// Harnesses with hooks of wsi. Those without are rows of package relayonly and are shown between the two.
var (
	hooksFirst = []func() setup.Harness{claudecode.Harness, codex.Harness, cursor.Harness, opencode.Harness}
	relayFirst = []func() setup.Harness{qwencode.Harness, geminicli.Harness, copilotcli.Harness, clinecli.Harness}
)

// All returns every harness.
func All() []setup.Harness {
	var all []setup.Harness
	for _, known := range hooksFirst {
		all = append(all, known())
	}
	all = append(all, relayonly.All()...)
	for _, known := range relayFirst {
		all = append(all, known())
	}
	return all
}

// Ended returns the harnesses that are not in All any more, but may still run an older wsi.
func Ended() []setup.Harness { return relayonly.Ended() }

// Get returns one harness by its id.
func Get(id string) (setup.Harness, bool) {
	all := All()
	i := slices.IndexFunc(all, func(h setup.Harness) bool { return h.ID == id })
	if i < 0 {
		return setup.Harness{}, false
	}
	return all[i], true
}
