package carry

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// State is what is known of one harness session. The zero State is that of a session never seen.
type State struct {
	Chains []Chain `json:"chains,omitempty"` // the one that changed last is last
	Uses   []Use   `json:"uses,omitempty"`
	Notes  []Note  `json:"notes,omitempty"`
	// Foreign are tools that a harness which names tools without their server was seen to call on
	// another server.
	Foreign []string `json:"foreign,omitempty"`
	Next    int      `json:"next,omitempty"`  // the id of the next chain
	Clock   int      `json:"clock,omitempty"` // counts calls
}

// Use says which chain an agent works with (docs/state.md). An agent without a Use has made no call that
// says so.
type Use struct {
	Server string `json:"server"`
	Agent  string `json:"agent,omitempty"`
	Chain  int    `json:"chain"`
	Side   int    `json:"side,omitempty"`   // the chain of its late answer to a value of Chain; 0, the id of a session's first, is none
	Back   bool   `json:"back,omitempty"`   // it went back to that value, and goes on with Side
	Joined bool   `json:"joined,omitempty"` // it was given Chain's value, and has no result yet
	Unsure bool   `json:"unsure,omitempty"` // it opened a child's chain since: either may be meant
	Lost   bool   `json:"lost,omitempty"`   // it carried a value of no chain since, and got no new one
	At     int    `json:"at,omitempty"`     // the call that says so
}

// Note is a call whose result the hook could not see when it ran.
type Note struct {
	Server  string `json:"server"`
	Agent   string `json:"agent,omitempty"`
	ID      string `json:"id"`
	At      int    `json:"at,omitempty"` // by State.Clock; 0 if it was not counted yet
	Opens   bool   `json:"opens,omitempty"`
	Child   bool   `json:"child,omitempty"`
	Keeps   bool   `json:"keeps,omitempty"`   // a call of a tool in Rule.Keeps
	Changes bool   `json:"changes,omitempty"` // a call of a tool in Rule.Changes
	Asked   string `json:"asked,omitempty"`   // digest of the value that the call carried
	Handle  bool   `json:"handle,omitempty"`  // it carried it in one of Rule.Unless, for somebody else perhaps
	Whole   bool   `json:"whole,omitempty"`   // it is a value as far as can be seen, no damaged one
	Back    bool   `json:"back,omitempty"`    // it was an older value already when the call began

	Aside int `json:"aside,omitempty"` // the chain that its late answer belongs to; 0 is none

	// Answered is true if the call has returned, so that its result must appear in the transcript;
	// false if it may never have been made.
	Answered bool `json:"answered,omitempty"`
	Failed   bool `json:"failed,omitempty"` // it has returned an error

	Tries int      `json:"tries,omitempty"` // how often it was looked for in vain
	Files []string `json:"files"`           // transcripts in which the result can appear
	From  []int64  `json:"from"`            // where in them it can begin
}

// Bounds of a session's file. They are far above what any session was seen to need.
const (
	maxChains  = 256
	maxUses    = 512
	maxDigests = 64
	maxValues  = 8 // of a chain, the newest included: what a mangled value is compared with
	maxNotes   = 256
	maxBegun   = 16 // notes of calls that went back and are not answered
	maxAside   = 32 // chains that began with a late answer nobody has gone on from
	maxForeign = 64

	// maxTries is how often a result is looked for. A call that may never have been made costs
	// nothing to look for; one that was made is waited for.
	maxTries, maxTriesUnanswered = 3, 32
)

// Stored is the state of a session of which nothing is known but its main agent's value.
func Stored(server, value string) State {
	return State{
		Chains: []Chain{{Server: server, Value: value, Seen: []string{digest(value)}}},
		Uses:   []Use{{Server: server}}, Next: 1,
	}
}

func digest(value string) string {
	if value == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:8])
}

// remember appends to digests, dropping the oldest.
func remember(digests []string, d string) []string {
	digests = append(digests, d)
	return digests[max(0, len(digests)-maxDigests):]
}

func (s *State) chain(id int) *Chain {
	for i := range s.Chains {
		if s.Chains[i].ID == id {
			return &s.Chains[i]
		}
	}
	return nil
}

// chainWith returns the server's chain that has or had this value, nil if none had. Two may have it, for
// agents who do the same in the same second are given the same: then the one that goes on from it is meant.
func (s *State) chainWith(server, d string) (found *Chain) {
	if d == "" {
		return nil
	}
	for i := len(s.Chains) - 1; i >= 0; i-- {
		switch c := &s.Chains[i]; {
		case c.Server != server:
		case c.heads(d):
			return c
		case found == nil && c.knows(d):
			found = c
		}
	}
	return found
}

// asked returns the chain of the value that a note's call carried, nil if it is of none. Of several that
// have it the one is meant with which the agent works.
func (s *State) asked(n Note) *Chain {
	c := s.chainWith(n.Server, n.Asked)
	if u := s.use(n.Server, n.Agent); u != nil && c != nil {
		for _, own := range []*Chain{s.side(u), s.chain(u.Chain)} {
			if own != nil && (own.heads(n.Asked) || own.knows(n.Asked) && !c.heads(n.Asked)) {
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

// side returns the chain of an agent's late answer, nil if there is none.
func (s *State) side(u *Use) *Chain {
	if u.Side == 0 {
		return nil
	}
	return s.chain(u.Side)
}

// with returns the chain that an agent goes on with, nil if it is not kept.
func (s *State) with(u *Use) *Chain {
	if c := s.side(u); c != nil && u.Back {
		return c
	}
	return s.chain(u.Chain)
}

const (
	nothingStored = "nothing is stored"
	severalAlive  = "several values are alive and only the model knows which is meant"
	ofElsewhere   = "the last call carried a value of elsewhere"
	unseen        = "the newest value was handed out where hooks cannot see it"
	otherEnds     = "it has other ends than the newest value"
	early         = "the call before it is still not answered"
)

// current returns the chain an agent goes on with. A sub-agent that has used none yet goes on with
// the main agent's. Without one, why says so.
func (s *State) current(server, agent string) (c *Chain, why string) {
	u := s.use(server, agent)
	if u == nil && agent != "" {
		u = s.use(server, "")
	}
	if u == nil {
		return nil, nothingStored
	}
	if u.Unsure {
		return nil, severalAlive
	}
	if u.Lost {
		return nil, ofElsewhere
	}
	if c = s.with(u); c == nil || c.Value == "" {
		return nil, unseen
	}
	return c, ""
}

// sole returns the server's one chain that has a value, and why there is none, or more.
func (s *State) sole(server string) (c *Chain, why string) {
	why = nothingStored
	for i := range s.Chains {
		if o := &s.Chains[i]; o.Server == server && o.Value != "" {
			if c != nil {
				return nil, severalAlive
			}
			c, why = o, ""
		}
	}
	return c, why
}

// bind notes that a note's agent bind with a chain, unless a later call of its has said otherwise.
func (s *State) bind(n Note, chain int) {
	if u := s.use(n.Server, n.Agent); u != nil && u.At > n.At {
		return
	}
	s.Uses = slices.DeleteFunc(s.Uses, func(u Use) bool { return u.Server == n.Server && u.Agent == n.Agent })
	s.Uses = append(s.Uses, Use{Server: n.Server, Agent: n.Agent, Chain: chain, At: n.At})
	s.Uses = s.Uses[max(0, len(s.Uses)-maxUses):]
}

// markAmbiguous notes that a note's agent may go on with what it works with or with what it opened for
// somebody else, unless a later call of its has said which.
func (s *State) markAmbiguous(n Note, u *Use) {
	if u.At <= n.At {
		u.Unsure, u.At = true, n.At
	}
}

// markUnknown notes that a note's agent has carried something else than what it works with.
func (s *State) markUnknown(n Note) {
	u := s.use(n.Server, n.Agent)
	if u == nil {
		s.bind(n, none)
		u = s.use(n.Server, n.Agent)
	}
	if u != nil && u.At <= n.At {
		u.Lost, u.At = true, n.At
	}
}

// The ids of no chain, and of one of whose values nobody has seen any.
const none, unknown = -1, -2

// count gives a note its place among all calls.
func (s *State) count(n *Note) {
	if n.At == 0 {
		s.Clock++
		n.At = s.Clock
	}
}

// Knows tells whether anything is known of a server.
func (s *State) Knows(server string) bool {
	return slices.ContainsFunc(s.Chains, func(c Chain) bool { return c.Server == server })
}

// keyed returns the chain of a name, nil if there is none.
func (s *State) keyed(server, key string) *Chain {
	if key == "" {
		return nil
	}
	for i := len(s.Chains) - 1; i >= 0; i-- {
		if c := &s.Chains[i]; c.Server == server && c.Key == key {
			return c
		}
	}
	return nil
}

// newest returns the chain that a call of an agent goes on with if the one that changed last is
// meant, nil if nothing is stored.
func (s *State) newest(server, agent string) *Chain {
	if u := s.use(server, agent); u != nil && !u.Unsure && !u.Lost {
		return s.with(u)
	}
	for i := len(s.Chains) - 1; i >= 0; i-- {
		if c := &s.Chains[i]; c.Server == server && c.Value != "" {
			return c
		}
	}
	return nil
}

// values returns the stored values of a server, "" for all, of each chain the newest first, and the
// chain that changed last before all others.
func (s *State) values(server string) []Candidate {
	var all []Candidate
	for i := len(s.Chains) - 1; i >= 0; i-- {
		c := &s.Chains[i]
		if server != "" && c.Server != server {
			continue
		}
		if c.Value != "" {
			all = append(all, Candidate{c.Value, c.Key})
		}
		for k := len(c.Older) - 1; k >= 0; k-- {
			all = append(all, Candidate{c.Older[k], c.Key})
		}
	}
	return all
}

// open begins a chain for the agent of a note. Of a child's chain it is not known whether the agent
// will go on with it or hand it to somebody else, unless it is all the agent has.
func (s *State) open(n Note, value, key string) {
	c := Chain{ID: s.Next, Server: n.Server, Key: key, Value: value}
	if value != "" {
		c.Seen = []string{digest(value)}
	}
	s.add(c)
	u, main := s.use(n.Server, n.Agent), s.use(n.Server, "")
	if u != nil && u.Chain == none && !u.Unsure && !n.Child { // what it has is nothing
		u = nil
	}
	if main != nil && main.Chain == none {
		main = nil
	}
	switch {
	case n.Handle && (u != nil || main != nil): // it was somebody else's
		return
	case n.Child && u == nil && main != nil: // which it would have gone on with
		s.bind(n, main.Chain)
		u = s.use(n.Server, n.Agent)
	}
	if n.Child && u != nil {
		s.markAmbiguous(n, u)
		return
	}
	s.bind(n, c.ID)
}

// add puts a new chain behind all others. Of those that are too many the one goes that did not change for
// longest; late answers that nobody has gone on from go before all others.
func (s *State) add(c Chain) {
	s.Next++
	s.Chains = append(s.Chains, c)
	aside, oldest := 0, -1
	for i := range s.Chains {
		if o := &s.Chains[i]; o.waits() {
			if aside++; oldest < 0 {
				oldest = i
			}
		}
	}
	if aside > maxAside {
		s.Chains = slices.Delete(s.Chains, oldest, oldest+1)
	}
	s.Chains = s.Chains[max(0, len(s.Chains)-maxChains):]
}

// advance makes value the newest of a chain, as the answer to a note's call.
func (s *State) advance(rule *Rule, c *Chain, n Note, value, key string) {
	d, moved := digest(value), *c
	peers := slices.DeleteFunc(moved.peersAfter(n), func(p string) bool { return p == d })
	for _, p := range moved.Equivalents { // what is no longer as good is older
		if !slices.Contains(peers, p) && p != d {
			moved.Seen = remember(moved.Seen, p)
		}
	}
	moved.Equivalents = peers
	moved.Since = moved.since(rule, n)
	moved.retire(rule.keeps())
	moved.Value, moved.By = value, n.Agent
	if key != "" {
		moved.Key = key
	}
	moved.Seen = remember(moved.Seen, d)
	s.Chains = append(slices.DeleteFunc(s.Chains, func(o Chain) bool { return o.ID == moved.ID }), moved)
}

// Join notes what is known of a call before it is made: that an agent without a Use was given a value, so
// that it is one of those who work with its chain; and that the call goes back to an older value. It is
// false if there is nothing to note.
func (s *State) Join(rule *Rule, call Call, d Decision) bool {
	if d.Action == Injected {
		return s.joins(rule, call, d)
	}
	return d.Action != Denied && s.turnsBack(rule, call, d)
}

func (s *State) joins(rule *Rule, call Call, d Decision) bool {
	if s.use(rule.Server, call.Agent) != nil {
		return false
	}
	c := s.chainWith(rule.Server, digest(d.Change.Value))
	if main := s.use(rule.Server, ""); main != nil { // two chains may have the same value
		if own := s.with(main); own != nil && own.Value == d.Change.Value {
			c = own
		}
	}
	if c == nil {
		return false
	}
	n := Note{Server: rule.Server, Agent: call.Agent}
	s.count(&n)
	s.bind(n, c.ID)
	s.use(n.Server, n.Agent).Joined = true
	return true
}

// turnsBack tells apart what the result alone does not: a call that carried the newest value and was
// overtaken, and one that its model sent back to an older value.
func (s *State) turnsBack(rule *Rule, call Call, d Decision) bool {
	if call.ID == "" || len(s.Chains) == 0 || rule.opens(call.Tool) {
		return false
	}
	if d.Changes() {
		call.Args = d.Change.Args
	}
	n := Note{Server: rule.Server, Agent: call.Agent, ID: call.ID, Back: true}
	var value string
	if value, n.Handle = rule.carriedIn(call.Args); value == "" || n.Handle {
		return false
	}
	n.Asked = digest(value)
	if c := s.asked(n); c == nil || c.heads(n.Asked) || s.recall(&n) {
		return false
	}
	s.Forget(n)
	s.count(&n) // what the agent is told while this call is on its way counts for more
	s.Notes = append(s.Notes, n)
	begun := 0
	for i, o := range slices.Backward(s.Notes) {
		if o.begun() {
			if begun++; begun > maxBegun {
				s.Notes = slices.Delete(s.Notes, i, i+1)
			}
		}
	}
	return true
}

// lose notes that a call handed out a value that nobody saw. The chain stays, without a value: to
// go on with the one before would rewind the server's session, or drive another agent's.
func (s *State) lose(n Note) {
	if n.Keeps {
		return
	}
	c := s.target(n)
	switch {
	case c == nil && n.Opens:
		s.open(n, "", "")
	case c == nil:
	case n.Asked == "", c.heads(n.Asked), n.Changes && c.stillAt(n.Asked):
		c.retire(maxValues)
		c.Equivalents = nil
		if !n.Handle {
			s.bind(n, c.ID)
		}
	}
}

// target returns the chain that a call's result continues, nil if it begins one. A result continues
// the chain whose value the call carried, whoever made the call: that is how an agent finds the
// newest value after a sub-agent has worked with its chain.
func (s *State) target(n Note) *Chain {
	if n.Opens { // with a value of a chain, too: from here on the two go separate ways
		return nil
	}
	if n.Asked != "" {
		return s.asked(n)
	}
	u := s.use(n.Server, n.Agent)
	if u == nil {
		u = s.use(n.Server, "")
	}
	if u == nil {
		return nil
	}
	return s.with(u)
}
