package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"wsi/doctor/report"
	"wsi/hook/rules"
)

// budget is what all calls of a rehearsal may take together. The longest, with a wsi that is not the
// running one on a slow machine, is a quarter of it.
const budget = time.Minute

var errBudget = errors.New("all calls together take longer than a minute")

// tokenDelivered rehearses with the reference server: only a server can tell whether the right value
// came.
func tokenDelivered(p *target) outcome {
	switch {
	case len(p.hooks) == 0 && !p.relayed():
		return skipped("there is no hook of wsi's")
	case p.turnedOff():
		return broken("switch a rule for "+p.server+" on again in "+rules.UserFile(p.Env.Getenv, p.Env.Home), "your rules switch off all that wsi carries for %s", p.server)
	case p.found[report.ServerFronted] == report.Fail, p.found[report.RelayRunnable] == report.Fail:
		return skipped("not tried, for wsi relay is not in front of the server as it must be")
	case len(p.hooks) == 0:
		return p.relayDelivered()
	case p.found[report.HookFile] == report.Fail, p.found[report.HookRegistered] == report.Fail, p.found[report.HookMatches] == report.Fail:
		return skipped("not tried, for %s would not run the hooks as they are registered", p.harness.Name)
	case p.found[report.HookEnabled] == report.Fail, p.found[report.HookTrusted] == report.Fail:
		return skipped("not tried, for %s would skip the hooks", p.harness.Name)
	case p.found[report.HookRunnable] == report.Fail:
		return skipped("not tried, for the hooks do not run")
	case p.hooks[0].file.Whole.Path != "" && p.found[report.HookFile] == report.Warn:
		return skipped("not told, for %s is not what this wsi writes; wsi doctor --live tells", p.hooks[0].file.Path)
	case p.joins():
		return p.relayDelivered()
	}
	if p.ofItsOwn() {
		return p.kindsAlone()
	}
	bounded := *p
	var cancel func()
	bounded.ctx, cancel = context.WithTimeoutCause(p.ctx, budget, errBudget)
	defer cancel()
	text, other, meta, err := bounded.rehearseEverything()
	switch {
	case errors.Is(err, errBudget):
		return attention("", "rehearsed: %v: wsi is slow here", err)
	case err != nil:
		return broken(p.mend(), "rehearsed: %v", err)
	}
	return p.judge(text, other, meta)
}

// rehearseEverything returns the scores with servers that put the value into the text, that put it
// elsewhere, and that put it into _meta alone.
func (p *target) rehearseEverything() (text, other, meta score, err error) {
	if text, err = p.rehearseAll([]act{core, inText}); err != nil {
		return text, other, meta, err
	}
	if other, err = p.rehearseAll(elsewhere); err != nil {
		return text, other, meta, err
	}
	if meta, err = p.rehearseAll(tails); err != nil {
		return text, other, meta, err
	}
	for i, n := range oddNames {
		if named, ok := p.calling(p.hooks[0].program, n.server, n.beside); ok && (n.beside == "" || p.tellsServers()) {
			s, err := named.rehearse(n.act(i))
			if err != nil {
				return text, other, meta, err
			}
			text = text.plus(s)
		}
	}
	kinds, structured, inMeta, err := p.rehearseKinds(p.isThis())
	return text.plus(kinds), other.plus(structured), meta.plus(inMeta), err
}

func (p *target) rehearseAll(acts []act) (all score, err error) {
	for _, a := range acts {
		s, err := p.rehearse(a)
		if err != nil {
			return all, err
		}
		all = all.plus(s)
	}
	return all, nil
}

// judge turns the scores into a sentence. Only what wsi could have done better is a failure.
func (p *target) judge(text, other, meta score) outcome {
	all := text.plus(other).plus(meta)
	switch result := fmt.Sprintf("rehearsed: %d of %d right, %d of them through the registered commands", all.right, all.needed, all.outside); {
	case all.wrong != "":
		return broken(p.mend(), "%s; %s", result, all.wrong)
	case text.unseen > 0:
		return broken("", "%s; %s shows hooks nothing of a result", result, p.harness.Name)
	case other.unseen > 0:
		return attention("", "rehearsed: %d of %d right where the server's text shows the value; of one that is elsewhere %s does not always show hooks something",
			text.right, text.needed, p.harness.Name)
	case meta.unseen > meta.afterFailure:
		text = text.plus(other)
		return attention("", "rehearsed: %d of %d right where the server's text shows the value; of a value that is in _meta alone %s shows hooks nothing",
			text.right, text.needed, p.harness.Name)
	case meta.unseen > 0:
		return good("%s; of a value handed out with an error %s shows hooks nothing", result, p.harness.Name).in(all.took)
	default:
		return good("%s", result).in(all.took)
	}
}
