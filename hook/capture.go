package hook

import (
	"errors"
	"path/filepath"

	"wsi/harnesses"
	"wsi/hook/carry"
)

// capture takes the value out of a call's result, or notes the call where the harness shows the
// result only in its transcript.
func (r *run) capture(ev harnesses.Event, rule *carry.Rule, call carry.Call) error {
	var d carry.Decision
	_, forgetful := r.dialect.(harnesses.Forgetful) // its events show whole results
	var begins bool
	change := func(s *carry.State) bool {
		begins = s.Next == 0
		if r.anonymous(ev) && !rule.Likely(s, call) {
			d = carry.Decision{Did: carry.Left, Why: "the event names no server and may be another's"}
			return false
		}
		d = carry.After(rule, s, call, ev.Result)
		if d.Unseen {
			n := r.take(ev, rule.Note(call))
			if !forgetful && call.ID != "" && len(n.Files) > 0 {
				n.Answered = true
				s.AddNote(n)
				d = carry.Decision{Did: carry.Noted, Why: d.Why}
			} else if ev.Kind == harnesses.After {
				carry.GiveUp(s, n, ev.Result)
			}
		}
		return len(s.Chains)+len(s.Notes) > 0
	}
	if ev.Session == "" {
		change(new(carry.State))
	} else if err := r.vault.Update(r.opt.Harness, ev.Session, change); err != nil {
		// What is kept may be older than what the server now expects: rather nothing than that.
		return errors.Join(err, r.vault.Drop(r.opt.Harness, ev.Session))
	}
	if begins && d.Value != "" && ev.Session != "" { // then there is a folder
		JournalIn(filepath.Dir(r.vault.Dir)).Prune(r.start)
	}
	r.note(d)
	return r.keepCurrent(d.Value)
}

// keepCurrent puts a captured value into its second place.
func (r *run) keepCurrent(value string) error {
	if value == "" || r.current == nil {
		return nil
	}
	return r.current.Save(value)
}
