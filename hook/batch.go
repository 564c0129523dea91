package hook

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/ruleset"
	"wsi/hook/vault"
	"wsi/internal/lists"
)

// hidesMeta reports whether the harness writes results' _meta only to a transcript. With NoHookAfterFailure, events show whole results.
func (r *run) hidesMeta() bool { return r.can.Transcripts != nil && !r.can.NoHookAfterFailure }

// remember notes a call for batch, and for a call that takes a collection. The hook of the call's batch runs later, or never: the user
// may interrupt the batch.
func (r *run) remember(ev harnesses.Event) error {
	if !r.hidesMeta() {
		return nil
	}
	calls := r.metaCalls(ev, r.begun(ev, ev))
	if len(calls) == 0 {
		return nil
	}
	return r.vault.Update(r.opt.Harness, ev.Session, func(s *carry.State) bool { return s.Defer(calls[0].Pending) })
}

// batch deals with what results have in _meta, for a harness that writes it only to a transcript, often after the hooks of the
// call and of its batch have run. It keeps what a rule collects, and answers with what the model gets to read. It looks once
// for the results that earlier hooks of the agent remembered or did not find. What is still missing is remembered for the next
// hook; only the one at the end of the agent's turn waits for it.
func (r *run) batch(ev harnesses.Event) ([]byte, error) {
	if ev.Session == "" || ev.Goes { // what it shows now would make the agent go on again
		return nil, nil
	}
	state, err := r.vault.Load(r.opt.Harness, ev.Session)
	all := lists.Filter(state.Pending, func(p carry.Pending) bool { return p.Agent == ev.Agent })
	for _, p := range r.begun(ev, ev.Calls...) {
		if !slices.ContainsFunc(all, p.SameCall) { // its hook was killed, or is not there
			all = append(all, p)
		}
	}
	calls := r.metaCalls(ev, all)
	if len(calls) == 0 {
		return nil, nil // an error does not matter
	}
	ends := ev.Kind != harnesses.Batch
	missing := false
	if ends {
		missing = r.lookFor(calls, r.longest(state.Overdue))
	} else {
		r.lookFor(calls, 0)
	}
	about, d, texts, wrong := r.tell(calls)
	err = errors.Join(err, wrong, r.vault.Update(r.opt.Harness, ev.Session, func(s *carry.State) (changed bool) {
		if ends {
			changed, s.Overdue = s.Overdue != missing, missing
		}
		for _, c := range calls {
			switch {
			case c.found:
				changed = s.Undefer(c.Pending) || changed
				continue
			case !s.Defer(c.Pending) && d.Action == "":
				d = carry.Decision{Action: carry.Left, Why: "the transcript does not show the result"}
			}
			changed = true
		}
		return changed
	}))
	if d.Action != "" || r.waited > 0 {
		r.entry.Server, r.entry.Tool, r.entry.Agent = about.server, about.call.Tool, ev.Agent != ""
		r.entry.Call = vault.SessionKey(about.call.Session, about.ID)[:8]
		d.Action = cmp.Or(d.Action, carry.Noted)
		r.note(d)
	}
	if texts == "" {
		return nil, err
	}
	return r.can.Add(ev.Kind, texts), err
}

// echoes is how often a transcript may have a result before the line is complete that has its _meta.
const echoes = 4

// begun returns calls of an event, to be looked for in their agent's transcript. After the first batch of a sub-agent, that may
// not be there yet; whether the session has any shows in the main agent's.
func (r *run) begun(ev harnesses.Event, calls ...harnesses.Event) []carry.Pending {
	if len(calls) == 0 || r.can.Transcripts == nil {
		return nil
	}
	files := r.can.Transcripts(ev)
	if len(files) == 0 {
		return nil
	}
	if ev.Agent != "" {
		files = append(files, ev.File)
	}
	return lists.Map(calls, func(call harnesses.Event) carry.Pending {
		return carry.Pending{Session: ev.Session, Agent: ev.Agent, ID: call.ID, Name: call.Name, Args: string(call.Args), Files: files}
	})
}

// maxBatch bounds the text of a batch in bytes: Claude Code shows 9,000 characters whole, and of 12,000 the first 2 kB (2.1.330).
const maxBatch = 9000

// metaCall is a call with rules that show or collect members of its result's _meta.
type metaCall struct {
	carry.Pending
	ev     harnesses.Event
	server string
	call   ruleset.Call

	result carry.Result
	found  bool
}

// metaCalls returns the calls with rules that show or collect members of their results' _meta.
func (r *run) metaCalls(ev harnesses.Event, all []carry.Pending) (calls []metaCall) {
	var from []int64 // of calls that were not looked for yet, all in the same files
	for _, p := range all {
		call := harnesses.Event{Kind: ev.Kind, Session: p.Session, Agent: p.Agent, File: ev.File, ID: p.ID, Name: p.Name}
		if p.Args != "" {
			call.Args = []byte(p.Args)
		}
		server, tool, ok := r.wired(call)
		if !ok || p.ID == "" || r.set().Leaves(p.Name, server, tool) {
			continue
		}
		for _, rule := range r.set().For(server) {
			if len(rule.Show) > 0 || rule.Collects(tool) {
				if p.From == nil {
					if from == nil {
						from = lists.Map(p.Files, func(path string) int64 { return begin(path, behind+echoes*int64(r.size)) })
					}
					p.From = slices.Clone(from)
				}
				calls = append(calls, metaCall{Pending: p, ev: call, server: server, call: r.callOf(call, tool)})
				break
			}
		}
	}
	return calls
}

// lookFor looks for the results of calls, and waits for those that can still come. missing reports whether one did not.
func (r *run) lookFor(calls []metaCall, most time.Duration) (missing bool) {
	r.poll(most, func(late bool) bool {
		missing = false
		for i := range calls {
			if c := &calls[i]; !c.found {
				var exists bool
				c.result, c.found, exists = r.lookUp(c.ID, c.Files, c.From)
				missing = missing || exists && !c.found
			}
		}
		return missing && !late
	})
	return missing
}

// tell applies the rules that show and collect to the results of calls. The journal has one row for all of them, about the
// first call that there is something to say of.
func (r *run) tell(calls []metaCall) (about metaCall, all carry.Decision, texts string, err error) {
	about = calls[0]
	for _, c := range calls {
		if !c.found {
			continue
		}
		c.result.Room = maxBatch - len(texts)
		d, told, wrong := r.meta(c)
		if all.Action == "" && d.Action != "" {
			about = c
		}
		why := cmp.Or(all.Why, d.Why)
		all, texts, err = all.And(d), texts+told, errors.Join(err, wrong)
		all.Why = cmp.Or(all.Why, why)
	}
	return about, all, texts, err
}

// meta applies the rules that show and collect to the result of a call which has been settled without its _meta.
func (r *run) meta(c metaCall) (d carry.Decision, text string, err error) {
	var told string
	var errs []error
	noRoom := false
	room := max(0, c.result.Room-len(ruleset.Notice(c.server, "\n"))-1)
	for _, s := range r.sets(c.ev, c.server, c.call.Tool) {
		if c.result.Room = room - len(told); c.result.Room <= 0 {
			c.result.Room = -1
		}
		more, withheld, err := s.Tell(r.vault, c.result, c.call)
		told, noRoom, errs = told+more, noRoom || withheld, append(errs, err)
	}
	collections := r.collections(c.ev, c.server, c.call.Tool)
	collections.Settled = true
	if c.Kept {
		collections.Rules = nil
	}
	d, err = collections.Keep(c.call.Call, c.result, carry.Decision{}, told)
	if noRoom {
		d.Action, d.Why = cmp.Or(d.Action, carry.Left), "no room is left to show more of _meta"
	}
	if text = ruleset.Notice(c.server, told); text != "" {
		text += "\n"
	}
	return d, text, errors.Join(append(errs, err)...)
}

// gather puts the collections that a call takes into it.
func (r *run) gather(ev harnesses.Event, call ruleset.Call, o *ruleset.Outcome) error {
	collections := r.collections(ev, r.entry.Server, call.Tool)
	if !collections.Gathers(call.Tool) || o.Action == carry.Denied {
		return nil
	}
	missing, err := r.complete(ev)
	err = errors.Join(err, collections.Gather(call.Call, o))
	if missing {
		o.Why = cmp.Or(o.Why, "the transcript does not show all results, so values may be missing")
	}
	return err
}

// complete adds to the collections what earlier results have for them and no hook has seen yet. It waits for those of the session; the
// others are of sessions that ended before their next hook.
func (r *run) complete(ev harnesses.Event) (missing bool, err error) {
	if r.can.Transcripts == nil {
		return false, nil
	}
	state, err := r.vault.Load(r.opt.Harness, ev.Session)
	if err != nil {
		return false, err
	}
	unkept := func(all []carry.Pending) []metaCall {
		return lists.Filter(r.metaCalls(ev, all), func(c metaCall) bool { return !c.Kept && c.server == r.entry.Server })
	}
	calls := unkept(state.Pending)
	missing = r.lookFor(calls, r.longest(state.Overdue))
	for _, other := range r.vault.Others(r.opt.Harness, ev.Session, vault.MaxOthers) {
		more := unkept(other.Pending)
		r.lookFor(more, 0)
		calls = append(calls, more...)
	}
	var errs []error
	for _, c := range calls {
		if !c.found && !(missing && c.Session == ev.Session) {
			continue
		}
		if c.found {
			_, err := r.collections(c.ev, c.server, c.call.Tool).Keep(c.call.Call, c.result, carry.Decision{}, "")
			errs = append(errs, err)
		}
		errs = append(errs, r.vault.Update(r.opt.Harness, c.Session, func(s *carry.State) bool {
			s.Overdue = s.Overdue || !c.found
			return !c.found || s.Keep(c.Pending)
		}))
	}
	return missing, errors.Join(errs...)
}
