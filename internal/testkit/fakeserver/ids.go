package fakeserver

import "slices"

// This file judges ids that stay the same. None is the newest, and an agent may have several. An agent may
// use the ids that were shown to it or to an agent above it.

// find returns the chain of an id, or nil if the id was never issued.
func (l *ledger) find(id string) *chain {
	if n := l.of(id, 0); n != 0 {
		return l.Chains[n-1]
	}
	return nil
}

// show records that an id is shown to an agent. An id that was never shown starts a chain.
func (l *ledger) show(agent, id string) *chain {
	ch := l.find(id)
	if ch == nil {
		ch = l.Chains[l.open(id, agent)-1]
	}
	if !slices.Contains(ch.Shown, agent) {
		ch.Shown = append(ch.Shown, agent)
	}
	return ch
}

// ask shows the id of a decision about a session. The id may be used once, and only for that session.
func (l *ledger) ask(agent, id, session string) {
	l.show(agent, id).Belongs = l.of(session, 0)
}

// noteID records a call with an id and its verdict. If the id belongs to something in a session, session is the
// session that the call names.
func (l *ledger) noteID(agent, tool, argument, id, session string, failed bool) {
	e := Entry{Agent: agent, Tool: tool, Argument: argument, Failed: failed, Entitled: l.of(session, 0), Came: l.of(id, 0)}
	ch := l.find(id)
	switch {
	case argument == "":
		e.Verdict = NotNeeded
	case id == "":
		e.Verdict = Missing
	case ch == nil:
		e.Verdict = Unknown
	case ch.Belongs != 0 && session != "" && ch.Belongs != e.Entitled,
		!slices.ContainsFunc(ch.Shown, func(shown string) bool { return above(shown, agent) }):
		e.Verdict = Foreign
	case ch.UsedUp:
		e.Verdict = Stale
	default:
		e.Verdict = Right
	}
	l.entries = append(l.entries, e)
}
