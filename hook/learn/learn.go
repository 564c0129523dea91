// Package learn proposes carry rules from calls that were recorded, or of which ids were kept: a place in the results of
// one tool that always had the value which an argument of another tool took. It is pure, and keeps nothing of a value but
// in memory.
//
// It must not know harnesses, files, how calls are recorded, or what the engine does with a rule.
package learn

import (
	"slices"

	"wsi/hook/carry"
	"wsi/hook/handles"
)

// Call is a call of an MCP server's tool with its result.
type Call struct {
	Session      string // each has seen only its own calls; an agent of a session is a session of its own
	Server, Tool string
	Args         []byte // a raw JSON object
	Result       carry.Result

	// Again is set for a call that another session was seen to have made, such as one of which this is a copy. It
	// counts for nothing, but its values are known.
	Again bool
}

// Learner learns from calls, in the order of their results.
//
// An argument matches a place if it has a value that the session saw there first. A place is contradicted by an
// argument with a value that the place never had in the session, although it had others. Nothing follows from a call
// that failed, from a value that came from elsewhere (a prompt, a file, another tool of the harness), or from a value
// that the result of the same call repeats.
type Learner struct {
	// Secret reports whether a value, or the member or argument of a name, belongs to a rule that keeps it secret;
	// nil knows none. Members and arguments with names such as "token" are never learnt.
	Secret func(server, name, value string) bool

	sessions map[string]*session
	order    []string // of sessions, the one with the newest call last
	pairs    map[pair]*evidence
	near     map[place]bool // places with values that are too near to each other to repair one
	calls    map[tool]int   // accepted ones
	with     map[use]int    // of these, calls with the argument

	remembers bool // the calls are from the memory of ids
}

type tool struct{ server, name string }

// place is where a result has a value: in structured content or in a text that is JSON. Servers send both with the same
// members, and harnesses record one or the other.
type place struct {
	server, tool string
	path         carry.Path
}

// use is an argument of a tool.
type use struct {
	server, tool string
	argument     carry.Path
}

type pair struct {
	from place
	to   use
}

// evidence is what speaks for and against a pair.
type evidence struct {
	matched, contradicted int
	values                int // different ones that matched; in two sessions one counts twice
	sessions              int
	last                  *session // the last one with a match
	form                  form     // of the values that matched
}

// session is what one session has seen.
type session struct {
	known map[string]*origin // by value
	had   map[place]map[string]bool
	used  map[pairValue]bool
	kept  int // values in had
}

type pairValue struct {
	pair
	value string
}

// origin is where a value was seen first.
type origin struct {
	places    []place
	elsewhere bool // not in a result of an MCP server
}

// Limits of what is kept in memory. What is beyond them is not learnt from, which can only prevent a proposal.
const (
	maxSessions = 16
	maxValues   = 4000 // of a session
	maxPlaces   = 256  // of a session
	maxKept     = 4 * maxValues
	maxPairs    = 1 << 16
	maxUses     = 1 << 14 // arguments, and tools
	maxCompared = 64      // values of a place, with each new one
)

// New returns a Learner that knows nothing.
func New() *Learner {
	return &Learner{sessions: map[string]*session{}, pairs: map[pair]*evidence{}, near: map[place]bool{}, calls: map[tool]int{}, with: map[use]int{}}
}

// Begin begins another recording, in which names of sessions may mean others.
func (l *Learner) Begin() { l.sessions, l.order = map[string]*session{}, nil }

// Elsewhere adds texts that a session saw elsewhere, each a raw JSON value: prompts, and results of the harness's own
// tools.
func (l *Learner) Elsewhere(session string, texts [][]byte) {
	s := l.session(session)
	for _, seen := range handles.InResult(nil, texts, nil) {
		if s.known[seen.ID] == nil && len(s.known) < maxValues {
			s.known[seen.ID] = &origin{elsewhere: true}
		}
	}
}

// Call adds a call that has returned.
func (l *Learner) Call(c Call) {
	s := l.session(c.Session)
	if c.Result.Error || !plainName(c.Server) || !plainName(c.Tool) {
		return
	}
	l.weigh(s, c, inArguments(c.Args), inResult(c.Result))
}

// weigh adds a call with what is in its arguments and its result.
func (l *Learner) weigh(s *session, c Call, carried, result []value) {
	given := map[string]bool{}
	for _, a := range carried {
		given[a.value] = true
		if to := (use{c.Server, c.Tool, a.path}); !c.Again && !l.secret(c.Server, a) && (l.with[to] > 0 || len(l.with) < maxUses) {
			l.with[to]++
			l.argument(s, to, a)
		}
	}
	if name := (tool{c.Server, c.Tool}); !c.Again && (l.calls[name] > 0 || len(l.calls) < maxUses) {
		l.calls[name]++
	}
	fresh := map[string]*origin{}
	for _, found := range result {
		if given[found.value] || l.secret(c.Server, found) {
			continue
		}
		l.result(s, place{c.Server, c.Tool, found.path}, found, fresh)
	}
}

func (l *Learner) secret(server string, v value) bool {
	return l.Secret != nil && l.Secret(server, v.name, v.value)
}

// session returns the session of a name. The one that had no call for the longest time goes first.
func (l *Learner) session(name string) *session {
	if i := slices.Index(l.order, name); i >= 0 {
		l.order = append(slices.Delete(l.order, i, i+1), name)
		return l.sessions[name]
	}
	if len(l.order) == maxSessions {
		delete(l.sessions, l.order[0])
		l.order = l.order[1:]
	}
	s := &session{known: map[string]*origin{}, had: map[place]map[string]bool{}, used: map[pairValue]bool{}}
	l.sessions[name], l.order = s, append(l.order, name)
	return s
}

// result adds a value of a result. fresh has the origins that this result made.
func (l *Learner) result(s *session, p place, v value, fresh map[string]*origin) {
	had := s.had[p]
	if had == nil {
		if len(s.had) == maxPlaces {
			return
		}
		had = map[string]bool{}
		s.had[p] = had
	}
	if had[v.value] || s.kept == maxKept {
		return
	}
	if v.id && !l.near[p] && tooNear(had, v.value) && len(l.near) < maxPairs {
		l.near[p] = true
	}
	had[v.value] = true
	s.kept++
	if !v.id {
		return
	}
	o := s.known[v.value]
	if o == nil {
		if len(s.known) == maxValues {
			return
		}
		o = &origin{}
		s.known[v.value], fresh[v.value] = o, o
	}
	if fresh[v.value] != nil {
		o.places = append(o.places, p)
	}
}

// tooNear reports whether a mistyped value could be meant for another one of these, too.
func tooNear(had map[string]bool, value string) bool {
	const apart = repairMax + repairMargin
	compared := 0
	for other := range had {
		if compared++; compared > maxCompared {
			return false
		}
		if carry.Apart(other, value, apart) <= apart {
			return true
		}
	}
	return false
}

// argument weighs the value of an argument against every place of the server that the session has seen.
func (l *Learner) argument(s *session, to use, v value) {
	o := s.known[v.value]
	if o != nil && o.elsewhere {
		return
	}
	for from, had := range s.had {
		if from.server != to.server {
			continue
		}
		switch {
		case o != nil && slices.Contains(o.places, from):
			l.matched(s, pair{from, to}, v.value)
		case !had[v.value]:
			if e := l.evidence(pair{from, to}); e != nil {
				e.contradicted++
			}
		}
	}
}

func (l *Learner) matched(s *session, p pair, value string) {
	e := l.evidence(p)
	if e == nil {
		return
	}
	e.matched++
	if e.last != s {
		e.last = s
		e.sessions++
	}
	if use := (pairValue{p, value}); !s.used[use] && len(s.used) < maxValues {
		s.used[use] = true
		e.values++
	}
	e.form.add(value)
}

// evidence returns what is known of a pair, nil if there are too many.
func (l *Learner) evidence(p pair) *evidence {
	e := l.pairs[p]
	if e == nil && len(l.pairs) < maxPairs {
		e = &evidence{}
		l.pairs[p] = e
	}
	return e
}
