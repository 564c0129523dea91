// Package trial counts what carry rules would have done with recorded calls. It asks the engine about each call as a
// hook does, and compares its decision with what the model passed and the server said. It is pure, and returns
// nothing but counts.
//
// It must not know how sessions are recorded, or how counts are shown.
package trial

import (
	"bytes"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/hook/ruleset"
)

// Counts are what is counted of one rule. Calls count once they have returned.
type Counts struct {
	Captured int `json:"captured"` // results from which the rule took a new value
	Calls    int `json:"calls"`    // calls of tools in which the rule injects, repairs or compares something
	Failed   int `json:"failed"`   // of these, calls that failed

	// What the rule would have done. A call may count in Corrected or Refused and in Contradicted.
	Agreed       int `json:"agreed"`        // the model passed what the rule would have injected, or a value that it knows
	Contradicted int `json:"contradicted"`  // the server accepted what the rule would have replaced or refused
	Older        int `json:"older"`         // the model passed an older value of the chain, and the server accepted it
	Filled       int `json:"filled"`        // the model passed none, and the rule would have injected one
	FilledFailed int `json:"filled_failed"` // of these, calls that failed
	Corrected    int `json:"corrected"`     // the rule would have replaced the value by the one that it nearly is
	Refused      int `json:"refused"`       // the rule would have denied the call
	Unknown      int `json:"unknown"`       // the model passed a value, and the rule had none to compare it with
	Left         int `json:"left"`          // anything else: the rule would have done nothing
}

// Trial tries rules on the sessions of one harness after the other.
type Trial struct {
	Rules map[string]*Counts // by the rule's name

	set      rules.Set
	harness  string
	sessions map[string]*session // of the recording that is read
	order    []string            // of sessions, the one with the newest call last
}

// Limits of what is kept in memory. Sessions and calls beyond them are forgotten, the oldest first.
const (
	maxSessions = 16
	maxServers  = 64   // of a session
	maxPending  = 1024 // calls of a session that have not returned
)

// session is what one agent of a session has seen. Recordings do not say which agent has started which, so that each
// counts as a session.
type session struct {
	servers map[string][]owned
	pending map[string]*call // by id
	asked   []string         // the ids of pending, in the order of the calls
}

// owned is a set of rules with the state that it would have had.
type owned struct {
	ruleset.Set
	state carry.State
}

// call is a call that has not returned.
type call struct {
	sets     []owned
	call     ruleset.Call
	verdicts []verdict
}

// verdict is what a rule would have done with a call.
type verdict struct {
	rule  string
	did   carry.Action
	found carry.Agreement
}

// New returns counts that are all zero.
func New(set rules.Set) *Trial {
	t := &Trial{Rules: map[string]*Counts{}, set: set}
	for _, r := range set.Rules {
		t.Rules[r.Name] = &Counts{}
	}
	return t
}

// Begin begins a recording of a harness, in which names of sessions may mean others.
func (t *Trial) Begin(harness string) {
	t.harness, t.sessions, t.order = harness, map[string]*session{}, nil
}

// Step adds the next step of the recording. again says that another recording had the same call: the rules learn its
// values, and it does not count.
func (t *Trial) Step(s harnesses.Step, again bool) {
	switch s.Kind {
	case harnesses.Called:
		t.called(s)
	case harnesses.Returned:
		t.returned(s, again)
	case harnesses.Told, harnesses.Said, harnesses.Summarized: // the engine does not see them
	}
}

// session returns the session of a name.
func (t *Trial) session(name string) *session {
	if i := slices.Index(t.order, name); i >= 0 {
		t.order = append(slices.Delete(t.order, i, i+1), name)
		return t.sessions[name]
	}
	if len(t.order) == maxSessions {
		delete(t.sessions, t.order[0])
		t.order = t.order[1:]
	}
	s := &session{servers: map[string][]owned{}, pending: map[string]*call{}}
	t.sessions[name], t.order = s, append(t.order, name)
	return s
}

// sets returns the rules for a server with their states, nil if no rule names it.
func (t *Trial) sets(s *session, server string) []owned {
	sets, known := s.servers[server]
	if known || !t.set.Names(server) || len(s.servers) == maxServers {
		return sets
	}
	for _, set := range ruleset.Split(t.set.For(server), t.set.Single, t.harness, "recorded", server) {
		sets = append(sets, owned{Set: set})
	}
	s.servers[server] = sets
	return sets
}

// called decides about a call, and notes it until it returns.
func (t *Trial) called(step harnesses.Step) {
	s := t.session(step.Session)
	if t.set.Leaves("", step.Server, step.Tool) {
		return
	}
	server := strings.Clone(step.Server)
	c := &call{sets: t.sets(s, server), call: ruleset.Call{AgentKnown: true, Call: carry.Call{ID: step.ID, Tool: strings.Clone(step.Tool), Args: bytes.Clone(step.Args)}}}
	if c.sets == nil || step.ID == "" || s.pending[step.ID] != nil {
		return
	}
	for i := range c.sets {
		o := &c.sets[i]
		for k, d := range o.Decide(&o.state, c.call).Each {
			c.verdicts = append(c.verdicts, judge(&o.Rules[k], &o.state, c.call, d))
		}
		// What was recorded is that the model made the call as it is, whatever the rules would have done.
		o.Bind(&o.state, c.call, slices.Repeat([]carry.Decision{{Action: carry.Left}}, len(o.Rules)))
	}
	if len(s.asked) == maxPending {
		delete(s.pending, s.asked[0])
		s.asked = s.asked[1:]
	}
	s.pending[step.ID] = c
	s.asked = append(s.asked, step.ID)
}

// judge returns what a rule would have done with a call. An alias that the rule does not know may be one that wsi knew
// when the call was made.
func judge(rule *carry.Rule, state *carry.State, call ruleset.Call, d carry.Decision) verdict {
	v := verdict{rule: rule.Name}
	if !rule.Acts(call.Tool) {
		return v
	}
	if v.did = d.Action; d.Action == carry.Left || d.UnknownAlias {
		v.did, v.found = carry.Left, carry.Compare(rule, state, call.For(rule))
	}
	return v
}

// returned counts a call, and captures from its result.
func (t *Trial) returned(step harnesses.Step, again bool) {
	s := t.session(step.Session)
	c := s.pending[step.ID]
	if c == nil {
		return
	}
	delete(s.pending, step.ID)
	s.asked = slices.DeleteFunc(s.asked, func(id string) bool { return id == step.ID })
	for _, v := range c.verdicts {
		if !again && v.did != "" {
			t.Rules[v.rule].add(v, step.Result.Error)
		}
	}
	for i := range c.sets {
		o := &c.sets[i]
		for k, d := range o.After(&o.state, step.Result, port{c.call}).Each {
			if d.Action == carry.Captured && !again {
				t.Rules[o.Rules[k].Name].Captured++
			}
		}
	}
}

// port passes a recorded call to the engine. There is no other place in which a value may still appear.
type port struct{ call ruleset.Call }

// Sent implements [ruleset.Port]. The server got the call as it was recorded, with a value that a rule would have
// repaired, too.
func (p port) Sent(_ ruleset.Set, rule *carry.Rule, _ *carry.State) (carry.Call, bool) {
	return p.call.For(rule), true
}

// Unseen implements [ruleset.Port].
func (port) Unseen(state *carry.State, result carry.Result, d *carry.Decision) {
	carry.GiveUp(state, d.Note, result)
}

// Keep implements [ruleset.Port].
func (port) Keep(ruleset.Captured) bool { return true }

// add counts a call that returned.
func (c *Counts) add(v verdict, failed bool) {
	c.Calls++
	if failed {
		c.Failed++
	}
	switch {
	case v.did == carry.Injected:
		c.Filled++
		if failed {
			c.FilledFailed++
		}
	case v.did == carry.Repaired:
		c.Corrected++
	case v.did == carry.Denied:
		c.Refused++
	case v.found == carry.Agrees, v.did == carry.Expanded:
		c.Agreed++
	case v.found == carry.Outdated && !failed:
		c.Older++
	case v.found == carry.NotKnown:
		c.Unknown++
	case v.found != carry.Differs || failed:
		c.Left++
	}
	if !failed && (v.did == carry.Repaired || v.did == carry.Denied || v.found == carry.Differs) {
		c.Contradicted++
	}
}
