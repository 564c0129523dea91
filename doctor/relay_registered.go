package doctor

import (
	"path/filepath"
	"slices"

	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/installer"
)

// front is a registration of the examined server with wsi in front of it.
type front struct {
	harnesses.RelayCommand
	file    string
	program string // that is started for it, "" = none
	scope   harnesses.Scope
}

// fronts are those of all scopes.
func (p *target) fronts() (all []front) {
	for _, scope := range p.Scopes {
		for _, f := range installer.Fronts(p.Env, p.harness, scope) {
			if f.Name == p.server {
				all = append(all, front{f.Front, f.Path, p.vetted(f.Front.Path, f.Path, scope), scope})
			}
		}
	}
	return all
}

// frontedServers are the names of all servers with wsi in front of them.
func (p *target) frontedServers() (names []string) {
	for _, scope := range p.Scopes {
		for _, f := range installer.Fronts(p.Env, p.harness, scope) {
			names = append(names, f.Name)
		}
	}
	return names
}

// relayed tells whether wsi is in front of the server.
func (p *target) relayed() bool { return len(p.fronts()) > 0 }

// serverFronted: one registration without wsi is enough for the harness to go past it, and a relay that is
// told something else than the hook finds no value, or not whose it is.
func serverFronted(p *target) outcome {
	fronts := p.fronts()
	switch {
	case len(fronts) == 0 && p.joins():
		return broken(p.setup(), "the hook only notes who calls, and there is no wsi relay in front of the server to do the rest")
	case len(fronts) == 0:
		return skipped("wsi is in front of no server named %s", p.server)
	}
	for _, f := range fronts {
		if out := p.told(f); out.status != report.OK {
			return out
		}
	}
	if len(p.hooks) > 0 && !p.joins() {
		return attention(p.setup(), "the hooks carry, and wsi relay is in front of the server as well: behind it they are shown less")
	}
	past := slices.DeleteFunc(p.registrations(), func(s harnesses.Server) bool {
		_, _, fronted := harnesses.ParseFront(s.Command)
		return fronted
	})
	if p.harness.Bundled != nil {
		for _, s := range p.harness.Bundled(p.Env) {
			if s.Name == p.server {
				past = append(past, s)
			}
		}
	}
	for _, s := range past {
		return attention("take it out there, or have setup put wsi in front of it as well, with the --scope it belongs to",
			"%s is registered in %s, too, and wsi is not in front of it there: where %s takes that one, nothing is carried", s.Name, s.File, p.harness.Name)
	}
	return good("wherever %s is registered", p.server)
}

// told holds what a registered relay is told against what is so.
func (p *target) told(f front) outcome {
	switch {
	case f.Harness != p.harness.ID:
		return broken(p.setup(), "wsi relay in %s is told that the harness is %q, and so cannot know who calls", f.file, f.Harness)
	case f.Server != p.server:
		return broken(p.setup(), "wsi relay in %s is told that the server is %q, not %s", f.file, f.Server, p.server)
	case p.StateDir == "" || f.State == "" || filepath.Clean(f.State) == filepath.Clean(p.StateDir):
		return good("")
	case p.joins():
		return broken(p.setup(), "in %s the relay looks for who calls in %s, and the hooks note it in %s", f.file, f.State, p.StateDir)
	default:
		return attention(p.setup(), "wsi relay in %s keeps values in %s, not in %s, which the doctor examines", f.file, f.State, p.StateDir)
	}
}
