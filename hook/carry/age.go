package carry

import "slices"

// newerThan returns how many values of its chain are newer than the one with digest d, 0 if none is known.
func (s *State) newerThan(server, d string) int {
	c := s.chainWith(server, d)
	if c == nil || c.isHead(d) {
		return 0
	}
	switch at := slices.Index(c.Seen, d); {
	case at < 0:
		return 0
	case at == len(c.Seen)-1 && c.Value == "": // the newest one was never seen
		return 1
	default:
		return len(c.Seen) - at - 1
	}
}

// hasHad reports whether a value of the server was ever seen in the session.
func (s *State) hasHad(server string) bool {
	return slices.ContainsFunc(s.Chains, func(c Chain) bool { return c.Server == server && len(c.Seen) > 0 })
}
