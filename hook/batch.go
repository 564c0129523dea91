package hook

import (
	"cmp"
	"errors"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/ruleset"
	"wsi/internal/lists"
)

// batch reads what the results of a batch of calls have in _meta, for a harness that writes it only to a transcript: the hook
// after each call runs too early for that. It keeps what a rule collects, and answers with what the model gets to read.
func (r *run) batch(ev harnesses.Event) ([]byte, error) {
	var calls []metaCall
	var notes []carry.Note
	for _, call := range ev.Calls {
		call.Kind, call.Session, call.Agent, call.File = ev.Kind, ev.Session, ev.Agent, ev.File
		c, ok := r.withMeta(call)
		if !ok {
			continue
		}
		n := carry.Note{Agent: ev.Agent, ID: call.ID, Answered: true, Files: r.can.Transcripts(ev)}
		if ev.Agent != "" && n.Files != nil { // after the first batch of an agent, its transcript may be still to come, if the session has one
			n.Files = append(n.Files, ev.File)
		}
		n.From = lists.Map(n.Files, func(path string) int64 { return begin(path, behind+echoes*int64(len(r.event))) })
		calls, notes = append(calls, c), append(notes, n)
	}
	if len(calls) == 0 {
		return nil, nil
	}
	r.entry.Server, r.entry.Tool, r.entry.Agent = calls[0].server, calls[0].call.Tool, ev.Agent != ""
	results, missing := r.await(notes)
	var all carry.Decision
	var texts string
	var errs []error
	for i, c := range calls {
		result, found := results[ruleset.NoteKey(notes[i])]
		if !found {
			continue
		}
		result.Room = maxBatch - len(texts)
		d, told, err := r.meta(c, result)
		why := cmp.Or(all.Why, d.Why)
		all, errs, texts = all.And(d), append(errs, err), texts+told
		all.Why = cmp.Or(all.Why, why)
	}
	if missing && all.Action != carry.Kept && all.Action != carry.Told {
		all = carry.Decision{Action: carry.Left, Why: "the transcript does not show the result"}
	}
	if all.Action != "" {
		r.note(all)
	}
	if texts == "" {
		return nil, errors.Join(errs...)
	}
	return r.can.Add(ev.Kind, texts, nil), errors.Join(errs...)
}

// echoes is how often a transcript may have a result before the line is complete that has its _meta.
const echoes = 4

// maxBatch bounds the text of a batch in bytes: Claude Code shows 9,000 characters whole, and of 12,000 the first 2 kB (2.1.330).
const maxBatch = 9000

// metaCall is a call with rules that show or collect members of its result's _meta.
type metaCall struct {
	ev     harnesses.Event
	server string
	call   ruleset.Call
}

// withMeta returns a call of a batch; ok is false if no rule shows or collects members of its result's _meta.
func (r *run) withMeta(ev harnesses.Event) (c metaCall, ok bool) {
	server, tool, ok := r.wired(ev)
	if !ok || ev.ID == "" || ev.Session == "" || r.set().Leaves(ev.Name, server, tool) {
		return c, false
	}
	for _, rule := range r.set().For(server) {
		if rule.Shows(tool) || rule.Collects(tool) {
			return metaCall{ev, server, r.callOf(ev, tool)}, true
		}
	}
	return c, false
}

// meta applies the rules that show and collect to the result of a call which has been settled without its _meta.
func (r *run) meta(c metaCall, result carry.Result) (d carry.Decision, text string, err error) {
	var told string
	var errs []error
	noRoom := false
	room := max(0, result.Room-len(ruleset.Notice(c.server, "\n"))-1)
	for _, s := range r.sets(c.ev, c.server, c.call.Tool) {
		if result.Room = room - len(told); result.Room <= 0 {
			result.Room = -1
		}
		more, withheld, err := s.Tell(r.vault, result, c.call)
		told, noRoom, errs = told+more, noRoom || withheld, append(errs, err)
	}
	d, err = r.collections(c.ev, c.server, c.call.Tool).Keep(c.call.Call, result, carry.Decision{}, told)
	if noRoom {
		d.Action, d.Why = cmp.Or(d.Action, carry.Left), "the text of a batch has no room for more of _meta"
	}
	if text = ruleset.Notice(c.server, told); text != "" {
		text += "\n"
	}
	return d, text, errors.Join(append(errs, err)...)
}
