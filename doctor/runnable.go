package doctor

import (
	"path/filepath"

	"wsi/doctor/report"
	"wsi/harnesses"
)

// hookRunnable runs every command of wsi in the harness's files as the harness does, in a sandbox, with an event that
// needs no action.
func hookRunnable(p *target) outcome {
	if len(p.hooks) == 0 {
		return skipped("no hook of wsi is registered")
	}
	for _, h := range p.hooks {
		if there, err := p.Env.Stat(h.Parsed.Path); h.program == "" && filepath.IsAbs(h.Parsed.Path) && err == nil && !there {
			return p.notStarted(h.Parsed.Path, h.file.Path)
		}
	}
	var slowest ran
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
		if r.took > slowest.took {
			slowest = r
		}
	}
	return good("the commands run as %s runs them and answer", p.harness.Name).in(slowest.took)
}

func (p *target) tryOut(h hook) (ran, outcome) {
	if !filepath.IsAbs(h.Parsed.Path) {
		return ran{}, broken(p.setup(), "the command does not begin with an absolute path: %s", h.Command)
	}
	if isDir, err := p.Env.Stat(h.Parsed.Path); err != nil || isDir {
		return ran{}, broken(p.setup(), "no binary at %s", h.Parsed.Path)
	}
	if _, err := p.Env.LookPath(h.Parsed.Path); err != nil && h.program != h.Parsed.Path {
		return ran{}, broken(p.setup(), "%s cannot be run: %v", h.Parsed.Path, err)
	}
	play := p.play("runnable", "", "call_0", p.knownTool(), `{"context_tokens":1}`)
	event := p.harness.Simulator.Before(play)
	if h.Parsed.Verb == harnesses.Capture {
		event = p.harness.Simulator.After(play, []byte(`{"content":[{"type":"text","text":"nothing to see"}]}`))
	}
	before, _ := p.box.journal()
	r := p.start(h, event)
	entries, err := p.box.journal()
	switch {
	case r.err != nil:
		return r, broken(p.setup(), "%s: %v", h.Command, r.err)
	case r.exit != 0:
		return r, broken(p.setup(), "%s ends with status %d: %s", h.Command, r.exit, r.complaint())
	case err != nil:
		return r, broken("", "%v", err)
	case len(entries) == len(before) && !p.turnedOff():
		return r, broken(p.setup(), "the program at %s does not behave like wsi: it writes no journal", h.Parsed.Path)
	case len(entries) > len(before) && entries[len(entries)-1].Did == "error":
		return r, broken(p.setup(), "%s fails: %s", h.Command, entries[len(entries)-1].Why)
	}
	if h.Parsed.Verb == harnesses.Inject {
		if _, err := p.harness.Simulator.Apply(play, r.stdout, r.exit); err != nil {
			return r, broken(p.setup(), "%s: %v", h.Command, err)
		}
	}
	return r, good("")
}
