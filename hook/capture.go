package hook

import (
	"path/filepath"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/journal"
	"wsi/hook/ruleset"
)

// after captures the values of a call's result. It answers if a rule wants the model to read members of the result's _meta.
func (r *run) after(ev harnesses.Event, sets []ruleset.Set, call ruleset.Call) ([]byte, error) {
	ev.Result.Error = ev.Result.Error || ev.Kind == harnesses.Failed
	if err := r.remember(ev); err != nil {
		return nil, err
	}
	told := ""
	each := make([]carry.Decision, len(sets))
	for i, s := range sets {
		c, err := r.capture(ev, s, call)
		if err != nil {
			return nil, err
		}
		each[i], told = c.Decision, told+c.Told
		switch { // what one rule injects, another one may replace
		case c.Sent:
			r.entry.Sent = journal.With
		case c.Unsent && r.entry.Sent == "":
			r.entry.Sent = journal.Without
		}
	}
	if r.can.Add == nil {
		told = ""
	}
	d, err := r.collections(ev, r.entry.Server, call.Tool).Keep(call.Call, ev.Result, ruleset.Together(each), told)
	if r.note(d); err != nil {
		return nil, err
	}
	if told != "" {
		return r.can.Add(ev.Kind, ruleset.Notice(r.entry.Server, told)), nil
	}
	return nil, nil
}

func (r *run) capture(ev harnesses.Event, s ruleset.Set, call ruleset.Call) (c ruleset.Captured, err error) {
	port := resultPort{r, ev, call}
	if s.Session == "" {
		c = s.After(new(carry.State), ev.Result, port)
	} else if c, err = s.Capture(r.vault, ev.Result, port); err != nil {
		return c, err
	} else if c.Begins {
		journal.In(filepath.Dir(r.vault.Dir)).Prune(r.start)
	}
	return c, r.keepCurrent(c.Current)
}

// resultPort is what the hook knows about a result; it is a [ruleset.Port].
type resultPort struct {
	run  *run
	ev   harnesses.Event
	call ruleset.Call
}

// Sent implements [ruleset.Port].
func (p resultPort) Sent(s ruleset.Set, rule *carry.Rule, state *carry.State) (call carry.Call, ok bool) {
	call = rule.Sent(state, p.call.For(rule))
	return call, !p.run.anonymous(p.ev) || rule.Likely(state, p.run.foreignTools(p.ev, s, state, call.Tool), call)
}

// Unseen notes the call if its result may appear in a transcript.
func (p resultPort) Unseen(state *carry.State, result carry.Result, d *carry.Decision) {
	n := d.Note
	n.Files, n.From = p.run.transcripts(p.ev)
	if p.run.hidesMeta() && p.call.ID != "" && len(n.Files) > 0 {
		n.Answered, n.Failed = true, result.Error
		state.AddNote(n)
		*d = carry.Decision{Action: carry.Noted, Why: d.Why}
	} else if p.ev.Kind == harnesses.After {
		carry.GiveUp(state, n, result)
	}
}

// Keep implements [ruleset.Port].
func (resultPort) Keep(c ruleset.Captured) bool { return len(c.Rules) > 0 }
