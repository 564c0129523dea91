package main

import (
	"maps"
	"math"
)

// The oracle computes what a perfect model would send, from docs/decisions/0005 and the facts of the server. It shares no code
// with the engine. It tracks every value that the server issues, and the agents that have seen it.

// right is the set of values that a call without a value may get.
type right struct {
	values map[string]bool
	must   bool // the call must get one of them
	on     *thread
	killed bool   // a hook was killed that should have seen a value
	from   string // a superseded value that the agent sent last; values that continue it are right as well
	how    string // why the agent has them
}

// entitled returns the agent's right: the thread of its last call, or the main agent's if it has made no call.
func (a *agent) entitled() right {
	x := right{values: map[string]bool{}, killed: a.killed, how: a.how}
	switch {
	case a.ambiguous:
		x.how = "it opened or named another session, and has not named its own since"
		x.killed = x.killed || a.missed || a.on != nil && a.on.killed // then wsi does not know that there are two
		return x
	case a.on == nil && a.id != "" && !a.used:
		x = a.session.main.entitled()
		x.how = "it has made no call, so it continues the main agent's thread: " + x.how
		x.killed, x.must = x.killed || a.killed, x.must && !a.unknownValue
		if a.started != nil && a.started != x.on { // its first call is still in flight
			x.must, x.killed = false, x.killed || a.started.killed
			for v := range a.started.heads {
				x.values[v] = true
			}
		}
		return x
	case a.on == nil:
		return x
	}
	x.must, x.on = a.isSteady() && !a.unknownValue && !a.unsure && !a.missed && !a.mixed && a.doubt == 0, a.on
	x.killed = x.killed || a.missed
	for _, t := range []*thread{a.on, a.side} {
		if t == nil {
			continue
		}
		x.killed = x.killed || t.killed
		if t == a.side || t.lateFor != "" {
			x.from = a.carried
		}
		for v := range t.heads {
			x.values[v] = true
		}
	}
	return x
}

// follows reports whether a value is the last of those that continue, call by call, from another value.
func (s *session) follows(value, from string) bool {
	if from == "" || s.spent[value] {
		return false
	}
	for range s.answers { // bounded, because equal values of one second can form a cycle
		if value = s.answers[value]; value == from {
			return true
		}
	}
	return false
}

// damagedParent is the parent of a child that was opened with a damaged value: of any session, or of one that wsi does not know.
const damagedParent = "damaged"

// setThread records which thread is the agent's own.
func (a *agent) setThread(x *thread, how string) {
	a.on, a.side, a.ambiguous, a.used, a.unsure, a.how, a.needs, a.missed, a.doubt = x, nil, false, true, false, how, 0, false, 0
	a.childOf = ""
}

// names records that a call of the agent carried a value of a thread, and reports whether that is now, or was, the agent's
// own. A call alone does not move an agent from one server's session to another: it may only look at that.
func (a *agent) names(x *thread, how string, seen bool) bool {
	missed := a.missed || !seen
	switch {
	case a.on == nil && !(a.ambiguous && (x.child || a.childOf != "" && a.childOf != damagedParent)):
		x.killed = x.killed || a.missed // wsi may have taken another one for its own
		damaged := a.ambiguous && a.childOf == damagedParent
		if a.setThread(x, how); damaged { // wsi may take the parent for the agent's own, which no call can name
			a.doubt = math.MaxInt
		}
	case a.on == nil && (a.childOf == "" || x.session != a.childOf) || a.on != nil && x != a.on && x != a.side && (x.session == "" || x.session != a.on.session):
		a.ambiguous, a.used, a.needs, a.missed = true, true, 2, missed
		return false
	case a.needs > 1:
		if a.needs, a.missed = a.needs-1, missed; a.mixed { // wsi may not count it
			a.doubt = max(a.doubt, 2)
		}
	default:
		missed = missed && a.needs > 0 || !seen
		doubt := max(0, a.doubt-1)
		a.setThread(x, how)
		a.missed, a.doubt = missed, doubt
	}
	return true
}

// hasThread reports whether the agent has a thread to continue.
func (a *agent) hasThread() bool {
	return a.on != nil || a.ambiguous || a.id != "" && !a.used && a.session.main.hasThread()
}

// observe records the result of a call: the value t, or "". seen is false if no hook saw it.
func (a *agent) observe(c *call, t string, failed, seen bool) {
	s := a.session
	a.killedBefore = a.killed
	a.killed = !seen || a.killed && (t == "" || c.byHandle)
	if t == "" && !seen && c.carried != "" {
		a.killed = true // wsi does not know about the call
	}
	defer a.remember(c, t)
	if t != "" && seen {
		delete(s.unseen, t)
	} else if t != "" && s.of[t] == nil {
		s.unseen[t] = true
	}
	if c.tool == "start_session" {
		if t != "" {
			a.opened(c, t, seen)
		}
		return
	}
	x := a.threadOf(c.carried)
	if x != nil && !c.byHandle {
		a.namesInBatch(c, x)
	}
	if t != "" && x == nil {
		x = s.of[t] // another agent got the same value in the same second
	}
	switch {
	case c.carried == "", t == "" && !seen:
	case t == "" && x == nil:
		a.unknown(c, failed)
	case t == "" && !c.byHandle && x != nil:
		if a.on != x || a.ambiguous || a.doubt > 0 || !x.heads[c.carried] { // wsi may leave the next call alone, but must not use another thread
			if !a.names(x, "its last call, which "+ended(failed)+", used it", seen) || a.ambiguous {
				return
			}
			a.clearUnknown(c)
			a.unsure = true
		}
		if s.unseen[c.carried] { // for wsi it is an unknown value
			a.doubt = max(a.doubt, 2)
		}
		if s.back[c] { // the agent may mean this value or the thread's newest
			a.side = &thread{heads: map[string]bool{c.carried: true}}
			a.unsure, a.unsureBatch = true, c.batch
		}
	case t == "":
	case x == nil:
		a.starts(c, t, seen)
	default:
		a.continued(c, x, t, seen)
	}
}

// namesInBatch records that a call of a batch names a thread, perhaps one that begins with it.
func (a *agent) namesInBatch(c *call, x *thread) {
	a.mixed = c.batch == a.namedBatch && (a.mixed || a.namedThread != x)
	a.namedBatch, a.namedThread = c.batch, x
}

func (a *agent) remember(c *call, t string) {
	if t != "" && c.carried != "" {
		a.session.answers[t] = c.carried
		if c.tool != "resume_checkpoint" {
			a.session.spent[c.carried] = true
		}
	}
	if c.carried != "" && !c.byHandle && c.tool != "start_session" {
		a.carried = c.carried
	}
	if t != "" {
		a.got = t
	}
}

func ended(failed bool) string {
	if failed {
		return "failed"
	}
	return "returned no value"
}

// unknown records a call with a value that no hook of the session knows. Which thread the agent means from then on is
// unknown. A good value of another session is never the agent's own, whether the server accepted it or not.
func (a *agent) unknown(c *call, failed bool) {
	if c.byHandle {
		return
	}
	switch good := a.session.w.values[c.carried] > 0; {
	case good && failed && a.on == nil && !a.ambiguous:
		a.setThread(nil, "its last call, which failed, used another session")
		a.clearUnknown(c)
		return
	case good && failed:
		a.ambiguous, a.used, a.needs = true, true, 2
		return
	case good: // the agent uses a session that no hook has seen
		x := a.session.thread("", "", false)
		x.session = sessionOf(c.carried)
		x.child = a.session.ofChild(x)
		a.namesInBatch(c, x)
		if a.names(x, "its last call, which returned no value, used another session", true) && !a.ambiguous {
			a.clearUnknown(c)
			a.unsure = true
		}
		return
	}
	a.unknownValue, a.unknownBatch, a.doubt = true, c.batch, max(a.doubt, 2)
}

// clearUnknown records that the agent's thread is known, unless a call of the same batch had an unknown value.
func (a *agent) clearUnknown(c *call) {
	if a.unknownBatch != c.batch {
		a.unknownValue = false
	}
}

// opened records a thread that start_session began. It is the caller's, unless it is for another agent.
func (a *agent) opened(c *call, t string, seen bool) {
	x := a.session.thread(t, "", true)
	adopted := a.session.of[c.carried]
	x.killed, x.child = !seen, x.child || c.child && !c.parentless || adopted != nil && adopted.child
	first := a.on == nil && !a.ambiguous
	if used := a.used || a.unknownValue || a.id != "" && a.session.main.used; c.child && !c.parentless || (c.child || c.replaced) && a.hasThread() {
		if a.id != "" && !a.used { // it would have continued the main agent's
			a.on, a.used, a.childOf = a.session.main.on, a.session.main.used, a.session.main.childOf
		}
		if a.ambiguous, a.missed = true, a.missed || !seen; c.replaced { // the server has lost the other one: what it names is its own
			a.on, a.side, a.needs, a.childOf = nil, nil, 0, ""
		} else if first && a.on == nil && a.childOf == "" {
			a.childOf = damagedParent
			if parent := text(object(c.sent)["parent_session_token"]); a.session.w.values[parent] > 0 {
				a.childOf = sessionOf(parent)
			}
		}
	} else {
		a.setThread(x, "it opened the thread")
		a.clearUnknown(c)
		a.unsure = (c.child || c.replaced) && used // the agent had a value of another session
	}
	a.killed = a.killed || !seen
}

// starts records the use of a good value that no hook of this session knows.
func (a *agent) starts(c *call, t string, seen bool) {
	x := a.session.thread(t, c.carried, !changes[c.tool])
	x.killed = !seen
	a.killed = a.killed || !seen
	if !c.byHandle {
		a.namesInBatch(c, x)
	}
	switch used := a.used; {
	case c.byHandle && (a.on != nil || a.hasThread()):
		return
	case c.byHandle:
		a.setThread(x, "its last call used another session")
		a.unsure = used
	case !a.names(x, "its last call used another session", seen) || a.ambiguous:
		return
	}
	a.clearUnknown(c)
	a.unsure = a.unsure || c.tool == "resume_checkpoint" && !a.transcribed() // wsi cannot see the value
}

// threadOf returns the thread of a value that the agent sends. Of equal values issued in one second it prefers the
// agent's own.
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

// transcribed reports whether a transcript contains the _meta of the agent's results.
func (a *agent) transcribed() bool {
	return a.session.transcript != "" && !(a.session.noSubagentMeta && a.id != "")
}

// continued records a result that continues the thread of the sent value, by whichever agent. A checkpoint_handle is
// typed for another agent.
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
	own, doubted := true, a.ambiguous
	if a.on != x || a.ambiguous || a.doubt > 0 || late || a.side != nil {
		own = a.names(x, "its last call used it", seen)
	}
	if own && doubted && s.back[c] { // it may have begun before the one that named it first: then wsi wants one more
		a.doubt = max(a.doubt, 1)
	}
	if own && !a.ambiguous {
		a.unsure = a.unsureBatch == c.batch // the other call may have begun later
		a.clearUnknown(c)
	}
	if own && !a.ambiguous && !late && s.back[c] && changes[c.tool] { // it went back on purpose: it may also mean the thread before this call
		a.side = &thread{number: x.number, heads: heads}
	}
	if late && (s.back[c] || changes[c.tool] || by != a) {
		// The agent went back on purpose, or two agents used the thread at the same time. It means its own result,
		// which is all that it has seen, or the thread's newest value.
		side := before
		if was && before != nil && before.lateFor == c.carried { // a second result for it
			before.heads[t], before.values[t] = true, true
		} else {
			side = s.thread(t, c.carried, !changes[c.tool])
			side.lateFor, side.killed = c.carried, x.killed // wsi may not know that x has advanced
		}
		side.values[t] = true
		side.twice = side.twice || again
		s.of[t], side.by, side.killed = side, a, side.killed || !seen || a.killedBefore
		if own {
			a.side = side
		}
	}
	if !heads[c.carried] || x.lateFor != "" { // it continues a superseded value, and wsi cannot see the result
		a.unsure = a.unsure || c.tool == "resume_checkpoint" && !a.transcribed()
	}
}
