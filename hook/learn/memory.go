package learn

import (
	"wsi/hook/carry"
	"wsi/hook/handles"
)

// Remember adds a call from the memory of ids. A Learner that learns from it gets no other calls.
//
// The memory knows less than a recording: the names of members and not where they are, ids and no other values, no
// prompts, and nothing of servers whose ids are not kept. So a proposal from it does not inject, since a call that seems to
// lack an argument may have had it, and the caller says that the places are to be checked.
func (l *Learner) Remember(session string, r handles.Record) {
	s := l.session(session)
	l.remembers = true
	if !r.Failed && plainName(r.Server) && plainName(r.Tool) {
		l.weigh(s, Call{Server: r.Server, Tool: r.Tool}, members(r.Args), members(r.Result))
	}
}

// members returns the values of members. One whose name occurs twice is left out: it is in an array, or in several places.
func members(seen []handles.Seen) (all []value) {
	times := map[string]int{}
	for _, one := range seen {
		times[one.Field]++
	}
	for _, one := range seen {
		if times[one.Field] == 1 && one.Field != "" {
			all = append(all, value{value: one.ID, id: one.ID != "", name: one.Field, path: carry.Path(one.Field)})
		}
	}
	return all
}

// Knows reports whether a call of the tool had an argument of the name, in whatever place.
func (l *Learner) Knows(server, tool, name string) bool {
	for to := range l.with {
		if carry.Same(to.server, server) && carry.Same(to.tool, tool) && to.argument.Name() == name {
			return true
		}
	}
	return false
}
