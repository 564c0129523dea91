package doctor

import (
	"path/filepath"
	"time"

	"wsi/doctor/report"
	"wsi/harnesses/setup"
)

// relayRunnable starts each registered relay with the reference server behind it, and asks for its tools.
func relayRunnable(p *target) outcome {
	fronts := p.relays()
	switch {
	case len(fronts) == 0:
		return skipped("no wsi relay is in front of the server %s", p.server)
	case p.found[report.HookRunnable] == report.Fail:
		return skipped("not tried: wsi's hook does not run")
	}
	start := time.Now()
	for i, f := range fronts {
		if !filepath.IsAbs(f.RelayCommand.Path) {
			return broken(p.setup(), "the relay in front of %s has no absolute path: %s", p.server, f.RelayCommand.Path)
		}
		if isDir, err := p.Env.Stat(f.RelayCommand.Path); err != nil || isDir {
			return broken(p.setup(), "no binary at %s, which %s starts in front of %s", f.RelayCommand.Path, p.harness.Name, p.server)
		}
		if f.program == "" {
			return notStarted(f.RelayCommand.Path, f.file)
		}
		if _, err := p.Env.LookPath(f.RelayCommand.Path); err != nil && f.program != f.RelayCommand.Path {
			return broken(p.setup(), "%s, which %s starts in front of %s, cannot be run: %v", f.RelayCommand.Path, p.harness.Name, p.server, err)
		}
		if err := p.relay(f, i).Greet(p.ctx); err != nil {
			return broken(p.setup(), "wsi relay, as %s registers it, does not forward to %s: %v", f.file, p.server, err)
		}
	}
	return good("wsi relay starts as it is registered and forwards to a server").in(time.Since(start))
}

// relayNeeded rehearses whether hooks alone would suffice where a relay is registered: a relay changes how the server
// is registered, which hooks do not.
func relayNeeded(p *target) outcome {
	front, fronted := p.started()
	_, hooks := p.harness.Choice(setup.ByHooks)
	switch {
	case !fronted:
		return skipped("no wsi relay is in front of the server %s", p.server)
	case !hooks:
		return skipped("%s has no hooks that could carry", p.harness.Name)
	case p.found[report.RelayRunnable] == report.Fail:
		return skipped("not tried: wsi does not run")
	}
	for _, f := range p.harness.Flaws {
		if f.In(p.version) {
			return note("hooks alone would not suffice: %s %s %s", p.harness.Name, p.version, f.Why)
		}
	}
	other, ok := p.subject().Wired(front.Path, p.server, "")
	if !ok {
		return skipped("wsi cannot register hooks for it")
	}
	rehearsed := other.WithoutCore
	if p.ofItsOwn() {
		rehearsed = other.Kinds
	}
	scores, err := rehearsed(p.ctx)
	if err != nil {
		return skipped("what its hooks would carry could not be rehearsed: %v", err)
	}
	all, meta := scores.All(), scores.Meta
	switch back := "wsi setup --harness " + p.harness.ID + " --wiring hooks would leave the server as its user registered it"; {
	case all.Wrong != "":
		return note("hooks alone would not suffice: %s", all.Wrong)
	case scores.Text.Unseen+scores.Other.Unseen > 0 || meta.Unseen > meta.AfterFailure:
		return note("hooks alone would not suffice: %s does not show them a value that is in _meta alone", p.harness.Name)
	case meta.Unseen > 0:
		return note("hooks alone would suffice for a server that issues no new value with an error: %d of %d right in a rehearsal; %s", all.Right, all.Needed, back)
	default:
		return note("hooks alone would suffice: %d of %d right in a rehearsal; %s", all.Right, all.Needed, back)
	}
}
