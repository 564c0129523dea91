package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"wsi/doctor/report"
	"wsi/hook/rules"
)

// budget limits all calls of a rehearsal together. The longest one measured, on a slow machine and with a wsi that is
// not this program, took a quarter of it.
const budget = time.Minute

var errBudget = errors.New("all calls together take longer than a minute")

// tokenDelivered rehearses with the reference server, which knows whether the right value came.
func tokenDelivered(p *target) outcome {
	switch {
	case len(p.hooks) == 0 && !p.relayed():
		return skipped("no hook of wsi is registered")
	case p.turnedOff():
		return broken("enable a rule for "+p.server+" again in "+rules.UserFile(p.Env.Getenv, p.Env.Home), "your rules disable all that wsi carries for %s", p.server)
	case p.found[report.ServerFronted] == report.Fail, p.found[report.RelayRunnable] == report.Fail:
		return skipped("not tried: wsi relay is not in front of the server as it must be")
	case len(p.hooks) == 0:
		return p.relayDelivered()
	case p.found[report.HookFile] == report.Fail, p.found[report.HookRegistered] == report.Fail, p.found[report.HookMatches] == report.Fail:
		return skipped("not tried: %s would not run the hooks as they are registered", p.harness.Name)
	case p.found[report.HookEnabled] == report.Fail, p.found[report.HookTrusted] == report.Fail:
		return skipped("not tried: %s would skip the hooks", p.harness.Name)
	case p.found[report.HookRunnable] == report.Fail:
		return skipped("not tried: the hooks do not run")
	case p.hooks[0].file.Owned.Path != "" && p.found[report.HookFile] == report.Warn:
		return skipped("not checked: %s is not what this wsi writes; run wsi doctor --live", p.hooks[0].file.Path)
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
		return broken(p.deliveryFix(), "rehearsed: %v", err)
	}
	return p.judge(text, other, meta)
}

// rehearseEverything returns the scores for servers that put the value into the text, elsewhere, and into _meta alone.
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
		if named, ok := p.calling(p.hooks[0].program, n.server, n.other); ok && (n.other == "" || p.tellsServers()) {
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

// judge turns the scores into an outcome. A call fails only if wsi could have put it right.
func (p *target) judge(text, other, meta score) outcome {
	all := text.plus(other).plus(meta)
	switch result := fmt.Sprintf("rehearsed: %d of %d right, %d of them through the registered commands", all.right, all.needed, all.outside); {
	case all.wrong != "":
		return broken(p.deliveryFix(), "%s; %s", result, all.wrong)
	case text.unseen > 0:
		return broken("", "%s; %s does not show hooks the result of a call", result, p.harness.Name)
	case other.unseen > 0:
		return attention("", "rehearsed: %d of %d right where the server's text shows the value; %s does not always show hooks a value that is elsewhere",
			text.right, text.needed, p.harness.Name)
	case meta.unseen > meta.afterFailure:
		text = text.plus(other)
		return attention("", "rehearsed: %d of %d right where the server's text shows the value; %s does not show hooks a value that is in _meta alone",
			text.right, text.needed, p.harness.Name)
	case meta.unseen > 0:
		return good("%s; %s does not show hooks a value that is issued with an error", result, p.harness.Name).in(all.took)
	default:
		return good("%s", result).in(all.took)
	}
}
