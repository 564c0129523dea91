package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// budget is what all calls of a rehearsal may take together. The longest, with a wsi that is not the
// running one on a slow machine, is a quarter of it.
const budget = time.Minute

var errBudget = errors.New("all calls together take longer than a minute")

// tokenDelivered rehearses with the reference server: only a server can tell whether the right value
// came.
func tokenDelivered(p *patient) outcome {
	switch {
	case len(p.hooks) == 0 && !p.relayed():
		return skipped("there is no hook of wsi's")
	case p.found["server.fronted"] == Fail, p.found["relay.runnable"] == Fail:
		return skipped("not tried, for wsi relay is not in front of the server as it must be")
	case len(p.hooks) == 0:
		return p.relayDelivered()
	case p.found["hook.file"] == Fail, p.found["hook.registered"] == Fail, p.found["hook.matches"] == Fail:
		return skipped("not tried, for %s would not run the hooks as they are registered", p.harness.Name)
	case p.found["hook.enabled"] == Fail, p.found["hook.trusted"] == Fail:
		return skipped("not tried, for %s would skip the hooks", p.harness.Name)
	case p.found["hook.runnable"] == Fail:
		return skipped("not tried, for the hooks do not run")
	case p.hooks[0].file.Whole.Path != "" && p.found["hook.file"] == Warn:
		return skipped("not told, for %s is not what this wsi writes; wsi doctor --live tells", p.hooks[0].file.Path)
	case p.joins():
		return p.relayDelivered()
	}
	bounded := *p
	var cancel func()
	bounded.ctx, cancel = context.WithTimeoutCause(p.ctx, budget, errBudget)
	defer cancel()
	meta, text, err := bounded.rehearseEverything()
	switch {
	case errors.Is(err, errBudget):
		return attention("", "rehearsed: %v: wsi is slow here", err)
	case err != nil:
		return broken(p.setup(), "rehearsed: %v", err)
	}
	return p.judge(meta, text)
}

// rehearseEverything returns the scores with servers that use _meta alone, and with others.
func (p *patient) rehearseEverything() (meta, text score, err error) {
	if meta, text, err = p.rehearseWhere(slices.Concat([]act{core}, visible, tails)); err != nil {
		return meta, text, err
	}
	for _, n := range oddNames {
		if other, ok := p.calling(p.hooks[0].Said.Path, n.server, n.beside); ok && (n.beside == "" || p.tellsServers()) {
			s, err := other.rehearse(n.act())
			if err != nil {
				return meta, text, err
			}
			text = text.plus(s)
		}
	}
	return meta, text, nil
}

// judge turns the scores with a server that uses _meta and with one that uses the text into a
// sentence. Only what wsi could have done better is a failure.
func (p *patient) judge(meta, text score) outcome {
	all := text.plus(meta)
	switch result := fmt.Sprintf("rehearsed: %d of %d right, %d of them through the registered commands", all.right, all.needed, all.outside); {
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
