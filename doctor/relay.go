package doctor

import (
	"bytes"
	"errors"
	"path/filepath"
	"time"

	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/internal/stdiorpc"
)

// started returns the relay that the harness starts in this folder, with the program that the doctor starts for it. ok
// is false if the harness starts none.
func (p *target) started() (f harnesses.RelayCommand, ok bool) {
	for _, s := range p.registrations() {
		if f, _, ok := harnesses.ParseRelayCommand(s.Command); ok {
			if f.Path = p.vetted(f.Path, s.File, s.Scope); f.Path != "" {
				return f, true
			}
		}
	}
	for _, f := range p.relays() {
		if f.Path = f.program; f.Path != "" {
			return f.RelayCommand, true
		}
	}
	return harnesses.RelayCommand{}, false
}

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
			return p.notStarted(f.RelayCommand.Path, f.file)
		}
		if _, err := p.Env.LookPath(f.RelayCommand.Path); err != nil && f.program != f.RelayCommand.Path {
			return broken(p.setup(), "%s, which %s starts in front of %s, cannot be run: %v", f.RelayCommand.Path, p.harness.Name, p.server, err)
		}
		r := p.through(f, i)
		if err := r.talk(r.greet); err != nil {
			return broken(p.setup(), "wsi relay, as %s registers it, does not forward to %s: %v", f.file, p.server, err)
		}
	}
	return good("wsi relay starts as it is registered and forwards to a server").in(time.Since(start))
}

func (r *relayed) greet(talk *stdiorpc.Client) error {
	_, err := toolsOf(talk, r.Version)
	return err
}

// relayNeeded rehearses whether hooks alone would suffice where a relay is registered: a relay changes how the server
// is registered, which hooks do not.
func relayNeeded(p *target) outcome {
	front, fronted := p.started()
	_, hooks := p.harness.Choice(harnesses.ByHooks)
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
	other, ok := p.calling(front.Path, p.server, "")
	if !ok {
		return skipped("wsi cannot register hooks for it")
	}
	text, structured, meta, err := other.rehearseKinds(false)
	text = text.plus(structured)
	if !p.ofItsOwn() {
		text, meta, err = other.rehearseForRelay()
	}
	if err != nil {
		return skipped("what its hooks would carry could not be rehearsed: %v", err)
	}
	all := meta.plus(text)
	switch back := "wsi setup --harness " + p.harness.ID + " --wiring hooks would leave the server as its user registered it"; {
	case all.wrong != "":
		return note("hooks alone would not suffice: %s", all.wrong)
	case text.unseen > 0 || meta.unseen > meta.afterFailure:
		return note("hooks alone would not suffice: %s does not show them a value that is in _meta alone", p.harness.Name)
	case meta.unseen > 0:
		return note("hooks alone would suffice for a server that issues no new value with an error: %d of %d right in a rehearsal; %s", all.right, all.needed, back)
	default:
		return note("hooks alone would suffice: %d of %d right in a rehearsal; %s", all.right, all.needed, back)
	}
}

func (p *target) rehearseForRelay() (text, meta score, err error) {
	text, err = p.rehearseAll(append([]act{inText}, elsewhere...))
	meta, err2 := p.rehearseAll(tails)
	return text, meta, errors.Join(err, err2)
}

// tellsAgents reports whether the relay can distinguish the calls of a sub-agent from those of its parent.
func (p *target) tellsAgents() bool {
	if p.joins() || p.harness.Meta == nil {
		return p.joins() && p.namesAgents()
	}
	main, sub := p.play("1", "", "call", "x", `{}`), p.play("1", "a", "call", "x", `{}`)
	return !bytes.Equal(p.harness.Meta(main), p.harness.Meta(sub))
}
