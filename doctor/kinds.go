package doctor

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"wsi/doctor/ruletest"
	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/refserver/scripted"
	"wsi/internal/stdiorpc"
)

// rehearseKind runs the hooks with a server of the kind that a rule is for, in this process if here is set.
func (p *target) rehearseKind(c ruletest.Case, here bool) (s score, err error) {
	r := rehearsal{target: p, here: here, act: act{name: "rule"}}
	hidden := map[string]bool{} // session -> the harness did not show the value that it was issued
	start := time.Now()
	for _, step := range c.Steps {
		play := p.play("rule-session-"+step.Session, "", "call_r"+step.ID, step.Tool, string(step.Typed))
		if step.Refused && p.harness.Capabilities.Deny == nil {
			continue
		}
		play.Args, err = r.inject(play, nil)
		if step.Refused {
			s.needed++
			if errors.Is(err, harnesses.ErrDenied) {
				s.right++
			} else if s.wrong == "" {
				s.wrong = c.Wrong(step) + r.explain()
			}
			continue
		}
		if err != nil {
			return s, fmt.Errorf("%s, by the rule %q: %w", step.What, c.Rule, err)
		}
		shown, err := r.shown(play, step.Result)
		if err != nil {
			return s, fmt.Errorf("%s, by the rule %q: %w", step.What, c.Rule, err)
		}
		if step.Value != "" {
			p.issue(step.Value)
			hidden[step.Session] = hidden[step.Session] || !bytes.Contains(shown, []byte(step.Value))
		}
		if step.Want == nil {
			continue
		}
		s.needed++
		switch {
		case step.Right(play.Args):
			s.right++
		case hidden[step.Session]:
			s.unseen++
		case s.wrong == "":
			s.wrong = c.Wrong(step) + r.explain()
		}
	}
	if s.took = time.Since(start); !here {
		s.outside = s.needed
	}
	return s, nil
}

// issue passes on a value that a rehearsal has issued.
func (p *target) issue(value string) {
	if p.Issued != nil {
		p.Issued(value)
	}
}

// rehearseKinds plays all rules that the reference server cannot test. It returns the scores for servers with their
// values in the text, in structured content, and in _meta.
func (p *target) rehearseKinds(here bool) (text, other, meta score, err error) {
	cases, err := p.cases()
	if err != nil {
		return text, other, meta, err
	}
	for _, c := range cases {
		s, err := p.rehearseKind(c, here)
		if err != nil {
			return text, other, meta, err
		}
		switch c.Place {
		case carry.Meta:
			meta = meta.plus(s)
		case carry.Structured:
			other = other.plus(s)
		default:
			text = text.plus(s)
		}
	}
	return text, other, meta, nil
}

// relayKinds makes the same calls through a registered relay.
func (p *target) relayKinds(f relayEntry, i int) (right, needed int, wrong string, err error) {
	cases, err := p.cases()
	if err != nil || len(cases) == 0 {
		return 0, 0, "", err
	}
	r := p.through(f, i)
	r.dir = filepath.Join(filepath.Dir(r.dir), "kinds-"+filepath.Base(r.dir))
	r.kind = scripted.Kind
	tools, answers := ruletest.Server(cases)
	if err := scripted.Write(r.dir, tools, answers); err != nil {
		return 0, 0, "", err
	}
	if err := r.talkOf(cases); err != nil {
		return 0, 0, "", err
	}
	arrived, err := scripted.Arrived(r.dir)
	if err != nil {
		return 0, 0, "", err
	}
	right, needed, wrong = ruletest.Judge(cases, arrived)
	return right, needed, wrong, nil
}

// talkOf makes the calls of all sessions on one connection. If the relay cannot know the session of a call, each
// session gets a connection of its own.
func (r *relayed) talkOf(cases []ruletest.Case) error {
	steps, sessions := ruletest.Sessions(cases)
	if r.tellsSessions() {
		sessions = []string{""}
	}
	for _, session := range sessions {
		err := r.talk(func(talk *stdiorpc.Client) error {
			if err := r.greet(talk); err != nil {
				return err
			}
			for _, s := range steps {
				if session != "" && s.Session != session {
					continue
				}
				if err := r.call(talk, "r"+s.ID, relayedCall{s.Session, s.Tool, string(s.Typed)}); err != nil {
					return fmt.Errorf("%s, %s: %w", s.What, s.Tool, err)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// kindsAlone rehearses a server that has only rules that the reference server cannot test.
func (p *target) kindsAlone() outcome {
	text, other, meta, err := p.rehearseKinds(false)
	switch {
	case err != nil:
		return broken(p.deliveryFix(), "rehearsed: %v", err)
	case text.needed+other.needed+meta.needed == 0:
		return skipped("the rules for %s carry nothing that can be rehearsed", p.server)
	}
	return p.judge(text, other, meta)
}
