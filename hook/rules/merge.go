package rules

import "fmt"

// Merge puts a user's rules over the built-in ones: one of the same name replaces it in its place,
// others come after, and tools that either leaves alone are left alone. Neither is changed. The
// errors are of rules that switch something of a rule that there is not: they would silently do nothing.
func Merge(builtin, user Set) (Set, Errors) {
	if len(user.Rules)+len(user.Leave) == 0 { // as with most servers: what is kept compiled is about one
		builtin.Single = builtin.Single || user.Single
		return builtin, nil
	}
	out := Set{Single: builtin.Single || user.Single}
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
				What: fmt.Sprintf("there is no rule %q to switch on or off", r.Name), Write: `a name that "wsi rules list" shows`,
			})
		default:
			out.Rules = append(out.Rules, r)
		}
	}
	return out, errs
}

// bare reports whether a rule does nothing but switch the one of its name, or its aliases, on or off.
func (r *Rule) bare() bool { return len(r.Servers) == 0 }
