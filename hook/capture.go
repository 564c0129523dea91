package hook

import (
	"errors"
	"path/filepath"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/ruleset"
)

// after takes the values out of a call's result, and answers: a rule may want the model to read an
// alias in a value's place.
func (r *run) after(ev harnesses.Event, shelves []ruleset.Set, call carry.Call) ([]byte, error) {
	ev.Result.Error = ev.Result.Error || ev.Kind == harnesses.Failed
	c := &capture{run: r, ev: ev, call: call, output: ev.Output}
	if r.can.Rewrite == nil {
		c.output = nil
	}
	each := make([]carry.Decision, len(shelves))
	for i, s := range shelves {
		var err error
		if each[i], err = c.shelf(s); err != nil {
			return nil, err
		}
	}
	r.note(ruleset.Together(each))
	if c.hidden {
		return r.can.Rewrite(c.output), nil
	}
	return nil, nil
}

// capture is one result that is looked at.
type capture struct {
	run    *run
	ev     harnesses.Event
	call   carry.Call
	output []byte // what the model will read
	hidden bool   // output is another than the harness's
}

// shelf captures what the rules of one shelf are for.
func (c *capture) shelf(s ruleset.Set) (d carry.Decision, err error) {
	var current string
	var begins bool
	output, hidden := c.output, c.hidden
	change := func(state *carry.State) (changed bool) {
		begins = state.Next == 0
		d, current, changed = c.take(s, state)
		return changed
	}
	if s.Session == "" {
		change(new(carry.State))
		c.output, c.hidden = output, hidden // nobody could say what an alias stands for
	} else if err := c.run.vault.Update(s.Harness, s.Session, change); err != nil {
		c.output, c.hidden = output, hidden
		return d, errors.Join(err, c.drop(s))
	}
	if begins && d.Value != "" && s.Session != "" { // then there is a folder
		JournalIn(filepath.Dir(c.run.vault.Dir)).Prune(c.run.start)
	}
	return d, c.run.keepCurrent(current)
}

// drop forgets what a shelf keeps, if this result, which could not be kept, made it older.
func (c *capture) drop(s ruleset.Set) error {
	return s.Drop(c.run.vault, func(state *carry.State) {
		output, hidden := c.output, c.hidden
		c.take(s, state)
		c.output, c.hidden = output, hidden
	})
}

// take asks every rule of a shelf. current is the value that has a second place, "" for none.
func (c *capture) take(s ruleset.Set, state *carry.State) (all carry.Decision, current string, changed bool) {
	each := make([]carry.Decision, len(s.Rules))
	calls := make([]carry.Call, len(s.Rules))
	others := make([]bool, len(s.Rules)) // the result may be another server's
	shown := false
	for i := range s.Rules {
		rule := &s.Rules[i]
		calls[i] = rule.Sent(state, c.run.caller(rule, c.call))
		call := calls[i]
		if c.run.anonymous(c.ev) && !rule.Likely(state, c.run.foreignTools(c.ev, s, state, call), call) {
			others[i] = true
			each[i] = carry.Decision{Action: carry.Left, Why: "the event names no server and may be another's"}
			continue
		}
		each[i] = carry.After(rule, state, call, c.ev.Result)
		shown = shown || each[i].Shown
		changed = true
		if each[i].Action == carry.Captured && c.run.isCurrent(rule) {
			current = each[i].Value
		}
	}
	for i := range s.Rules {
		if d := &each[i]; d.Unseen && !shown { // any of the rules' values may be hidden here
			c.unseen(state, d)
		}
		if !others[i] {
			c.hide(&s.Rules[i], state)
		}
	}
	return ruleset.Together(each), current, changed && len(state.Chains)+len(state.Notes)+len(state.Uses) > 0
}

// unseen is for a result that does not show the value it hands out: it may be in the transcript.
func (c *capture) unseen(state *carry.State, d *carry.Decision) {
	n := c.run.take(c.ev, d.Note)
	// With NoHookAfterFailure, events show whole results.
	if !c.run.can.NoHookAfterFailure && c.call.ID != "" && len(n.Files) > 0 {
		n.Answered, n.Failed = true, c.ev.Kind == harnesses.Failed || c.ev.Result.Error
		state.AddNote(n)
		*d = carry.Decision{Action: carry.Noted, Why: d.Why}
	} else if c.ev.Kind == harnesses.After {
		carry.GiveUp(state, n, c.ev.Result)
	}
}

// hide puts aliases into what the model will read.
func (c *capture) hide(rule *carry.Rule, state *carry.State) {
	if c.output == nil {
		return
	}
	if hidden := carry.Hide(rule, state, c.output); hidden != nil {
		c.output, c.hidden = hidden, true
	}
}
