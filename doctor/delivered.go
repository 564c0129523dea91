package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"wsi/doctor/rehearse"
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
	case p.hooks[0].File.Owned.Path != "" && p.found[report.HookFile] == report.Warn:
		return skipped("not checked: %s is not what this wsi writes; run wsi doctor --live", p.hooks[0].File.Path)
	case p.joins():
		return p.relayDelivered()
	}
	ctx, cancel := context.WithTimeoutCause(p.ctx, budget, errBudget)
	defer cancel()
	rehearsed := p.subject().Everything
	if p.ofItsOwn() {
		rehearsed = p.subject().Kinds
	}
	scores, err := rehearsed(ctx)
	switch late := errors.Is(err, errBudget); {
	case late && scores.All().Wrong != "": // the calls that are missing would change nothing
	case late:
		return attention("", "rehearsed: %v: wsi is slow here", err)
	case err != nil:
		return broken(p.deliveryFix(), "rehearsed: %v", err)
	case scores.All().Needed == 0:
		return skipped("the rules for %s carry nothing that can be rehearsed", p.server)
	}
	return p.judge(scores)
}

// relayDelivered makes calls through each registered relay.
func (p *target) relayDelivered() outcome {
	start := time.Now()
	var all rehearse.Score
	for i, f := range p.relays() {
		r := p.relay(f, i)
		calls := []func(context.Context) (rehearse.Score, error){r.Token, r.Kinds}
		if p.ofItsOwn() {
			calls = calls[1:]
		}
		for _, call := range calls {
			score, err := call(p.ctx)
			if err != nil {
				return broken(p.deliveryFix(), "rehearsed: %v", err)
			}
			all = all.Plus(score)
		}
	}
	switch {
	case all.Wrong != "":
		return broken(p.deliveryFix(), "rehearsed: %d of %d right through wsi relay; %s", all.Right, all.Needed, all.Wrong)
	case all.Right < all.Needed:
		return broken(p.deliveryFix(), "rehearsed: %d of %d right through wsi relay", all.Right, all.Needed)
	case all.Needed == 0:
		return skipped("the rules for %s carry nothing that could be rehearsed", p.server)
	}
	return good("rehearsed: %d of %d right, all of them through wsi relay as it is registered", all.Right, all.Needed).in(time.Since(start))
}

// judge turns the scores into an outcome. A call fails only if wsi could have put it right.
func (p *target) judge(scores rehearse.Scores) outcome {
	text, other, meta, all := scores.Text, scores.Other, scores.Meta, scores.All()
	switch result := fmt.Sprintf("rehearsed: %d of %d right, %d of them through the registered commands", all.Right, all.Needed, all.Outside); {
	case all.Wrong != "":
		return broken(p.deliveryFix(), "%s; %s", result, all.Wrong)
	case text.Unseen > 0:
		return broken("", "%s; %s does not show hooks the result of a call", result, p.harness.Name)
	case other.Unseen > 0:
		return attention("", "rehearsed: %d of %d right where the server's text shows the value; %s does not always show hooks a value that is elsewhere",
			text.Right, text.Needed, p.harness.Name)
	case meta.Unseen > meta.AfterFailure:
		text = text.Plus(other)
		return attention("", "rehearsed: %d of %d right where the server's text shows the value; %s does not show hooks a value that is in _meta alone",
			text.Right, text.Needed, p.harness.Name)
	case meta.Unseen > 0:
		return good("%s; %s does not show hooks a value that is issued with an error", result, p.harness.Name).in(all.Took)
	default:
		return good("%s", result).in(all.Took)
	}
}
