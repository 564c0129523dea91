package carry

import (
	"cmp"
	"iter"
	"slices"
)

func (s *State) chain(id int) *Chain {
	for i := range s.Chains {
		if s.Chains[i].ID == id {
			return &s.Chains[i]
		}
	}
	return nil
}

// latest yields a server's chains, the most recently changed one first.
func (s *State) latest(server string) iter.Seq[*Chain] {
	return func(yield func(*Chain) bool) {
		for i := len(s.Chains) - 1; i >= 0; i-- {
			if c := &s.Chains[i]; c.Server == server && !yield(c) {
				return
			}
		}
	}
}

// chainWith returns the server's chain that has or had this value, nil if there is none. Agents that do the
// same in the same second get the same value. Of several chains with it, one whose newest value it is counts.
func (s *State) chainWith(server, d string) (found *Chain) {
	if d == "" {
		return nil
	}
	for c := range s.latest(server) {
		if c.isHead(d) {
			return c
		}
		if found == nil && c.has(d) {
			found = c
		}
	}
	return found
}

// carriedChain returns the chain of the value that a note's call carried, nil if there is none. If several chains
// have the value, the one that the agent works with counts.
func (s *State) carriedChain(n Note) *Chain {
	c := s.chainWith(n.Server, n.Carried)
	if c == nil && n.Key != "" && digest(n.Key) == n.Carried { // the value is the name of a chain that was not seen
		c = s.chainByKey(n.Server, n.Key)
	}
	if u := s.use(n.Server, n.Agent); u != nil && c != nil {
		for _, own := range []*Chain{s.side(u), s.chain(u.Chain)} {
			if own != nil && (own.isHead(n.Carried) || own.has(n.Carried) && !c.isHead(n.Carried)) {
				return own
			}
		}
	}
	return c
}

func (s *State) use(server, agent string) *Use {
	for i := range s.Uses {
		if u := &s.Uses[i]; u.Server == server && u.Agent == agent {
			return u
		}
	}
	return nil
}

// useOrMain returns an agent's Use, else the main agent's, which a sub-agent without one continues.
func (s *State) useOrMain(server, agent string) *Use {
	return cmp.Or(s.use(server, agent), s.use(server, ""))
}

// side returns the side chain of an agent's late answer, nil if there is none.
func (s *State) side(u *Use) *Chain {
	if u.Side == 0 {
		return nil
	}
	return s.chain(u.Side)
}

// chainOf returns the chain that an agent continues, nil if it is not stored.
func (s *State) chainOf(u *Use) *Chain {
	if c := s.side(u); c != nil && u.Back {
		return c
	}
	return s.chain(u.Chain)
}

const (
	nothingStored = "nothing is stored"
	severalAlive  = "several values are alive and only the model knows which is meant"
	ofElsewhere   = "a call carried a value that no result has shown"
	unseen        = "the newest value was handed out where hooks cannot see it"
	otherEnds     = "it has other ends than the newest value"
	twoEnds       = "it has only the two ends of a value"
	early         = "the call before it is still not answered"
)

// current returns the chain an agent continues: for a sub-agent that has used none yet, the main agent's.
// If there is none, why is the reason.
func (s *State) current(server, agent string) (c *Chain, why string) {
	switch u := s.useOrMain(server, agent); {
	case u == nil:
		return nil, nothingStored
	case u.Unsure:
		return nil, severalAlive
	case u.Lost:
		return nil, ofElsewhere
	default:
		if c = s.chainOf(u); c == nil || c.Value == "" {
			return nil, unseen
		}
	}
	return c, ""
}

// onlyChain returns the server's only chain with a value. If there is none or more than one, why is the reason.
func (s *State) onlyChain(server string) (c *Chain, why string) {
	why = nothingStored
	for o := range s.latest(server) {
		if o.Value == "" {
			continue
		}
		if c != nil {
			return nil, severalAlive
		}
		c, why = o, ""
	}
	return c, why
}

// Knows reports whether a server has a chain.
func (s *State) Knows(server string) bool {
	return slices.ContainsFunc(s.Chains, func(c Chain) bool { return c.Server == server })
}

func (s *State) chainByKey(server, key string) *Chain {
	for c := range s.latest(server) {
		if key != "" && c.Key == key {
			return c
		}
	}
	return nil
}

// values returns the stored values of a server: the most recently changed chain first, and of each chain the newest value
// first.
func (s *State) values(server string) (all []Candidate) {
	for c := range s.latest(server) {
		if c.Value != "" {
			all = append(all, Candidate{c.Value, c.Key})
		}
		for _, older := range slices.Backward(c.Older) {
			all = append(all, Candidate{older, c.Key})
		}
	}
	return all
}

// target returns the chain that a call's result continues, nil if it starts one. A result continues the chain
// of the value in the call, whichever agent made the call. So an agent gets the newest value after a
// sub-agent has worked with its chain.
func (s *State) target(n Note) *Chain {
	if n.Opens { // even with a value of a chain: the new session is separate
		return nil
	}
	if n.Carried != "" {
		return s.carriedChain(n)
	}
	if u := s.useOrMain(n.Server, n.Agent); u != nil {
		return s.chainOf(u)
	}
	return nil
}

// hasHad reports whether a value of the server was ever seen in the session.
func (s *State) hasHad(server string) bool {
	return slices.ContainsFunc(s.Chains, func(c Chain) bool { return c.Server == server && !c.isUnseen() })
}
