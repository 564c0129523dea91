package carry

import (
	"slices"
	"strconv"

	"wsi/internal/jsonraw"
)

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
