package doctor

import (
	"context"

	"wsi/doctor/report"
	"wsi/doctor/ruletest"
	"wsi/harnesses"
	"wsi/installer/inspect"
)

// Live proves delivery with a harness's own binary. Package doctor/live implements it.
type Live func(context.Context, LiveCase) (LiveProof, error)

// LiveCase is one proof: this binary, with these files as they are now, delivers the values.
type LiveCase struct {
	Harness harnesses.Harness
	Version string           // of the harness
	Binary  string           // of the harness, absolute
	Server  string           // name of the server in the hooks
	Rules   []byte           // the user's rule file, nil = none
	Files   []inspect.Source // from which the harness takes hooks, with wsi's and others' in them
	// Cases are the calls for a server of another kind than the reference server; none = use the reference server.
	Cases []ruletest.Case
	// May reports whether a command line of wsi's in one of them may be run.
	May func(f inspect.Source, line string) bool

	Way    harnesses.Mode         // how it is wired
	Front  harnesses.RelayCommand // what it starts in front of the server; no Path = nothing
	Agents bool                   // wsi can distinguish the calls of a sub-agent
	Env    harnesses.Env          // of the user
	Dir    string                 // an empty folder for all files; the caller deletes it
}

// LiveProof is what the server saw.
type LiveProof struct {
	Right, Needed int    // calls that carried the right value, calls that had to carry one
	Wrong         string // the first failure, one clause; "" = none
	Cannot        string // why this harness cannot be driven, one clause; "" = it can
	Saw           string // such as "the server saw 9 calls of 2 sessions"
	Late          string // why the harness was stopped, one clause; the other fields count what came before; "" = it ended in time
}

// waits returns what delays the start of the harness, as the end of a sentence.
func (p *target) waits() string {
	if p.harness.StartupDelay == nil {
		return ""
	}
	if why, _ := p.harness.StartupDelay(p.Env); why != "" {
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
	case p.presence.Binary == "" && p.harness.Guide == nil:
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
		May: p.may, Way: p.mode(), Front: front, Agents: p.relayed() && p.tellsAgents(),
		Rules: p.ruleFile(), Cases: cases, Env: p.Env, Dir: p.box.live,
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
		for _, id := range []report.Check{report.HookFile, report.HookPath} {
			if p.found[id] == report.Warn { // setup can fix it
				fix = "do what " + id.Of(p.harness.ID) + " says"
			}
		}
		return broken(fix, "%s: %d of %d right; %s", proof.Saw, proof.Right, proof.Needed, proof.Wrong)
	}
	return good("%s: %d of %d right", proof.Saw, proof.Right, proof.Needed)
}
