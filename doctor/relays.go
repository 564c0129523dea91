package doctor

import (
	"slices"

	"wsi/harnesses"
	"wsi/installer/inspect"
)

// relayEntry is a registration of a server with wsi relay in front of it.
type relayEntry struct {
	harnesses.RelayCommand
	name    string // under which the server is registered
	file    string
	program string // that the doctor starts for it, "" = none
	scope   harnesses.Scope
}

// relays returns the entries of all scopes.
func (p *target) relays() []relayEntry { return p.relaysOf(p.server) }

// relaysOf returns the entries of a server.
func (p *target) relaysOf(server string) []relayEntry {
	return slices.DeleteFunc(p.allRelays(), func(f relayEntry) bool { return f.name != server })
}

func (p *target) allRelays() (all []relayEntry) {
	for _, scope := range p.Scopes {
		for _, f := range inspect.WrappedServers(p.Env, p.harness, scope) {
			all = append(all, relayEntry{f.Relay, f.Name, f.Path, p.vetted(f.Relay.Path, f.Path, scope), scope})
		}
	}
	return all
}

// relayedServers returns the names of all servers with wsi relay in front of them.
func (p *target) relayedServers() (names []string) {
	for _, f := range p.allRelays() {
		names = append(names, f.name)
	}
	return names
}

// relayed reports whether wsi relay is in front of the server.
func (p *target) relayed() bool { return len(p.relays()) > 0 }
