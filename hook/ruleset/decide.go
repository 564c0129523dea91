package ruleset

import (
	"slices"

	"wsi/hook/carry"
)

// InTurn asks one after the other. Whoever holds an alias for nobody's is asked again when all others
// have had a look at it, if they changed anything.
func InTurn(n int, ask func(i int) (carry.Decision, error)) error {
	var again []int
	changed := false
	for i := range n {
		d, err := ask(i)
		if err != nil {
			return err
		}
		if d.Action == carry.Denied && d.UnknownAlias {
			again = append(again, i)
		}
		changed = changed || d.Changes()
	}
	if !changed {
		return nil
	}
	for _, i := range again {
		if _, err := ask(i); err != nil {
			return err
		}
	}
	return nil
}

// Together is what comes of several decisions about one call, or its result. Of those that leave it as it is
// the one that came nearest to doing something tells why. Of a server that never showed a value of a rule
// in this session, but one of another rule, which the call carries, the first rule has nothing to tell: the
// server is of another version.
func Together(each []carry.Decision) (all carry.Decision) {
	carries := slices.ContainsFunc(each, func(d carry.Decision) bool { return d.Carries })
	for i, d := range each {
		if carries && d.NeverHad {
			d.ModelNotice = ""
		}
		switch {
		case i == 0:
			all = d
		case d.Relevance() > all.Relevance():
			all = d.And(all)
		default:
			all = all.And(d)
		}
	}
	return all
}

// Decide asks every rule of the shelf, and returns what comes of it all and of each. session is the key
// of the call's in the vault.
func (s Set) Decide(state *carry.State, session string, call carry.Call) (all carry.Decision, each []carry.Decision) {
	each = make([]carry.Decision, len(s.Rules))
	_ = InTurn(len(s.Rules), func(i int) (carry.Decision, error) { // asking a rule never fails
		each[i] = carry.Before(&s.Rules[i], state, Caller(&s.Rules[i], session, call))
		if each[i].Changes() {
			call.Args = each[i].Change.Args
		}
		return each[i], nil
	})
	return Together(each), each
}

// Bind notes whom a value was given to for the first time, and reports whether that is anything new.
func (s Set) Bind(state *carry.State, session string, call carry.Call, each []carry.Decision) (joined bool) {
	for i := range each {
		joined = state.Join(&s.Rules[i], Caller(&s.Rules[i], session, call), each[i]) || joined
	}
	return joined
}
