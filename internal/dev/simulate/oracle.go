package main

import (
	"maps"
	"slices"
)

// The oracle is what a perfect model would carry, from docs/decisions/0005 in words and the facts of
// the server; it shares no code with the engine and sees none of its files. It follows every value
// that the server hands out, and whose history it is in.

// thread is a run of values of one harness session, each the answer to a call that carried the one
// before.
type thread struct {
	number int
	values map[string]bool // that were handed out in it
	heads  map[string]bool // of these the ones to go on from; several only where they are equal in all but the time
	by     *agent          // who made the call that they answer
	since  []string        // the values that were carried since the session last changed
	aside  string          // it began with the late answer to this older value of another one
	killed bool            // a hook was killed: what is kept of it may be an older value

	adopted *thread // start_session was given a value of that one
	twice   bool    // the same bytes were handed out twice, in one second
	split   bool    // one of two equal heads was gone on from
}

// changes are the tools after which the server's state is another one (its main branch of 2026-05-13).
var changes = map[string]bool{"next_activity": true, "yield_checkpoint": true, "respond_checkpoint": true}

// advance makes t, the answer to a call that carried asked, the newest of the thread. It is false for
// the late answer to an older value, and for that of two which changed nothing, or not first. shown is
// false if a value that stands in _meta alone is nowhere for wsi to see.
func (x *thread) advance(asked, t, tool string, shown bool) bool {
	switch {
	case x.heads[asked] && tool == "resume_checkpoint" && !shown: // one may go on from it, but it decides nothing
		x.heads[t] = true
	case x.heads[asked]:
		x.split = x.split || len(x.heads) > 1
		if tool != "resume_checkpoint" { // which shows its value in _meta alone, and changes nothing but the count
			delete(x.heads, asked)
		}
		if x.since = append(x.since, asked); changes[tool] {
			clear(x.heads)
			x.since = nil
		}
		x.heads[t] = true
	case x.heads[t]:
	case changes[tool] && slices.Contains(x.since, asked): // of the answers since the last change that one counts which changed something
		x.heads, x.since = map[string]bool{t: true}, nil
	case slices.Contains(x.since, asked):
		x.heads[t] = true
	default:
		return false
	}
	return true
}

// right is what may stand in a call that its agent made without a value.
type right struct {
	values map[string]bool
	must   bool // one of them has to
	on     *thread
	killed bool   // a hook was killed that should have seen one
	from   string // one that was passed over, and that the agent carried last: what goes on from it is right as well
	how    string // the agent came to them
}

// entitled is an agent's right: its last call's thread, or the main agent's if it has made none.
func (a *agent) entitled() right {
	x := right{values: map[string]bool{}, killed: a.killed, how: a.how}
	switch {
	case a.torn:
		x.how = "it opened a session for somebody else, and has not said since which it means"
		x.killed = x.killed || a.on != nil && a.on.killed // then wsi does not know that there are two
		return x
	case a.on == nil && a.id != "" && !a.used:
		x = a.session.main.entitled()
		x.how = "it has made no call, so the main agent's: " + x.how
		x.killed, x.must = x.killed || a.killed, x.must && !a.doubt
		if a.started != nil && a.started != x.on { // its first call is on its way still
			x.must = false
			for v := range a.started.heads {
				x.values[v] = true
			}
		}
		return x
	case a.on == nil:
		return x
	}
	x.must, x.on = !a.doubt && !a.unsure, a.on
	for _, t := range []*thread{a.on, a.side} {
		if t == nil {
			continue
		}
		x.killed = x.killed || t.killed
		if t == a.side || t.aside != "" {
			x.from = a.carried
		}
		for v := range t.heads {
			x.values[v] = true
		}
	}
	return x
}

// follows tells whether a value is the last of those that go on, call by call, from another one.
func (s *session) follows(value, from string) bool {
	if from == "" || s.spent[value] {
		return false
	}
	for range s.answers { // it ends, also where two calls of one second were answered with the same bytes
		if value = s.answers[value]; value == from {
			return true
		}
	}
	return false
}

// moves says that the agent's last call opened or carried a thread.
func (a *agent) moves(x *thread, how string) {
	a.on, a.side, a.torn, a.used, a.unsure, a.how = x, nil, false, true, false, how
}

// goesOn tells whether there is a thread that the agent would go on with.
func (a *agent) goesOn() bool {
	return a.on != nil || a.torn || a.id != "" && !a.used && a.session.main.goesOn()
}

// settle follows a call that was answered: with t, "" for none. seen is false if no hook saw it.
func (a *agent) settle(c *call, t string, failed, seen bool) {
	s := a.session
	a.astray = a.killed
	a.killed = !seen || a.killed && (t == "" || c.byHandle)
	if t == "" && !seen && c.carried != "" {
		a.killed = true // wsi does not know of the call
	}
	defer a.remember(c, t)
	if c.tool == "start_session" {
		if t != "" {
			a.opened(c, t, seen)
		}
		return
	}
	x := a.threadOf(c.carried)
	if t != "" && x == nil {
		x = s.of[t] // in the same second somebody else got the same from the same value
	}
	switch {
	case c.carried == "", t == "" && !seen:
	case t == "" && x == nil:
		a.unknown(c, failed)
	case t == "" && !c.byHandle && x != nil:
		if a.on != x || a.torn || !x.heads[c.carried] { // wsi may leave the next call alone, but not take it for another thread's
			a.moves(x, "its last call, which "+ended(failed)+", carried it")
			a.knowing(c)
			a.unsure = true
		}
		if c.back { // its own way from there, or the thread's newest
			a.side = &thread{heads: map[string]bool{c.carried: true}}
			a.unsure = true
		}
	case t == "":
	case x == nil:
		a.starts(c, t, seen)
	default:
		a.continued(c, x, t, seen)
	}
}

func (a *agent) remember(c *call, t string) {
	x := a.threadOf(c.carried)
	if t != "" && c.carried != "" {
		a.session.answers[t] = c.carried
		if c.tool != "resume_checkpoint" {
			a.session.spent[c.carried] = true
		}
	}
	if c.carried != "" && !c.byHandle && c.tool != "start_session" {
		a.carried = c.carried
	}
	if a.lastTool = c.tool; t != "" {
		a.got = t
	}
	if a.handled = nil; c.byHandle {
		a.handled = a.session.of[t]
	}
	switch c.tool {
	case "start_session":
	case "resume_checkpoint":
		a.readLate = x
	default:
		a.readLate = nil
	}
}

func ended(failed bool) string {
	if failed {
		return "failed"
	}
	return "handed out no value"
}

// unknown: the call carried what no hook of the session knows. Which thread its agent means from then on
// nobody can say; a good value of elsewhere is none of its own, whether the server took it or not.
func (a *agent) unknown(c *call, failed bool) {
	if c.byHandle {
		return
	}
	switch good := a.session.w.values[c.carried] > 0; {
	case good && failed:
		a.moves(nil, "its last call, which failed, carried one of another session")
		a.knowing(c)
		return
	case good: // it works with what no hook has seen
		a.moves(a.session.thread("", "", false), "its last call, which handed out no value, carried one of another session")
		a.knowing(c)
		a.unsure = true
		return
	}
	a.doubt, a.vain = true, c.batch
}

// knowing: a call says with what its agent works, if none that was made at the same time says nothing.
func (a *agent) knowing(c *call) {
	if a.vain != c.batch {
		a.doubt = false
	}
}

// opened: start_session begins a thread, its caller's unless it is somebody else's.
func (a *agent) opened(c *call, t string, seen bool) {
	x := a.session.thread(t, "", true)
	x.killed, x.adopted = !seen, a.session.of[c.carried]
	if used := a.used || a.doubt || a.id != "" && a.session.main.used; (c.child || c.replaced) && a.goesOn() {
		a.torn = true
	} else {
		a.moves(x, "it opened it")
		a.knowing(c)
		a.unsure = (c.child || c.replaced) && used // it had carried one of another session
	}
	a.killed = a.killed || !seen
}

// starts: a value that no hook of this session knows was good.
func (a *agent) starts(c *call, t string, seen bool) {
	x := a.session.thread(t, c.carried, !changes[c.tool])
	x.killed = !seen
	a.killed = a.killed || !seen
	if used := a.used; !c.byHandle || a.on == nil && !a.goesOn() {
		a.moves(x, "its last call carried one of another session")
		a.knowing(c)
		a.unsure = used && c.byHandle || c.tool == "resume_checkpoint" && !a.transcribed() // then the value is nowhere to be seen
	}
}

// threadOf returns the thread of a value that the agent carries. Where the server has handed out the same
// bytes twice, in one second, its own is meant.
func (a *agent) threadOf(value string) *thread {
	own := []*thread{a.side, a.on}
	if a.on == nil && a.id != "" && !a.used {
		own = []*thread{a.session.main.side, a.session.main.on}
	}
	for _, x := range own {
		if x != nil && x.values[value] && x.heads[value] {
			return x
		}
	}
	return a.session.of[value]
}

// transcribed tells whether the _meta of what the agent is answered with is in a transcript.
func (a *agent) transcribed() bool {
	return a.session.transcript != "" && !(a.session.blind && a.id != "")
}

// continued: the result goes on from the thread whose value the call carried, whoever made it. A
// checkpoint_handle is typed for somebody else.
func (a *agent) continued(c *call, x *thread, t string, seen bool) {
	s := a.session
	by, was, before := x.by, a.on == x, a.side
	heads := maps.Clone(x.heads)
	late := !x.advance(c.carried, t, c.tool, a.transcribed())
	if !late {
		x.by = a
	}
	again := s.of[t] != nil
	x.values[t] = true
	if o := s.of[t]; again {
		x.twice, o.twice = true, true
	} else {
		s.of[t] = x
	}
	x.killed = x.killed || !seen
	if c.byHandle {
		return
	}
	if a.on != x || a.torn || late || a.side != nil {
		a.moves(x, "its last call carried it")
	}
	a.unsure = false
	a.knowing(c)
	if !late && c.back && changes[c.tool] { // it went back on purpose: the thread as it was may be meant as well
		a.side = &thread{number: x.number, heads: heads}
	}
	if late && (c.back || changes[c.tool] || by != a) {
		// It went back on purpose, or the thread was driven by two at once: its own answer, which is
		// all that it has seen, or the thread's newest is meant.
		if was && before != nil && before.aside == c.carried { // a second answer to it
			before.heads[t], before.values[t], a.side = true, true, before
		} else {
			a.side = s.thread(t, c.carried, !changes[c.tool])
			a.side.aside, a.side.killed = c.carried, x.killed // wsi may not know that x has gone on
		}
		a.side.values[t] = true
		a.side.twice = a.side.twice || again
		s.of[t], a.side.by, a.side.killed = a.side, a, a.side.killed || !seen || a.astray
	}
	if !heads[c.carried] || x.aside != "" { // it goes on from what was passed over, and what it got is nowhere to be seen
		a.unsure = a.unsure || c.tool == "resume_checkpoint" && !a.transcribed()
	}
}

// thread begins one with its first value, "" if that is nowhere to be seen.
func (s *session) thread(first, asked string, minor bool) *thread {
	s.threads++
	x := &thread{number: s.threads, values: map[string]bool{}, heads: map[string]bool{}}
	if minor {
		x.since = []string{asked}
	}
	if first != "" {
		x.values[first], x.heads[first], s.of[first] = true, true, x
	}
	return x
}
