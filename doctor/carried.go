package doctor

import (
	"cmp"
	"slices"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/internal/lists"
	"wsi/internal/refserver"
)

// readsMeta reports whether a rule shows or collects what results have in _meta.
func (p *target) readsMeta() bool {
	return slices.ContainsFunc(p.carried, func(r carry.Rule) bool { return r.ReadsMeta() })
}

// serverWord returns the argument of setup's --server: without a rule for it, and without a relay, the server is said to be a
// workflow-server.
func (p *target) serverWord() string {
	as := p.as
	if !p.ruled() && !p.relayed() {
		as = rules.WorkflowServer
	}
	return harnesses.ServerWord(p.server, as)
}

// rulesPath returns the path of the user's rule file.
func (o Options) rulesPath() string { return rules.UserFile(o.Env.Getenv, o.Env.Home) }

// ofItsOwn reports whether the rules carry other values of the server than the reference server's.
func (p *target) ofItsOwn() bool {
	forToken := func(r carry.Rule) bool { return r.Takes("get_activity") == refserver.Argument }
	return len(p.carried) > 0 && !carry.Same(p.server, rules.WorkflowServer) && !slices.ContainsFunc(p.carried, forToken)
}

// knownTool returns a tool of the examined server that its rules name.
func (p *target) knownTool() string {
	if !p.ofItsOwn() {
		return "get_activity"
	}
	for _, r := range p.carried {
		named := slices.Concat(r.Flow.Opens, r.Capture.Tools, r.Tools)
		for _, by := range r.Repair {
			named = append(named, by.Tools...)
		}
		for _, in := range r.Inject {
			named = append(named, in.Tools...)
		}
		tool, _ := lists.Find(named, func(name string) bool { return name != "*" && r.Knows(name) })
		if tool != "" {
			return tool
		}
	}
	return "get_activity"
}

// usersRules reports whether a rule in the user's file is for the examined server.
func (p *target) usersRules() bool {
	server := cmp.Or(p.as, p.server)
	return slices.ContainsFunc(p.rules.Rules, func(r rules.Rule) bool {
		own := rules.Set{Rules: []rules.Rule{r}}
		return r.Origin.File != "" && own.Names(server)
	})
}

// turnedOff reports whether the user's rule file leaves nothing in force for the server.
func (p *target) turnedOff() bool { return len(p.carried) == 0 }

// ruleFile returns the user's rule file. One that cannot be read is not in force for the user either.
func (p *target) ruleFile() []byte {
	text, _ := p.Env.ReadFile(p.rulesPath())
	return text
}

// arguments returns the arguments that rules fill in or repair.
func arguments(of []carry.Rule) (all []string) {
	for _, r := range of {
		add := func(a carry.Path) { all = lists.AddUnique(all, a.Parts()[0]) }
		for _, in := range r.Inject {
			add(in.Argument)
		}
		if len(r.Inject) > 0 {
			continue
		}
		for _, by := range r.Repair {
			for _, a := range by.Arguments {
				add(a)
			}
		}
	}
	return all
}
