package doctor

import (
	"errors"

	"wsi/harnesses"
	"wsi/installer"
)

// hookTrusted asks the harness's own gate.
func hookTrusted(p *patient) outcome {
	switch {
	case len(p.hooks) == 0:
		return skipped("there is no hook of wsi's")
	case p.harness.Gate == nil:
		return note("%s asks nobody before it runs a hook", p.harness.Name)
	}
	for _, f := range p.files {
		if !p.uses(f) {
			continue
		}
		hf := f.Hooks
		hf.Path = f.Path
		err := p.harness.Gate(p.Env, hf, f.Content)
		var closed harnesses.Closed
		switch {
		case errors.As(err, &closed):
			return broken(closed.Fix, "%s", closed.Why)
		case err != nil:
			return broken("", "%v", err)
		}
	}
	if p.hooks[0].file.Whole.Path != "" {
		return note("%s asks nobody before it runs a hook", p.harness.Name)
	}
	return good("%s runs them", p.harness.Name)
}

// uses tells whether a hook of wsi's is in the file.
func (p *patient) uses(f installer.Source) bool {
	for _, h := range p.hooks {
		if h.file.Path == f.Path {
			return true
		}
	}
	return false
}
