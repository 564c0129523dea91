package main

// What agents did, whatever wsi knows of it. The oracle's beliefs follow docs/state.md case by case. Where two readers of that
// table can differ, because several sessions were named at once or refused, these two rules decide: a value of the session
// that the agent works with is right, and wsi need not have found out which one that is.

// worksWith reports whether a value is of the session of the server that an agent has opened or, if it has opened none, was
// first to name with success, and its last call that named a session named this one. What is in a sub-agent's call that is
// not answered may be put into its next one.
func (a *agent) worksWith(value string) bool {
	w, last := a.session.w, ""
	for _, c := range a.past {
		named := w.sessionOf(c.carried)
		if named != "" {
			last = named
		}
		if a.id != "" && c.stage < 3 && c.carried == value {
			return true
		}
	}
	own := a.home()
	return own != "" && w.sessionOf(value) == own && (last == own || last == "" && a.id != "")
}

// home returns the session of the server that an agent works with, "" for none. A sub-agent begins with that of the main agent.
func (a *agent) home() string {
	w, opened, named := a.session.w, "", ""
	for _, c := range a.past {
		switch {
		case c.stage < 3 || c.failed || c.lost:
		case c.tool == "start_session" && !c.child:
			opened = w.sessionOf(c.gave)
		case named == "":
			named = w.sessionOf(c.carried)
		}
	}
	switch {
	case opened != "":
		return opened
	case named == "" && a.id != "":
		return a.session.main.home()
	}
	return named
}

// steadily is how many messages in a row must name a session, each with success, until it is clear that no other one is meant.
const steadily = 3

// isSteady reports whether an agent's calls have named one session only, or its last messages that hooks saw one and the same.
func (a *agent) isSteady() bool {
	w, first, one := a.session.w, "", true
	messages, number, last := 0, -1, ""
	for _, c := range a.past {
		named := w.sessionOf(c.carried)
		if named == "" {
			continue
		}
		if first == "" {
			first = named
		}
		one = one && named == first
		switch accepted := c.stage == 3 && !c.failed && !c.lost && !c.unseen; {
		case !accepted || named != last && c.batch == number:
			messages, number = 0, c.batch
		case named != last:
			messages, number = 1, c.batch
		case c.batch != number:
			messages, number = messages+1, c.batch
		}
		last = named
	}
	return one || messages >= steadily
}

// isNewest reports whether a value is one that the server would accept without going back, or that of the agent's last answer.
func (a *agent) isNewest(value string) bool {
	x := a.session.of[value]
	return value == a.got || x != nil && x.heads[value]
}

// sessionOf returns the session of a good value of the server, "" for any other.
func (w *world) sessionOf(value string) string {
	switch {
	case w.values[value] == 0:
		return ""
	case w.indexes:
		return value
	}
	return sessionOf(value)
}
