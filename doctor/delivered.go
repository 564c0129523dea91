package doctor

import "wsi/internal/refserver"

// tokenDelivered rehearses with the reference server: only a server can tell whether the right value
// came.
func tokenDelivered(p *patient) outcome {
	switch {
	case len(p.hooks) == 0:
		return skipped("there is no hook of wsi's")
	case p.found["hook.file"] == Fail, p.found["hook.registered"] == Fail, p.found["hook.matches"] == Fail:
		return skipped("not tried, for %s would not run the hooks as they are registered", p.harness.Name)
	case p.found["hook.trusted"] == Fail:
		return skipped("not tried, for %s would skip the hooks", p.harness.Name)
	case p.found["hook.runnable"] == Fail:
		return skipped("not tried, for the hooks do not run")
	}
	meta, err := p.rehearse(refserver.Options{RotateOnError: true}, fullScript)
	if err != nil {
		return broken(p.setup(), "rehearsed: %v", err)
	}
	text, err := p.rehearse(refserver.Options{Places: []refserver.Place{refserver.Text}}, textScript)
	if err != nil {
		return broken(p.setup(), "rehearsed: %v", err)
	}
	return p.judge(meta, text)
}

// judge turns two scores into a sentence. Only what wsi could have done better is a failure.
func (p *patient) judge(meta, text score) outcome {
	needed, right := meta.needed+text.needed, meta.right+text.right
	ms := (meta.took + text.took).Milliseconds()
	for _, s := range []score{meta, text} {
		if s.wrong != "" {
			return broken(p.setup(), "rehearsed: %d of %d right; %s", right, needed, s.wrong)
		}
	}
	switch {
	case text.unseen > 0:
		return broken("", "rehearsed: %d of %d right; %s shows hooks nothing of a result", right, needed, p.harness.Name)
	case meta.unseen > meta.afterFailure:
		return attention("", "rehearsed: %d of %d right where the server's text shows the value; of a value that is in _meta alone %s shows hooks nothing",
			text.right, text.needed, p.harness.Name)
	case meta.unseen > 0:
		return good("rehearsed: %d of %d right in %d ms; of a value handed out with an error %s shows hooks nothing", right, needed, ms, p.harness.Name)
	}
	return good("rehearsed: %d of %d right in %d ms", right, needed, ms)
}
