package carry

import (
	"cmp"
	"slices"
	"strconv"

	"wsi/internal/jsonraw"
)

// Use says which chain an agent works with (docs/state.md). An agent has no Use until one of its calls shows
// that.
type Use struct {
	Server      string `json:"server"`
	Agent       string `json:"agent,omitempty"`
	Chain       int    `json:"chain"`            // the agent's own chain: the one that it opened, or the first that it named
	Side        int    `json:"side,omitempty"`   // the side chain of its late answer to a value of Chain; 0 for none, since the first chain is never one
	Back        bool   `json:"back,omitempty"`   // it went back to that value, and continues with Side
	Provisional bool   `json:"joined,omitempty"` // Chain's value was injected for it, and it has no result yet
	Unsure      bool   `json:"unsure,omitempty"` // it has opened a child chain, or named another chain, since: either may be meant
	Lost        bool   `json:"lost,omitempty"`   // it has carried a value of no chain since, and got no new one
	Needs       int    `json:"needs,omitempty"`  // how many calls must name Chain until it is meant again; 0 is as good as 1
	Met         []int  `json:"met,omitempty"`    // other chains that it has opened or named, the last one last
	At          int    `json:"at,omitempty"`     // the call that shows this
}

const (
	// none is the id of no chain.
	none = -1
	// again is how many calls in a row must name an agent's own chain after one has named another. One is not enough:
	// calls of one message come in any order, and the model may have meant any of them.
	again = 2
	// maxMet bounds Use.Met.
	maxMet = 8
)

// bind records that a note's agent works with a chain, unless a later call of the agent showed otherwise. An injected first
// value shows nothing.
func (s *State) bind(n Note, chain int) {
	u := Use{Server: n.Server, Agent: n.Agent, Chain: chain, At: n.At}
	if was := s.use(n.Server, n.Agent); was != nil {
		if was.At > n.At && !was.Provisional {
			return
		}
		was.meet(was.Chain)
		u.Met = slices.DeleteFunc(was.Met, func(id int) bool { return id == chain })
	}
	s.Uses = slices.DeleteFunc(s.Uses, func(u Use) bool { return u.Server == n.Server && u.Agent == n.Agent })
	s.Uses = newest(append(s.Uses, u), maxUses)
}

// works records that a note's call has continued a chain. It says nothing about its agent if the value was a handle.
func (s *State) works(n Note, chain int) {
	switch {
	case n.Handle:
	case n.Carried == "" || n.Opens:
		s.bind(n, chain)
	default:
		s.named(n, chain)
	}
}

// named records that a note's call carried a value of a chain. That alone does not move an agent with a chain of its
// own, because it may only have looked at another session. From then on either may be meant, until calls name its own.
func (s *State) named(n Note, chain int) {
	u := s.use(n.Server, n.Agent)
	switch own := s.own(u); {
	case own == nil && !(u != nil && u.Chain == none && u.Unsure && s.chain(chain).Child):
		s.bind(n, chain)
	case u.At == n.At && u.Needs > 0: // this call is counted
	case own != nil && s.sameSession(u, own, s.chain(chain)):
		if u.Needs > 1 && u.At < n.At {
			u.Needs, u.At = u.Needs-1, n.At
			return
		}
		if u.At > n.At && !n.Answered && chain != u.Chain && (u.Side == 0 || chain != u.Side) { // two branches of it, perhaps in one message
			u.Unsure = true
		}
		s.bind(n, chain)
	default:
		u.elsewhere(n, chain)
	}
}

// own returns the chain of an agent's own, nil if it has none, or one of which nothing is known. The one that its first
// call was given counts when that call is answered.
func (s *State) own(u *Use) *Chain {
	if u == nil || u.Provisional {
		return nil
	}
	c := s.chain(u.Chain)
	if c != nil && c.Key == "" && c.isUnseen() {
		return nil
	}
	return c
}

// sameSession reports whether a chain is an agent's own, or another one of the same session of the server: the values of
// an agent that went back, or of one whose last value no hook has seen.
func (s *State) sameSession(u *Use, own, c *Chain) bool {
	return c.ID == own.ID || u.Side != 0 && c.ID == u.Side || own.Key != "" && c.Key == own.Key ||
		c.SideOf != "" && own.has(c.SideOf) || own.SideOf != "" && c.has(own.SideOf)
}

// elsewhere records that a call named another chain than the agent's own. The call may have begun before one that named
// the agent's own, for the two may be of one message; but what a transcript shows later is not new.
func (u *Use) elsewhere(n Note, chain int) {
	u.meet(chain)
	if u.At <= n.At || !n.Answered {
		u.Unsure, u.Needs, u.At = true, again, max(u.At, n.At)
	}
}

// meet adds a chain to those that the agent has opened or named.
func (u *Use) meet(chain int) {
	if chain < 0 {
		return
	}
	u.Met = newest(append(slices.DeleteFunc(u.Met, func(id int) bool { return id == chain }), chain), maxMet)
}

// markUnknown records that a note's agent has carried a value of no known chain.
func (s *State) markUnknown(n Note) {
	u := s.use(n.Server, n.Agent)
	if u == nil {
		s.bind(n, none)
		u = s.use(n.Server, n.Agent)
	}
	if u.At <= n.At {
		u.Lost, u.Needs, u.At = true, again, n.At
	}
}

// hasNone reports whether a use says that its agent works with no chain that is known.
func (u *Use) hasNone() bool { return u != nil && u.Chain == none && !u.Unsure }

// open adds a chain that the result of a call has shown.
func (s *State) open(n Note, value, key string) {
	c := Chain{ID: s.Next, Server: n.Server, Key: key, Value: value, Child: n.Opens && n.Parent || s.ofChild(n, key)}
	if value != "" {
		c.Seen = []string{digest(value)}
	}
	s.add(c)
	if n.Opens || n.Handle || n.Carried == "" {
		s.opened(n, c.ID)
	} else {
		s.named(n, c.ID)
	}
}

// ofChild reports whether a chain that the result of a call has shown is of a child's session.
func (s *State) ofChild(n Note, key string) bool {
	c, same := s.carriedChain(n), s.chainByKey(n.Server, key)
	return c != nil && c.Child || same != nil && same.Child
}

// opened records which chain a note's agent continues after its call has opened one. If it is a child chain, the agent
// may continue with it or with its own, or hand it to another agent.
func (s *State) opened(n Note, chain int) {
	u, main := s.use(n.Server, n.Agent), s.use(n.Server, "")
	begins := u.hasNone() && n.Parent // the server has accepted its value of a session, for the first time
	if begins || u.hasNone() && !n.Child {
		u = nil
	}
	if begins || main.hasNone() {
		main = nil
	}
	switch {
	case n.Handle && (u != nil || main != nil): // the value was another agent's
		return
	case n.Child && u.hasNone() && !n.Parent: // it may mean the session of the value that it has carried, or this
		s.bind(n, chain)
	case n.Child && u != nil && u.Chain != chain:
	case n.Child && u == nil && main != nil && !(main.Chain == none && n.Parent): // it would have continued the main agent's
		s.bind(n, main.Chain)
	case n.Child && u == nil && n.Parent: // it continues a session that it was given
		s.bind(n, s.parentOf(n))
	default:
		s.bind(n, chain)
		return
	}
	u = s.use(n.Server, n.Agent)
	u.meet(chain)
	u.Provisional = false
	if u.At <= n.At { // else a later call has shown which
		u.Unsure, u.At = true, n.At
	}
}

// parentOf returns the chain of the session that a note's call opened a child from, none if its value names none.
func (s *State) parentOf(n Note) int {
	switch c := cmp.Or(s.carriedChain(n), s.chainByKey(n.Server, n.Key)); {
	case c != nil:
		return c.ID
	case n.Key == "":
		return none
	}
	s.add(Chain{ID: s.Next, Server: n.Server, Key: n.Key})
	return s.Next - 1
}

// openUnseen adds a chain for a value of no chain that the server accepted, though the result does not show the next one.
func (s *State) openUnseen(n Note) {
	c := s.chainByKey(n.Server, n.Key)
	if c == nil || !c.isUnseen() {
		s.add(Chain{ID: s.Next, Server: n.Server, Key: n.Key, Child: s.ofChild(n, n.Key)})
		c = &s.Chains[len(s.Chains)-1]
	}
	s.named(n, c.ID)
}

// Lane is where calls wait for each other: one that needs a value waits for the earlier ones that may change it.
type Lane struct {
	Name    string
	Needs   bool // the call gets the value, because it carries none of its own
	Changes bool // the call's result may change which value the next call gets, if the call is made now
	May     bool // the same, whatever the results before it bring
}

// Lanes returns a call's lanes. known returns the session's state; it is called only when needed.
func (r *Rule) Lanes(call Call, known func() State) (all []Lane) {
	value, _ := r.carriedIn(call.Args)
	for _, name := range r.laneNames(call, known) {
		may := r.capturesFrom(call.Tool)
		all = append(all, Lane{name, value == "", may && r.Moves(call, known()), may})
	}
	return all
}

func (r *Rule) laneNames(call Call, known func() State) []string {
	in := r.injectionFor(call.Tool)
	if in != nil && in.Choose == ChooseKey {
		key, _ := jsonraw.Unquote(in.Key.in(call.Args))
		return []string{r.Server + "\x00" + key}
	}
	if in == nil && (!r.opens(call.Tool) || r.OnlyByKey()) {
		return nil
	}
	// The main agent's lane, shared by sub-agents without a chain of their own.
	common := r.Server + "\x00\x00"
	if r.Scope == ScopeUser || call.Agent == "" {
		return []string{common}
	}
	own := common + call.Agent // orders the agent's calls before and after it gets a chain
	if in == nil {
		return []string{own}
	}
	state := known()
	if !state.Knows(r.Server) { // no chain to share
		return []string{own}
	}
	if chain, apart := state.separateChain(r.Server, call.Agent); apart {
		common += "\x00" + strconv.Itoa(chain)
	}
	return []string{own, common}
}

// Moves reports whether the result of a call that is made now may change which value the next call gets.
func (r *Rule) Moves(call Call, s State) bool {
	value, _ := r.carriedIn(call.Args)
	switch {
	case !r.capturesFrom(call.Tool):
		return false
	case r.opens(call.Tool):
		return true
	case !s.Knows(r.Server):
		return value != ""
	case slices.Contains(r.Flow.Keeps, "*"): // only a call with another value than the agent's own
		c, _ := s.current(r.Server, call.Agent)
		return value != "" && (c == nil || c.Value != value)
	}
	return true
}

// separateChain returns the chain that an agent works with, and whether it differs from the main agent's.
func (s *State) separateChain(server, agent string) (chain int, apart bool) {
	u, main := s.use(server, agent), s.use(server, "")
	if u == nil {
		return none, false
	}
	chain = s.lane(u)
	return chain, main == nil || s.lane(main) != chain
}

func (s *State) lane(u *Use) int {
	if c := s.chainOf(u); c != nil {
		return c.ID
	}
	return u.Chain
}
