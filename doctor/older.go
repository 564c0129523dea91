package doctor

import (
	"slices"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/harnesses/setup"
)

// sortRelics moves hooks that do nothing from p.hooks to p.relics: those of a harness for which only an older wsi registered
// hooks, and those that kept ids of servers next to a relay or for other events.
func (p *target) sortRelics() {
	wanted := p.wanted()
	relays := p.allRelays()
	carries := slices.ContainsFunc(p.hooks, func(h rehearse.Hook) bool { return h.Parsed.Verb == harnesses.Inject })
	p.hooks = slices.DeleteFunc(p.hooks, func(h rehearse.Hook) bool {
		known := slices.ContainsFunc(wanted, func(e setup.Entry) bool { return e.Event == h.Event })
		relic := p.harness.RelayOnly() || len(h.Parsed.Kept) > 0 && (!known || len(relays) > 0 && !carries)
		if relic {
			p.relics = append(p.relics, h)
		}
		return relic
	})
}

// olderHooks returns the outcome for hooks that only an older wsi registered. found is false if there are none.
func (p *target) olderHooks() (out outcome, found bool) {
	for _, h := range slices.Concat(p.hooks, p.relics) {
		if len(h.Parsed.Kept) > 0 {
			return p.older(h.File.Path, h.File.Scope), true
		}
	}
	if len(p.relics) == 0 {
		return outcome{}, false
	}
	file := p.relics[0].File
	out = broken(p.older(file.Path, file.Scope).fix, "an older wsi registered hooks in %s; wsi has none for %s any more, so they do nothing", file.Path, p.harness.Name)
	if p.relayed() {
		out.status = report.Warn
	}
	return out, true
}

// olderRelays is [target.olderHooks] for relays, in front of any server. It finds none if the hooks say the same.
func (p *target) olderRelays() (out outcome, found bool) {
	if _, said := p.olderHooks(); said {
		return outcome{}, false
	}
	for _, f := range p.allRelays() {
		if f.Kept {
			return p.older(f.file, f.scope), true
		}
	}
	return outcome{}, false
}

func (p *target) older(file string, scope setup.Scope) outcome {
	fix := report.SetupCommand + " --harness " + p.harness.ID
	if scope == setup.Project {
		fix += " --scope project"
	}
	return attention(fix, "an older wsi registered itself in %s with --handles, to keep ids of servers; wsi keeps none any more", file)
}
