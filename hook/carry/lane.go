package carry

import (
	"strconv"

	"wsi/internal/rawjson"
)

// Lanes returns the names of a call's lanes. Calls with a common lane must be made one after the other,
// because the result of one holds the value for the next. A call without a lane need not wait. known returns
// the session's state; it is called at most once, and only when needed.
func (r *Rule) Lanes(call Call, known func() State) []string {
	in := r.injectionFor(call.Tool)
	if in != nil && in.Choose == byKeyOf {
		key, _ := rawjson.Unquote(in.Key.in(call.Args))
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
