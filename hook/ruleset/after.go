package ruleset

import (
	"errors"
	"slices"

	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/hook/vault"
)

// Port is what a port knows about the call of a result.
type Port interface {
	// Sent returns the call as it was made, as a rule of the set sees it. ok is false if the result may be another server's.
	Sent(s Set, rule *carry.Rule, state *carry.State) (call carry.Call, ok bool)
	// Unseen deals with the decision about a result that does not show the value which the tool returns.
	Unseen(state *carry.State, result carry.Result, d *carry.Decision)
	// Keep reports whether the changed state must be kept.
	Keep(Captured) bool
}

// Captured is what the rules of a set took from a result.
type Captured struct {
	carry.Decision
	Rules    []*carry.Rule // those that the result concerns
	HasValue bool          // the result shows a value of any of them
	Current  string        // the value for [vault.Current], "" for none
	Begins   bool          // it is the first value of a session
	Told     string        // what the model gets to read of the result's _meta, a line for each member
	Withheld bool          // there was no room for a member
	Sent     bool          // the call, as it was made, had a stored value where a rule injects one
	Unsent   bool          // it had none
	State    carry.State   // afterwards, not to be changed
}

// notOurs is the decision about a result that may be of another server's tool.
var notOurs = carry.Decision{Action: carry.Left, Why: "the event names no server and may be another's"}

// After passes a result to each rule of the set.
func (s Set) After(state *carry.State, result carry.Result, port Port) (c Captured) {
	isNew := state.Next == 0
	each := make([]carry.Decision, len(s.Rules))
	for i := range s.Rules {
		rule := &s.Rules[i]
		call, ok := port.Sent(s, rule, state)
		if !ok {
			each[i] = notOurs
			continue
		}
		has, known := rule.Delivered(state, call)
		c.Sent, c.Unsent = c.Sent || has, c.Unsent || known && !has
		each[i] = carry.After(rule, state, call, result)
		told, withheld := carry.Tell(rule, state, call, result)
		c.Told, c.Withheld = c.Told+told, c.Withheld || withheld
		c.Rules = append(c.Rules, rule)
		c.HasValue = c.HasValue || each[i].Shown
		if each[i].Action == carry.Captured && rule.Name == rules.Token {
			c.Current = each[i].Value
		}
	}
	for i := range each {
		if each[i].Unseen && !c.HasValue { // any rule's value may be hidden here
			port.Unseen(state, result, &each[i])
		}
	}
	c.Decision, c.State = Together(each), *state
	c.Begins = isNew && c.Value != ""
	return c
}

// Tell returns what the model gets to read of the _meta of a result that has been captured without it.
func (s Set) Tell(v vault.Vault, result carry.Result, call Call) (told string, withheld bool, err error) {
	if !slices.ContainsFunc(s.Rules, func(r carry.Rule) bool { return len(r.Show) > 0 }) {
		return "", false, nil
	}
	err = v.Update(s.Harness, s.Session, func(state *carry.State) bool {
		for i := range s.Rules {
			more, none := carry.Tell(&s.Rules[i], state, call.For(&s.Rules[i]), result)
			told, withheld = told+more, withheld || none
		}
		return len(state.Said) > 0
	})
	return told, withheld, err
}

// Capture is After in one update of the vault. If the result cannot be kept, it drops a state that the result made outdated.
func (s Set) Capture(v vault.Vault, result carry.Result, port Port) (c Captured, err error) {
	err = v.Update(s.Harness, s.Session, func(state *carry.State) bool {
		c = s.After(state, result, port)
		return port.Keep(c) && len(state.Chains)+len(state.Notes)+len(state.Uses)+len(state.Said) > 0
	})
	if err != nil {
		return Captured{}, errors.Join(err, s.drop(v, result, port))
	}
	return c, nil
}

// drop deletes the state of the set after a result that could not be kept: no value is better than one that is
// older than the server expects. If all rules inject by key only, it does so only if a stored value changed.
func (s Set) drop(v vault.Vault, result carry.Result, port Port) error {
	state, err := v.Load(s.Harness, s.Session)
	if err == nil {
		was := make(map[int]string, len(state.Chains))
		for _, chain := range state.Chains {
			was[chain.ID] = chain.Value
		}
		s.After(&state, result, port)
		aged := slices.ContainsFunc(state.Chains, func(chain carry.Chain) bool {
			value, known := was[chain.ID]
			return known && value != chain.Value
		})
		byKey := !slices.ContainsFunc(s.Rules, func(r carry.Rule) bool { return !r.OnlyByKey() })
		if byKey && !aged {
			return nil
		}
	}
	return v.Drop(s.Harness, s.Session)
}
