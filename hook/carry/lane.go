package carry

import (
	"strconv"

	"wsi/internal/rawjson"
)

// Lanes names the calls that must be made one after the other: what one of them is given stands in the
// result of the one before. Calls with a lane in common wait for each other; one without any waits for
// none. known returns what is kept of the session, and is called at most once, and only if it matters.
func (r *Rule) Lanes(call Call, known func() State) []string {
	in := r.takes(call.Tool)
	if in != nil && in.Choose == byKeyOf {
		key, _ := rawjson.Unquote(in.Key.in(call.Args))
		return []string{r.Server + "\x00" + key}
	}
	if in == nil && (!r.opens(call.Tool) || r.OnlyByKey()) {
		return nil
	}
	// The main agent's, and that of all who go on with its chain: a sub-agent that has none of its own.
	common := r.Server + "\x00\x00"
	if r.Single || r.Scope == ScopeUser || call.Agent == "" {
		return []string{common}
	}
	own := common + call.Agent // what it asked for before it had a chain comes before all later
	if in == nil {
		return []string{own}
	}
	state := known()
	if !state.Knows(r.Server) { // there is no chain to share
		return []string{own}
	}
	if chain, apart := state.apart(r.Server, call.Agent); apart {
		common += "\x00" + strconv.Itoa(chain)
	}
	return []string{own, common}
}

// apart returns the chain that an agent works with, if it is another one than the main agent's.
func (s *State) apart(server, agent string) (chain int, apart bool) {
	u, main := s.use(server, agent), s.use(server, "")
	if u == nil {
		return none, false
	}
	chain = s.lane(u)
	return chain, main == nil || s.lane(main) != chain
}

// lane is the id of the chain that an agent goes on with.
func (s *State) lane(u *Use) int {
	if c := s.with(u); c != nil {
		return c.ID
	}
	return u.Chain
}
