package ruleset

import (
	"errors"
	"slices"

	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/hook/vault"
)

// Call is a call as a port passes it to the rules.
type Call struct {
	carry.Call
	Session string // the key of the call's session in the vault
}

// For returns the call as a rule sees it: only some rules distinguish agents. If a value outlives sessions,
// sessions take the place of agents.
func (c Call) For(rule *carry.Rule) carry.Call {
	switch rule.Scope {
	case carry.ScopeAgent:
	case carry.ScopeUser:
		c.Agent = c.Session
	default:
		c.Agent = ""
	}
	return c.Call
}

// Outcome is what the rules of a set, or of several, decide about a call.
type Outcome struct {
	carry.Decision
	Each    []carry.Decision // of each rule of the set
	Current string           // by Record: the value for [vault.Current], "" for none
}

// Late is what a port does with calls whose results it cannot see at once: it awaits those of earlier calls,
// and has this call noted.
type Late struct {
	Awaited []carry.Note            // earlier calls, in order
	Results map[string]carry.Result // of those that have a result by now, by NoteKey
	Missing bool                    // a result is missing that may hold a newer value
	Noting  []*carry.Rule           // rules for which this call must be noted
	Files   []string                // as in [carry.Note], for this call
	From    []int64
}

// Empty reports whether there is nothing to settle and nothing to note.
func (l Late) Empty() bool { return len(l.Awaited)+len(l.Noting) == 0 }

// NoteKey returns a key for a noted call: ids are unique only within one agent's conversation.
func NoteKey(n carry.Note) string { return n.Agent + "\x00" + n.ID }

// Before asks each set about a call and combines the decisions.
func Before(sets []Set, call Call, ask func(Set, Call) (Outcome, error)) (all Outcome, err error) {
	each, err := inTurn(len(sets), call.Call, func(i int, c carry.Call) (carry.Decision, error) {
		call.Call = c
		o, err := ask(sets[i], call)
		return o.Decision, err
	})
	if err == nil {
		all.Decision = Together(each)
	}
	return all, err
}

// Decide asks each rule of the set about a call.
func (s Set) Decide(state *carry.State, call Call) (o Outcome) {
	o.Each, _ = inTurn(len(s.Rules), call.Call, func(i int, c carry.Call) (carry.Decision, error) { // never fails
		call.Call = c
		return carry.Before(&s.Rules[i], state, call.For(&s.Rules[i])), nil
	})
	o.Decision = Together(o.Each)
	return o
}

// Bind records which agents received a value for the first time, and reports whether that is new.
func (s Set) Bind(state *carry.State, call Call, each []carry.Decision) (isNew bool) {
	for i := range each {
		isNew = state.Begin(&s.Rules[i], call.For(&s.Rules[i]), each[i]) || isNew
	}
	return isNew
}

// Record settles late results, decides about a call again and records it, all in one update of the vault. o
// is the outcome of Decide.
func (s Set) Record(v vault.Vault, call Call, o Outcome, late Late) (Outcome, error) {
	err := v.Update(s.Harness, s.Session, func(state *carry.State) bool {
		o.Current = s.settle(state, late)
		state.Overdue = late.Missing || state.Overdue && len(late.Results) == 0
		now := s.Decide(state, call)
		o.Decision, o.Each = now.Decision, now.Each
		if late.Missing && slices.ContainsFunc(o.Each, func(d carry.Decision) bool { return d.Action == carry.Injected }) {
			// The missing result may hold a newer value; an older one would rewind the server's session.
			for i := range o.Each {
				o.Each[i] = s.Rules[i].Waits(call.Call)
			}
			o.Decision, o.Each = Together(o.Each), nil
		}
		isNew := s.Bind(state, call, o.Each)
		if o.Changes() {
			call.Args = o.Change.Args
		}
		if o.Action != carry.Denied { // a denied call has no result
			for _, rule := range late.Noting {
				n := rule.Note(call.For(rule))
				n.Files, n.From = late.Files, slices.Clone(late.From)
				state.AddNote(n)
			}
		}
		return isNew || !late.Empty()
	})
	return o, err
}

// settle passes the results of awaited calls to the engine. It returns the last captured value for [vault.Current], "" for none.
func (s Set) settle(state *carry.State, late Late) (current string) {
	shown := map[string]bool{}
	var unseen []carry.Note
	for _, n := range late.Awaited {
		result, found := late.Results[NoteKey(n)]
		at := slices.IndexFunc(s.Rules, func(r carry.Rule) bool { return r.Server == n.Server })
		if !found || at < 0 { // the rule may be gone
			state.Missed(n)
			continue
		}
		d := carry.Settle(&s.Rules[at], state, n, nil, result)
		if d.Action == carry.Captured && s.Rules[at].Name == rules.Token {
			current = d.Value
		}
		if d.Unseen {
			unseen = append(unseen, n)
		} else {
			shown[NoteKey(n)] = true
		}
		state.Forget(n)
	}
	for _, n := range unseen {
		if !shown[NoteKey(n)] { // else the tool returns another rule's value
			carry.GiveUp(state, n, late.Results[NoteKey(n)])
		}
	}
	return current
}

// inTurn asks n times, each time with the arguments as changed so far. On an error it returns the decisions up to there.
func inTurn(n int, call carry.Call, ask func(i int, call carry.Call) (carry.Decision, error)) ([]carry.Decision, error) {
	each := make([]carry.Decision, n)
	for i := range each {
		d, err := ask(i, call)
		if err != nil {
			return each, err
		}
		if each[i] = d; d.Changes() {
			call.Args = d.Change.Args
		}
	}
	return each, nil
}

// Together combines decisions about one call or result. If all leave it as it is, the most relevant one gives the reason. If the
// call carries a value of one rule, a rule that never had a value says nothing to the model: the server is of another version.
func Together(each []carry.Decision) (all carry.Decision) {
	carries := slices.ContainsFunc(each, func(d carry.Decision) bool { return d.Carries })
	for i, d := range each {
		if carries && d.NeverHad {
			d.ModelNotice = ""
		}
		switch {
		case i == 0:
			all = d
		case d.Relevance() > all.Relevance():
			all = d.And(all)
		default:
			all = all.And(d)
		}
	}
	return all
}

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
var notOurs = carry.Decision{Action: carry.Left, Why: "the event names no server: the tool may be another server's"}

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
