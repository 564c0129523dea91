package doctor

import (
	"path/filepath"
	"slices"
	"strings"

	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/installer/inspect"
)

// serverFronted checks all registrations of a server with a relay. With one that has no relay, the harness may bypass
// it. A relay with other flags than the hook does not find the value, or its caller.
func serverFronted(p *target) outcome {
	fronts := p.relays()
	old, older := p.olderRelays()
	_, kept := p.olderHooks() // they need no relay
	switch {
	case len(fronts) == 0 && p.joins() && (p.hasServer() || !kept):
		return broken(p.setup(), "the hook only notes the caller, and no wsi relay is in front of the server to carry values")
	case len(fronts) == 0 && older:
		return old
	case len(fronts) == 0:
		return skipped("no wsi relay is in front of a server named %s", p.server)
	}
	for _, f := range fronts {
		if out := p.flags(f); out.status != report.OK {
			return out
		}
	}
	if len(p.hooks) > 0 && !p.joins() {
		return attention(p.setup(), "the hooks carry values although wsi relay is in front of the server; behind a relay, hooks are shown less")
	}
	if older {
		return old
	}
	past := slices.DeleteFunc(p.registrations(), func(s setup.Server) bool {
		_, _, fronted := setup.ParseRelayCommand(s.Command)
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
		return attention("remove it there, or run wsi setup with the --scope of that file",
			"%s is also registered in %s, without wsi relay: if %s uses that registration, nothing is carried", s.Name, s.File, p.harness.Name)
	}
	for _, f := range fronts {
		if names := inspect.Exposed(f.RelayCommand); len(names) > 0 {
			return attention("use an address with https:// in "+f.file,
				"wsi relay in %s has an address with http://, so everyone on the way can read what it sends, %s too", f.file, strings.Join(names, ", "))
		}
	}
	return good("wherever %s is registered", p.server)
}

func (p *target) flags(f relayEntry) outcome {
	switch {
	case f.Harness != p.harness.ID:
		return broken(p.setup(), "wsi relay in %s has --harness %q, so it cannot know the caller", f.file, f.Harness)
	case f.Server != p.server:
		return broken(p.setup(), "wsi relay in %s has --server %q, not %s", f.file, f.Server, p.server)
	case p.harness.Capabilities.Mark != nil && p.joins() && !f.Join:
		return broken(p.setup(), "wsi relay in %s has no --join, so it does not believe what the hook says of the caller", f.file)
	case p.harness.Capabilities.Mark != nil && !p.joins() && f.Join:
		return broken(p.setup(), "wsi relay in %s has --join, and no hook says who calls: it would believe the model", f.file)
	case p.StateDir == "" || f.State == "" || filepath.Clean(f.State) == filepath.Clean(p.StateDir):
		return good("")
	case p.joins():
		return broken(p.setup(), "the relay in %s looks for callers in %s, but the hooks note them in %s", f.file, f.State, p.StateDir)
	default:
		return attention(p.setup(), "wsi relay in %s stores values in %s; the doctor examines %s", f.file, f.State, p.StateDir)
	}
}
