package doctor

import "fmt"

// tokenDelivered rehearses with the reference server: only a server can tell whether the right value
// came.
func tokenDelivered(p *patient) outcome {
	switch {
	case len(p.hooks) == 0:
		return skipped("there is no hook of wsi's")
	case p.found["hook.file"] == Fail, p.found["hook.registered"] == Fail, p.found["hook.matches"] == Fail:
		return skipped("not tried, for %s would not run the hooks as they are registered", p.harness.Name)
	case p.found["hook.enabled"] == Fail, p.found["hook.trusted"] == Fail:
		return skipped("not tried, for %s would skip the hooks", p.harness.Name)
	case p.found["hook.runnable"] == Fail:
		return skipped("not tried, for the hooks do not run")
	}
	var scores [3]score
	for i, a := range []act{acts.meta, acts.errors, acts.text} {
		var err error
		if scores[i], err = p.rehearse(a); err != nil {
			return broken(p.setup(), "rehearsed: %v", err)
		}
	}
	return p.judge(scores[0].plus(scores[1]), scores[2])
}

// judge turns the scores with a server that uses _meta and with one that uses the text into a
// sentence. Only what wsi could have done better is a failure.
func (p *patient) judge(meta, text score) outcome {
	all := meta.plus(text)
	switch result := fmt.Sprintf("rehearsed: %d of %d right", all.right, all.needed); {
	case all.wrong != "":
		return broken(p.setup(), "%s; %s", result, all.wrong)
	case text.unseen > 0:
		return broken("", "%s; %s shows hooks nothing of a result", result, p.harness.Name)
	case meta.unseen > meta.afterFailure:
		return attention("", "rehearsed: %d of %d right where the server's text shows the value; of a value that is in _meta alone %s shows hooks nothing",
			text.right, text.needed, p.harness.Name)
	case meta.unseen > 0:
		return good("%s; of a value handed out with an error %s shows hooks nothing", result, p.harness.Name).in(all.took)
	default:
		return good("%s", result).in(all.took)
	}
}
