package doctor

import (
	"wsi/harnesses"
	"wsi/installer/inspect"
)

// relayEntry is a registration of the examined server with wsi relay in front of it.
type relayEntry struct {
	harnesses.RelayCommand
	file    string
	program string // that the doctor starts for it, "" = none
	scope   harnesses.Scope
}

// relays returns the entries of all scopes.
func (p *target) relays() (all []relayEntry) {
	for _, scope := range p.Scopes {
		for _, f := range inspect.WrappedServers(p.Env, p.harness, scope) {
			if f.Name == p.server {
				all = append(all, relayEntry{f.Relay, f.Path, p.vetted(f.Relay.Path, f.Path, scope), scope})
			}
		}
	}
	return all
}

// relayedServers returns the names of all servers with wsi relay in front of them.
func (p *target) relayedServers() (names []string) {
	for _, scope := range p.Scopes {
		for _, f := range inspect.WrappedServers(p.Env, p.harness, scope) {
			names = append(names, f.Name)
		}
	}
	return names
}

// relayed reports whether wsi relay is in front of the server.
func (p *target) relayed() bool { return len(p.relays()) > 0 }
