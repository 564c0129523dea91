package doctor

import (
	"slices"

	"wsi/harnesses/setup"
	"wsi/installer/inspect"
)

// relayEntry is a registration of a server with wsi relay in front of it.
type relayEntry struct {
	setup.RelayCommand
	name    string // under which the server is registered
	file    string
	program string // that the doctor starts for it, "" = none
	scope   setup.Scope
}

// relays returns the entries of the examined server in all scopes.
func (p *target) relays() []relayEntry {
	return slices.DeleteFunc(p.allRelays(), func(f relayEntry) bool { return f.name != p.server })
}

func (p *target) allRelays() (all []relayEntry) {
	for _, scope := range p.Scopes {
		for _, f := range inspect.WrappedServers(p.Env, p.harness, scope) {
			all = append(all, relayEntry{f.Relay, f.Name, f.Path, p.vetted(f.Relay.Path, f.Path, scope), scope})
		}
	}
	return all
}

func (p *target) relayed() bool { return len(p.relays()) > 0 }
