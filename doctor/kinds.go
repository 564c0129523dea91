package doctor

import (
	"bytes"
	"fmt"
	"path/filepath"
	"time"

	"wsi/doctor/ruletest"
	"wsi/hook/carry"
	"wsi/internal/refserver/scripted"
	"wsi/internal/stdiorpc"
)

// rehearseKind plays the hooks with a server of the kind that a rule is for, in the process of this program if
// here is set.
func (p *target) rehearseKind(c ruletest.Case, here bool) (s score, err error) {
	r := rehearsal{target: p, here: here, act: act{name: "rule"}}
	hidden := map[string]bool{} // by session: a value that it was handed was shown nowhere
	start := time.Now()
	for _, step := range c.Steps {
		play := p.play("rule-session-"+step.Session, "", "call_r"+step.ID, step.Tool, string(step.Typed))
		play.Args, err = r.inject(play, nil)
		if err != nil {
			return s, fmt.Errorf("%s, by the rule %q: %w", step.What, c.Rule, err)
		}
		shown, err := r.shown(play, step.Result)
		if err != nil {
			return s, fmt.Errorf("%s, by the rule %q: %w", step.What, c.Rule, err)
		}
		if step.Value != "" {
			p.heardOf(step.Value)
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

// heardOf tells a test which value was made up.
func (p *target) heardOf(value string) {
	if p.Issued != nil {
		p.Issued(value)
	}
}

// rehearseKinds plays all rules that the reference server cannot try. It returns the scores with servers that show
// their values in the text, in structured content, and in _meta.
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

// relayKinds plays the same calls through a registered relay.
func (p *target) relayKinds(f front, i int) (right, needed int, wrong string, err error) {
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

// talkOf makes the calls of all sessions on one connection, or those of each session on its own one where the relay
// cannot tell whose a call is.
func (r *relayed) talkOf(cases []ruletest.Case) error {
	steps, sessions := ruletest.Sessions(cases)
	if r.tellsSessions() {
		sessions = []string{""}
	}
	for _, session := range sessions {
		err := r.talk(func(talk *stdiorpc.Talk) error {
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

// kindsAlone is the outcome of a rehearsal with no other rules than those that the reference server cannot try.
func (p *target) kindsAlone() outcome {
	text, other, meta, err := p.rehearseKinds(false)
	switch {
	case err != nil:
		return broken(p.mend(), "rehearsed: %v", err)
	case text.needed+other.needed+meta.needed == 0:
		return skipped("the rules for %s carry nothing that could be rehearsed", p.server)
	}
	return p.judge(text, other, meta)
}
