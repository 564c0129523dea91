package carry

import (
	"cmp"
	"iter"
	"slices"
)

// Chain is a value that changes from call to call: each result contains the next one.
type Chain struct {
	ID          int      `json:"id"`
	Server      string   `json:"server"`
	Key         string   `json:"key,omitempty"`      // what names it, by the rule's Capture.Key
	Value       string   `json:"value"`              // the newest; "" if it was never seen
	Older       []string `json:"older,omitempty"`    // some earlier values, the newest last
	Seen        []string `json:"seen"`               // digests of its values, the newest last
	Branches    []string `json:"branches,omitempty"` // digests of superseded answers, which count as older values
	Equivalents []string `json:"peers,omitempty"`    // digests of values equivalent to the newest: only their count and time differ
	Since       []string `json:"since,omitempty"`    // digests of the values carried since the session last changed
	By          string   `json:"by,omitempty"`       // the agent whose call advanced it last
	Child       bool     `json:"child,omitempty"`    // it is of a session that was opened as the child of another one
	SideOf      string   `json:"aside,omitempty"`    // of a side chain: digest of the older value of another chain that it started from
}

func (c *Chain) has(d string) bool {
	return slices.Contains(c.Seen, d) || slices.Contains(c.Equivalents, d) || slices.Contains(c.Branches, d)
}

// isHead reports whether a value is the chain's newest or equivalent to it.
func (c *Chain) isHead(d string) bool {
	return d != "" && (d == digest(c.Value) || slices.Contains(c.Equivalents, d))
}

// isUnchangedSince reports whether the session has not changed since a call carried this value.
func (c *Chain) isUnchangedSince(d string) bool { return slices.Contains(c.Since, d) }

// sinceAfter returns the value of Chain.Since after a call is answered. If the rule does not say which calls
// change the session, any call may.
func (c *Chain) sinceAfter(rule *Rule, n Note) []string {
	switch {
	case n.Changes || n.Carried == "":
		return nil
	case len(rule.Flow.Changes) == 0:
		return []string{n.Carried}
	case slices.Contains(c.Since, n.Carried):
		return c.Since
	}
	return remember(slices.Clip(c.Since), n.Carried)
}

// equivalentsAfter returns the value of Chain.Equivalents after a call is answered: the values that other agents
// may be working with, unless the call changed the session.
func (c *Chain) equivalentsAfter(n Note) []string {
	if n.Changes && !n.Keeps {
		return nil
	}
	equivalents := slices.Clone(c.Equivalents)
	if d := digest(c.Value); d != "" && !slices.Contains(equivalents, d) {
		equivalents = append(equivalents, d)
	}
	if !n.Keeps { // only after a tool in Flow.Keeps the call's own value stays equivalent
		equivalents = slices.DeleteFunc(equivalents, func(d string) bool { return d == n.Carried })
	}
	return newest(equivalents, maxDigests)
}

// retire moves the newest value to Older, which has room for all but the newest of maxValues.
func (c *Chain) retire() {
	if c.Value != "" {
		c.Older = append(slices.Clip(c.Older), c.Value)
		c.Value = ""
	}
	c.Older = newest(c.Older, maxValues-1)
}

func (c *Chain) addEquivalent(n Note, value string) Decision {
	c.Equivalents, c.By = remember(slices.Clip(c.Equivalents), digest(value)), n.Agent
	return wentOn
}

// promote makes an equivalent answer the newest value, because its agent continues with it.
func (c *Chain) promote(n Note, value string) {
	if c.Value != "" {
		c.Equivalents = remember(slices.Clip(c.Equivalents), digest(c.Value))
	}
	c.retire()
	c.Value, c.By = value, n.Agent
	c.Seen = remember(c.Seen, digest(value))
}

// isUnclaimed reports whether the chain is a late answer that no agent has continued. It is not injected.
func (c *Chain) isUnclaimed() bool { return c.SideOf != "" && c.Value == "" }

// isUnseen reports whether no value of the chain was ever seen.
func (c *Chain) isUnseen() bool {
	return c.Value == "" && len(c.Seen)+len(c.Older) == 0 && c.SideOf == ""
}

// claim makes the late answer that started a chain its value, because an agent has carried that answer or
// an equivalent one.
func (c *Chain) claim() {
	if !c.isUnclaimed() {
		return
	}
	for i, v := range slices.Backward(c.Older) {
		if d := digest(v); slices.Contains(c.Equivalents, d) {
			c.Value, c.Older = v, slices.Delete(slices.Clone(c.Older), i, i+1)
			c.Equivalents = slices.DeleteFunc(slices.Clone(c.Equivalents), func(e string) bool { return e == d })
			return
		}
	}
}

// addBranch records an answer that is not continued. It counts as one of the chain's older values.
func (c *Chain) addBranch(value string) Decision {
	if d := digest(value); d != "" && !c.has(d) {
		c.Branches = remember(c.Branches, d)
	}
	return wentOn
}

var wentOn = Decision{Action: Left, Why: "another call has already continued the session"}

func (s *State) chain(id int) *Chain {
	return first(s.Chains, func(c *Chain) bool { return c.ID == id })
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
	return first(s.Uses, func(u *Use) bool { return u.Server == server && u.Agent == agent })
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
	severalAlive  = "several sessions are open, and the call names none"
	ofElsewhere   = "an earlier call passed a value that no result has shown"
	unseen        = "the newest value was handed out where hooks cannot see it"
	otherEnds     = "the abbreviated value is not the newest"
	twoEnds       = "the value is abbreviated"
	early         = "an earlier call has no answer yet"
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
