package doctor

import (
	"slices"

	"wsi/doctor/toollist"
	"wsi/hook/carry"
	"wsi/hook/schemas"
	"wsi/internal/lists"
)

// keepSchemas keeps what those of the server's tools require that no rule names, for hooks, which are shown no schemas.
func (p *target) keepSchemas(tools []toollist.Tool) error {
	if p.StateDir == "" {
		return nil
	}
	var all []schemas.Tool
	inForce := p.carried()
	for _, t := range tools {
		requires := func(argument string) bool { return slices.Contains(schemas.Required(t.InputSchema), argument) }
		if _, admitted := carry.Admit(inForce, t.Name, nil, requires); admitted {
			all = append(all, schemas.Tool{Name: t.Name, Schema: t.InputSchema})
		}
	}
	return schemas.In(p.StateDir).Write(p.harness.ID, p.server, all)
}

// unnamed looks for tools that take what a rule carries, although no rule names them: those of another version of the
// server. found is false if there are none.
func (p *target) unnamed() (out outcome, found bool) {
	all := p.carried()
	for _, required := range []bool{false, true} {
		var names []string
		argument := ""
		for _, t := range p.asked().tools {
			if takes := unnamedArgument(all, t, required); takes != "" && (argument == "" || takes == argument) {
				names, argument = lists.AddUnique(names, t.Name), takes
			}
		}
		if len(names) == 0 {
			continue
		}
		take, them, their := "takes", "it", "its"
		if len(names) > 1 {
			take, them, their = "take", "them", "their"
		}
		then := "left alone, since the server does not require that"
		if required {
			then = "filled in because the server requires that"
		}
		return attention("add "+them+" to a rule of your own; wsi rules path prints where",
			"%s %s %s, and no rule names %s: %s calls are %s", some(names), take, argument, them, their, then), true
	}
	return out, false
}

// unnamedArgument returns the argument of a tool, required or not, that a rule would fill in if one named the tool.
func unnamedArgument(all []carry.Rule, t toollist.Tool, required bool) string {
	all, admitted := carry.Admit(all, t.Name, nil, t.Takes)
	if !admitted {
		return ""
	}
	for _, r := range all {
		argument := r.Takes(t.Name)
		if argument != "" && carry.HandsOff(t.Name, argument, nil) == "" && required == slices.Contains(schemas.Required(t.InputSchema), argument) {
			return argument
		}
	}
	return ""
}
