package rules

import "fmt"

// Merge merges a user's rules over the built-in ones. A rule of the same name replaces the built-in one in
// its place, and others follow; tools that either set leaves alone are left alone. It changes neither set. The
// errors are about rules that only switch a rule on or off which does not exist, or that show what another rule takes.
func Merge(builtin, user Set) (Set, Errors) {
	if len(user.Rules)+len(user.Leave) == 0 { // the usual case, since the compiled form is about one server
		builtin.Keying = user.Keying
		return builtin, nil
	}
	out := Set{Keying: user.Keying}
	out.Leave = append(append(out.Leave, builtin.Leave...), user.Leave...)
	out.Rules = append(out.Rules, builtin.Rules...)
	at := make(map[string]int, len(out.Rules))
	for i, r := range out.Rules {
		at[r.Name] = i
	}
	var errs Errors
	for _, r := range user.Rules {
		i, replaces := at[r.Name]
		switch {
		case replaces && r.bare():
			out.Rules[i].Off, out.Rules[i].Alias, out.Rules[i].Origin = r.Off, r.Alias, r.Origin
		case replaces:
			out.Rules[i] = r
		case r.bare():
			errs = append(errs, &Error{
				File: r.Origin.File, Line: r.Origin.Line, Column: 1,
				What: fmt.Sprintf("unknown rule %q to switch on or off", r.Name), Write: `a name that "wsi rules list" shows`,
			})
		default:
			out.Rules = append(out.Rules, r)
		}
	}
	for i := range out.Rules {
		errs = append(errs, out.exposedBy(&out.Rules[i])...)
	}
	return out, errs
}

// exposedBy returns the errors about what a rule shows the model although another one for its servers takes it.
func (s *Set) exposedBy(r *Rule) (errs Errors) {
	if r.Off || len(r.Show.From) == 0 {
		return nil
	}
	for _, server := range r.Servers {
		others, _ := s.of(server)
		for i := range others {
			for _, shown := range exposed(r.Show, &others[i]) {
				errs = append(errs, &Error{
					File: r.Origin.File, Line: r.Origin.Line, Column: 1,
					What: fmt.Sprintf("%q shows %s, which the rule %q captures or collects and the model must not read", r.Name, shown, others[i].Name), Write: otherMembers,
				})
			}
		}
	}
	return errs
}

// bare reports whether a rule only switches the rule of its name, or its aliases, on or off.
func (r *Rule) bare() bool { return len(r.Servers) == 0 }
