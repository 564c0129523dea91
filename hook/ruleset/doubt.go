package ruleset

import "wsi/hook/carry"

// Doubt has the engine leave calls alone whose owner may be any of several agents or conversations, each
// with a chain of its own: where nobody says which agent calls. The state is not to be kept.
func (s Set) Doubt(state *carry.State) {
	for i := range s.Rules {
		rule := &s.Rules[i]
		if rule.OnlyByKey() || rule.Single || rule.Scope == carry.ScopeUser {
			continue
		}
		alive := 0
		for _, c := range state.Chains {
			if c.Server == rule.Server && c.Value != "" {
				alive++
			}
		}
		for k := range state.Uses {
			if u := &state.Uses[k]; u.Server == rule.Server && alive > 1 {
				u.Unsure = true
			}
		}
	}
}
