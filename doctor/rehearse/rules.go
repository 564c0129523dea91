package rehearse

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"wsi/doctor/ruletest"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/hook/carry"
	"wsi/internal/refserver"
)

// ForToken reports whether a rule can be rehearsed with the reference server.
func ForToken(r carry.Rule) bool { return r.Takes("get_activity") == refserver.Argument }

// Cases returns the calls that test the rules which the reference server cannot test. It fails if a rule can carry nothing.
func Cases(rules []carry.Rule) (all []ruletest.Case, err error) {
	n := 1
	for _, r := range rules {
		if ForToken(r) {
			continue
		}
		c, err := ruletest.Of(r, n)
		switch {
		case errors.Is(err, ruletest.ErrNothing):
			continue
		case err != nil:
			return nil, err
		}
		n += len(c.Steps)
		all = append(all, c)
	}
	return all, nil
}

// shows returns the cases of what rules show the model, with steps after those of others.
func shows(h setup.Harness, rules []carry.Rule, others []ruletest.Case) (all []ruletest.Case, err error) {
	n := 1
	for _, c := range others {
		n += len(c.Steps)
	}
	if h.Capabilities.ShowsMeta {
		return nil, nil
	}
	for _, r := range rules {
		c, err := ruletest.OfShow(r, n)
		if err != nil {
			return nil, err
		}
		if n += len(c.Steps); len(c.Steps) > 0 {
			all = append(all, c)
		}
	}
	return all, nil
}

// Kinds rehearses all rules that the reference server cannot test.
func (s Subject) Kinds(ctx context.Context) (Scores, error) { return s.kinds(ctx, false) }

// kinds does so in this process if here is set.
func (s Subject) kinds(ctx context.Context, here bool) (all Scores, err error) {
	cases, err := Cases(s.Rules)
	if err != nil {
		return all, err
	}
	for _, c := range cases {
		score, err := s.kind(ctx, c, here)
		if err != nil {
			return all, err
		}
		to := &all.Text
		switch c.Place {
		case carry.Meta:
			to = &all.Meta
		case carry.Structured:
			to = &all.Other
		}
		*to = to.Plus(score)
	}
	if s.Harness.Capabilities.Add == nil {
		return all, nil // server.needs says that the model reads nothing
	}
	shown, err := shows(s.Harness, s.Rules, cases)
	if err != nil {
		return all, err
	}
	for _, c := range shown {
		score, err := s.kind(ctx, c, here)
		all.Meta = all.Meta.Plus(score)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// tell counts a case of what the model must read as one call.
func tell(c ruletest.Case, server string, read []string) Score {
	if c.Told(server, read) {
		return Score{Needed: 1, Right: 1}
	}
	return Score{Needed: 1, Wrong: fmt.Sprintf("by the rule %q, the model must read a warning in _meta once, as the server's words", c.Rule)}
}

// withoutBatch reports whether the harness shows a result's _meta only when hooks after a batch of calls run, and none does.
func (r *rehearsal) withoutBatch(call setup.ToolCall) bool {
	batching, ok := r.Harness.Proof.Simulator.(setup.Batching)
	return ok && len(r.hooksFor(batching.Batch(call, []byte(`{}`)), harnesses.Capture)) == 0
}

// kind runs the hooks with a server of the kind that a rule is for.
func (s Subject) kind(ctx context.Context, c ruletest.Case, here bool) (score Score, err error) {
	name := "rule"
	if len(c.Notices) > 0 {
		name = "show"
	}
	r := rehearsal{Subject: s, here: here, act: act{name: name}}
	hidden := map[string]bool{} // session -> the harness did not show the value that it was issued
	start := time.Now()
	for _, step := range c.Steps {
		call := s.Call(name+"-session-"+step.Session, "", "call_"+name[:1]+step.ID, step.Tool, string(step.Typed))
		if len(c.Notices) > 0 && r.withoutBatch(call) {
			return score, nil // hook.registered says that the hook is missing
		}
		call.Args, err = r.inject(ctx, call, nil)
		if err != nil {
			return score, fmt.Errorf("%s, by the rule %q: %w", step.What, c.Rule, err)
		}
		shown, err := r.shown(ctx, call, step.Result)
		if err != nil {
			return score, fmt.Errorf("%s, by the rule %q: %w", step.What, c.Rule, err)
		}
		if step.Value != "" {
			s.issue(step.Value)
			hidden[step.Session] = hidden[step.Session] || !bytes.Contains(shown, []byte(step.Value))
		}
		if step.Want == nil || step.All && r.withoutBatch(call) {
			continue // hook.registered says that the hook is missing
		}
		score.Needed++
		switch {
		case step.Right(call.Args):
			score.Right++
		case hidden[step.Session]:
			score.Unseen++
		case score.Wrong == "":
			score.Wrong = c.Wrong(step) + r.explain()
		}
	}
	if len(c.Notices) > 0 {
		score = tell(c, s.Server, []string{r.added})
	}
	if score.Took = time.Since(start); !here {
		score.Outside = score.Needed
	}
	return score, nil
}
