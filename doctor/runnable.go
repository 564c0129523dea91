package doctor

import (
	"path/filepath"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/harnesses"
)

// hookRunnable runs every command of wsi in the harness's files as the harness does, in a rehearse.Sandbox, with an event that
// needs no action.
func hookRunnable(p *target) outcome {
	for _, h := range p.hooks {
		if there, err := p.Env.Stat(h.Parsed.Path); h.Program == "" && filepath.IsAbs(h.Parsed.Path) && err == nil && !there {
			return notStarted(h.Parsed.Path, h.File.Path)
		}
	}
	var slowest rehearse.Ran
	done := map[string]bool{}
	for _, h := range p.hooks {
		if done[h.Command] || !p.serves(h) {
			continue
		}
		done[h.Command] = true
		r, out := p.tryOut(h)
		if out.status != report.OK {
			return out
		}
		if r.Took > slowest.Took {
			slowest = r
		}
	}
	return good("the commands run as %s runs them and answer", p.harness.Name).in(slowest.Took)
}

func (p *target) tryOut(h rehearse.Hook) (rehearse.Ran, outcome) {
	if !filepath.IsAbs(h.Parsed.Path) {
		return rehearse.Ran{}, broken(p.setup(), "the command does not begin with an absolute path: %s", h.Command)
	}
	if isDir, err := p.Env.Stat(h.Parsed.Path); err != nil || isDir {
		return rehearse.Ran{}, broken(p.setup(), "no binary at %s", h.Parsed.Path)
	}
	if _, err := p.Env.LookPath(h.Parsed.Path); err != nil && h.Program != h.Parsed.Path {
		return rehearse.Ran{}, broken(p.setup(), "%s cannot be run: %v", h.Parsed.Path, err)
	}
	play := p.subject().Call("runnable", "", "call_0", p.knownTool(), `{"context_tokens":1}`)
	event := p.harness.Proof.Simulator.Before(play)
	if h.Parsed.Verb == harnesses.Capture {
		event = p.harness.Proof.Simulator.After(play, []byte(`{"content":[{"type":"text","text":"nothing to see"}]}`))
	}
	before, _ := p.box.Journal()
	r := p.subject().Start(p.ctx, h, event)
	entries, err := p.box.Journal()
	switch {
	case r.Err != nil:
		return r, broken(p.setup(), "%s: %v", h.Command, r.Err)
	case r.Exit != 0:
		return r, broken(p.setup(), "%s ends with status %d: %s", h.Command, r.Exit, r.LastWords())
	case err != nil:
		return r, broken("", "%v", err)
	case len(entries) == len(before) && !p.turnedOff():
		return r, broken(p.setup(), "the program at %s does not behave like wsi: it writes no journal", h.Parsed.Path)
	case len(entries) > len(before) && entries[len(entries)-1].Did == "error":
		return r, broken(p.setup(), "%s fails: %s", h.Command, entries[len(entries)-1].Why)
	}
	if h.Parsed.Verb == harnesses.Inject {
		if _, err := p.harness.Proof.Simulator.Apply(play, r.Stdout, r.Exit); err != nil {
			return r, broken(p.setup(), "%s: %v", h.Command, err)
		}
	}
	return r, good("")
}
