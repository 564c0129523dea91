package doctor

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wsi/harnesses"
	"wsi/installer"
	"wsi/internal/ask"
)

// fronts are the examined server's registrations with wsi in front of them.
func (p *patient) fronts() (all []installer.Fronted) {
	for _, scope := range p.Scopes {
		for _, f := range installer.Fronts(p.Env, p.harness, scope) {
			known := slices.ContainsFunc(all, func(o installer.Fronted) bool {
				return slices.Equal(o.Front.Words(), f.Front.Words()) && o.Path == f.Path
			})
			if f.Name == p.server && !known {
				all = append(all, f)
			}
		}
	}
	return all
}

// front is the one that the harness starts in this folder; ok is false if there is none.
func (p *patient) front() (f harnesses.Front, ok bool) {
	for _, s := range p.registrations() {
		if f, _, ok := harnesses.ParseFront(s.Command); ok {
			return f, true
		}
	}
	if all := p.fronts(); len(all) > 0 {
		return all[0].Front, true
	}
	return harnesses.Front{}, false
}

// relayRegistered looks whether wsi is in front of the server wherever the harness starts it, and told what
// it must know.
func relayRegistered(p *patient) outcome {
	fronts := p.fronts()
	switch {
	case len(fronts) == 0 && p.joins():
		return broken(p.setup(), "the hook only notes who calls, and there is no wsi relay in front of the server to do the rest")
	case len(fronts) == 0:
		return skipped("no wsi relay is in front of the server %s", p.server)
	}
	var places []string
	for _, f := range fronts {
		if out := p.told(f); out.status != OK {
			return out
		}
		if !slices.Contains(places, f.Path) {
			places = append(places, f.Path)
		}
	}
	if len(p.hooks) > 0 && !p.joins() {
		return attention(p.setup(), "the hooks carry, and wsi relay is in front of the server as well: behind it they are shown less")
	}
	for _, s := range p.registrations() {
		if _, _, fronted := harnesses.ParseFront(s.Command); !fronted {
			return attention("take it out there, or "+p.setup(), "%s is registered in %s, too, with no wsi relay in front: where %s takes that one, nothing is carried", s.Name, s.File, p.harness.Name)
		}
	}
	if p.harness.Bundled != nil {
		for _, s := range p.harness.Bundled(p.Env) {
			if s.Name == p.server { // once the command lines differ it starts both (Claude Code 2.1.197 and 2.1.329)
				return attention("switch one of them off", "%s also comes with what is installed into %s (%s), which starts it besides, with no wsi relay in front", s.Name, p.harness.Name, s.File)
			}
		}
	}
	return good("wsi relay is in front of %s in %s", p.server, strings.Join(places, " and "))
}

// told holds what a registered relay is told against what is so.
func (p *patient) told(f installer.Fronted) outcome {
	switch front := f.Front; {
	case front.Harness != p.harness.ID:
		return broken(p.setup(), "wsi relay in %s is told that the harness is %q, and so cannot know who calls", f.Path, front.Harness)
	case front.Server != p.server:
		return broken(p.setup(), "wsi relay in %s is told that the server is %q, not %s", f.Path, front.Server, p.server)
	case p.StateDir == "" || front.State == "" || filepath.Clean(front.State) == filepath.Clean(p.StateDir):
		return good("")
	case p.joins():
		return broken(p.setup(), "wsi relay in %s looks for who calls in %s, and the hook notes it in %s", f.Path, front.State, p.StateDir)
	default:
		return attention(p.setup(), "wsi relay in %s keeps values in %s, not in %s, which the doctor examines", f.Path, front.State, p.StateDir)
	}
}

// relayRunnable starts each registered relay with the reference server behind it, and asks for its tools.
func relayRunnable(p *patient) outcome {
	fronts := p.fronts()
	switch {
	case len(fronts) == 0:
		return skipped("no wsi relay is in front of the server %s", p.server)
	case p.found["hook.runnable"] == Fail:
		return skipped("not tried, for wsi's hook does not run")
	}
	start := time.Now()
	for i, f := range fronts {
		if !filepath.IsAbs(f.Front.Path) {
			return broken(p.setup(), "what is started in front of %s has no absolute path: %s", p.server, f.Front.Path)
		}
		if isDir, err := p.Env.Stat(f.Front.Path); err != nil || isDir {
			return broken(p.setup(), "there is no binary at %s, which %s starts in front of %s", f.Front.Path, p.harness.Name, p.server)
		}
		r := p.behind(f.Front, i)
		if err := r.talk(r.greet); err != nil {
			return broken(p.setup(), "wsi relay, as %s registers it, does not let %s through: %v", f.Path, p.server, err)
		}
	}
	return good("wsi relay starts as it is registered, and lets the server through").in(time.Since(start))
}

func (r *relayed) greet(talk *ask.Talk) error {
	_, err := toolsOf(talk, r.Version)
	return err
}

// relayNeeded rehearses what hooks alone would carry where a relay does: to stand in front of the server is
// the stronger intervention, and may be more than is needed.
func relayNeeded(p *patient) outcome {
	front, fronted := p.front()
	_, hooks := p.harness.Choice(harnesses.ByHooks)
	switch {
	case !fronted:
		return skipped("no wsi relay is in front of the server %s", p.server)
	case !hooks:
		return skipped("%s has no hooks that could carry", p.harness.Name)
	case p.found["relay.runnable"] == Fail:
		return skipped("not tried, for wsi does not run")
	}
	for _, f := range p.harness.Flaws {
		if f.In(p.version) {
			return note("hooks alone would not do: %s %s %s", p.harness.Name, p.version, f.Why)
		}
	}
	other, ok := p.calling(front.Path, p.server, "")
	if !ok {
		return skipped("how its hooks would be registered cannot be told")
	}
	text, err := other.rehearseAll(append([]act{inText}, elsewhere...))
	meta, err2 := other.rehearseAll(tails)
	if err := errors.Join(err, err2); err != nil {
		return skipped("what its hooks would carry could not be rehearsed: %v", err)
	}
	all := meta.plus(text)
	switch back := "wsi setup --harness " + p.harness.ID + " --wiring hooks would leave the server as its user registered it"; {
	case all.wrong != "":
		return note("hooks alone would not do: %s", all.wrong)
	case text.unseen > 0 || meta.unseen > meta.afterFailure:
		return note("hooks alone would not do for a value that is in _meta alone: %s shows them nothing of it", p.harness.Name)
	case meta.unseen > 0:
		return note("hooks alone would do for a server that hands out no new value with an error: %d of %d right in a rehearsal; %s", all.right, all.needed, back)
	default:
		return note("hooks alone would do: %d of %d right in a rehearsal; %s", all.right, all.needed, back)
	}
}

// tellsAgents tells whether the relay can know the calls of a sub-agent from those of the agent that
// started it.
func (p *patient) tellsAgents() bool {
	if p.joins() || p.harness.Meta == nil {
		return p.joins() && p.namesAgents()
	}
	main, sub := p.play("1", "", "call", "x", `{}`), p.play("1", "a", "call", "x", `{}`)
	return !bytes.Equal(p.harness.Meta(main), p.harness.Meta(sub))
}
