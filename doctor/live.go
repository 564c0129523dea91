package doctor

import "wsi/doctor/report"

// waits returns what delays the start of the harness, as the end of a sentence.
func (p *target) waits() string {
	if p.harness.Texts.StartupDelay == nil {
		return ""
	}
	if why, _ := p.harness.Texts.StartupDelay(p.Env); why != "" {
		return "; " + why
	}
	return ""
}

// trace returns a fix that shows the steps of a live proof.
func (p *target) trace() string {
	return "record the calls in a file and read it: wsi doctor --live --harness " + p.harness.ID + " --trace FILE"
}

// liveDelivered makes the harness's own binary call the reference server.
func liveDelivered(p *target) outcome {
	switch {
	case p.Live == nil:
		return skipped("not tried; with wsi doctor --live, %s itself makes the calls", p.harness.Name)
	case len(p.hooks) == 0 && !p.relayed():
		return skipped("no hook of wsi is registered")
	case p.presence.Binary == "" && p.harness.Proof.Guide == nil:
		return skipped("%s has no binary to run", p.harness.Name)
	}
	for _, id := range []report.Check{report.HookFile, report.HookRegistered, report.HookMatches, report.ServerFronted, report.HookEnabled, report.HookTrusted, report.HookListed, report.HookRunnable, report.RelayRunnable} {
		if p.found[id] == report.Fail {
			return skipped("not tried: %s is broken", id.Of(p.harness.ID))
		}
	}
	for _, f := range p.files {
		if f.Owned.Path != "" && p.ofProject(f.Scope, f.Path) && p.uses(f) && !f.Owned.Ours(f.Content) {
			return skipped("not tried: %s is a program in the project, and wsi did not write it as it is now", f.Path)
		}
	}
	front, _ := p.started()
	cases, err := p.casesOfItsOwn()
	switch {
	case err != nil:
		return skipped("not tried: %v", err)
	case p.turnedOff() || p.ofItsOwn() && len(cases) == 0:
		return skipped("not tried: the rules for %s carry nothing", p.server)
	}
	proof, err := p.Live(p.ctx, LiveCase{
		Harness: p.harness, Version: p.version, Binary: p.presence.Binary, Server: p.server, Files: p.files,
		May: p.may, Way: p.mode(), Front: front, Agents: p.relayed() && p.relay(relayEntry{}, 0).TellsAgents(),
		Rules: p.ruleFile(), Cases: cases, Meta: p.ofToday(), Env: p.Env, Dir: p.box.Live,
	})
	switch {
	case err != nil:
		return broken(p.trace(), "%s could not be run: %v", p.harness.Name, err)
	case proof.Cannot != "":
		return skipped("%s", proof.Cannot)
	case proof.Late != "" && proof.Needed == 0:
		return broken(p.trace(), "%s could not be run: %s, and %s%s", p.harness.Name, proof.Late, proof.Saw, p.waits())
	case proof.Late != "" && proof.Right == proof.Needed:
		return attention("", "%s: %d of %d right, and then %s; %s is slow here%s", proof.Saw, proof.Right, proof.Needed, proof.Late, p.harness.Name, p.waits())
	case proof.Wrong != "" || proof.Right != proof.Needed:
		fix := p.trace()
		for _, id := range []report.Check{report.HookFile, report.HookPath, report.HookRegistered} {
			if p.found[id] == report.Warn { // setup can fix it
				fix = "do what " + id.Of(p.harness.ID) + " says"
			}
		}
		return broken(fix, "%s: %d of %d right; %s", proof.Saw, proof.Right, proof.Needed, proof.Wrong)
	}
	return good("%s: %d of %d right", proof.Saw, proof.Right, proof.Needed)
}
