package fakeserver

import "slices"

// Ids that stay the same: there is no newest, and an agent may have many. It may use those that it,
// or an agent above it, was shown.

// find is an id's chain, nil if it was never handed out.
func (l *ledger) find(id string) *chain {
	if n := l.of(id, 0); n != 0 {
		return l.Chains[n-1]
	}
	return nil
}

// show notes that an agent is shown an id, which is new if nobody was before.
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

// ask shows the id of a decision about a session: to be used once, and for that session.
func (l *ledger) ask(agent, id, session string) {
	l.show(agent, id).Belongs = l.of(session, 0)
}

// noteID judges an id that a call came with. session is the one that the call names, where the id is
// of something in it, and else "".
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
