package relay

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"wsi/hook/carry"
	"wsi/hook/journal"
	"wsi/hook/rules"
	"wsi/hook/ruleset"
	"wsi/hook/vault"
)

// engine asks package carry about calls and results, keeps what is to be kept and tells the journal. Its
// methods may be called by several goroutines at once.
type engine struct {
	server, as       string // as in Options
	harness          string
	vault            vault.Vault
	clerk            *journalWriter
	ruleFile, cached string
	tools            toolbox
	loaded           loaded
}

// toolCall is a call as the engine needs it.
type toolCall struct {
	owner caller
	id    string
	tool  string
	args  []byte // as they were sent, once they were
	alone bool   // it has waited too long for the one before it: nothing is put into it
}

func (c toolCall) carried() carry.Call {
	return carry.Call{Agent: c.owner.agent, ID: c.id, Tool: c.tool, Args: c.args, Early: c.alone}
}

func (e *engine) shelves(r inForce, o caller) []ruleset.Set {
	return ruleset.Of(r.own, r.set.Single, e.harness, o.session, e.server)
}

// before decides what becomes of a call. stores reports whether any value of its rules is kept.
func (e *engine) before(r inForce, c toolCall) (d carry.Decision, stores bool, err error) {
	defer func() { d, err = survived(recover(), d, err) }()
	shelves := e.shelves(r, c.owner)
	call := c.carried()
	call.Lacks = e.tools.lacks(c.tool)
	each := make([]carry.Decision, len(shelves))
	err = ruleset.InTurn(len(shelves), func(i int) (carry.Decision, error) {
		d, known, err := e.inject(shelves[i], c.owner, call)
		if d.Changes() {
			call.Args = d.Change.Args
		}
		stores = stores || known
		each[i] = d
		return d, err
	})
	if err != nil {
		return carry.Decision{}, stores, err
	}
	return ruleset.Together(each), stores, nil
}

// inject decides by the rules of one shelf.
func (e *engine) inject(s ruleset.Set, o caller, call carry.Call) (d carry.Decision, known bool, err error) {
	key := vault.SessionKey(e.harness, o.session)
	call.Others = s.Others(e.vault)
	state, err := e.vault.Load(s.Harness, s.Session)
	if err != nil {
		return d, false, err
	}
	decide := func(state *carry.State) (carry.Decision, []carry.Decision) {
		if !o.agents {
			s.Doubt(state)
		}
		return s.Decide(state, key, call)
	}
	d, each := decide(&state)
	known = slices.ContainsFunc(s.Rules, func(r carry.Rule) bool { return state.Knows(r.Server) })
	if !o.agents || !s.Bind(&state, key, call, each) {
		return d, known, nil
	}
	err = e.vault.Update(s.Harness, s.Session, func(state *carry.State) bool {
		d, each = decide(state)
		return s.Bind(state, key, call, each)
	})
	return d, known, err
}

// after keeps the values of a call's result and takes them out of it, as far as the harness need not see
// them. What could not be kept stays in it. keep is the value that has a second place, "" for none.
func (e *engine) after(rules inForce, c toolCall, v *view) (all carry.Decision, keep string, err error) {
	whole := *v
	defer func() {
		p := recover()
		if p != nil {
			*v = whole
		}
		all, err = survived(p, all, err)
	}()
	r := v.result()
	var each []carry.Decision
	var errs []error
	for _, s := range e.shelves(rules, c.owner) {
		d, current, err := e.capture(s, c, r, v)
		each, errs = append(each, d), append(errs, err)
		if current != "" {
			keep = current
		}
	}
	return ruleset.Together(each), keep, errors.Join(errs...)
}

// capture is after by the rules of one shelf.
func (e *engine) capture(s ruleset.Set, c toolCall, r carry.Result, v *view) (d carry.Decision, current string, err error) {
	old := v.copied()
	var begins bool
	change := func(state *carry.State) (changed bool) {
		begins = state.Next == 0
		var matters bool
		d, current, matters = e.take(s, state, c, r, v)
		return matters && len(state.Chains)+len(state.Notes)+len(state.Uses) > 0
	}
	if err := e.vault.Update(s.Harness, s.Session, change); err != nil {
		err = errors.Join(err, s.Drop(e.vault, func(state *carry.State) { change(state) }))
		*v = old
		return d, "", err
	}
	if begins && d.Value != "" && e.clerk.file.Path != "" {
		e.clerk.file.Prune(time.Now())
	}
	return d, current, nil
}

// take asks every rule of a shelf about a result. current is the value that has a second place. What does
// not matter need not be kept: the call carried nothing and its result has nothing.
func (e *engine) take(s ruleset.Set, state *carry.State, c toolCall, r carry.Result, v *view) (all carry.Decision, current string, matters bool) {
	key := vault.SessionKey(e.harness, c.owner.session)
	each := make([]carry.Decision, len(s.Rules))
	shown := false
	for i := range s.Rules {
		rule := &s.Rules[i]
		each[i] = carry.After(rule, state, ruleset.Caller(rule, key, c.carried()), r)
		shown = shown || each[i].Shown
		n := rule.Note(ruleset.Caller(rule, key, c.carried()))
		matters = matters || each[i].Shown || n.Opens || n.Asked != ""
		if each[i].Action == carry.Captured && rule.Name == rules.Token {
			current = each[i].Value
		}
	}
	for i := range s.Rules {
		rule := &s.Rules[i]
		if each[i].Unseen && !shown {
			carry.GiveUp(state, each[i].Note, r)
		}
		if rule.Secret {
			v.strip(rule)
		}
		if rule.Alias {
			v.hide(rule, state)
		}
	}
	return ruleset.Together(each), current, matters
}

// note writes one line of the journal about a call. keep is the value that has a second place, "" for none.
func (e *engine) note(verb string, c toolCall, d carry.Decision, keep string, err error, start time.Time, took time.Duration) {
	entry := journal.Entry{
		Time: start.UTC(), Verb: verb, Who: "relay", Harness: e.harness, Agent: c.owner.agent != "", Server: e.server, Tool: c.tool,
		Did: cmp.Or(string(d.Action), "nothing"), Why: d.Why, Places: d.Places, Micros: took.Microseconds(),
	}
	if c.owner.known() {
		entry.Session = vault.SessionKey(e.harness, c.owner.session)[:8]
	}
	if err != nil {
		entry.Did, entry.Why = "error", err.Error()
	}
	e.clerk.note(record{entry, keep})
}

// survived makes an error of a panic: whatever goes wrong here, the messages go on as they were. The panic's
// own words may quote a message.
func survived(p any, d carry.Decision, err error) (carry.Decision, error) {
	if p != nil {
		return carry.Decision{}, fmt.Errorf("panic: %T", p)
	}
	return d, err
}
