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

// carried returns the rules in force for the examined server.
func (p *target) carried() []carry.Rule {
	set := p.ruleSet()
	if as := p.as(); as != "" {
		set.As = map[string]string{p.server: as}
	}
	return set.For(p.server)
}

// readsMeta reports whether a rule shows or collects what results have in _meta.
func readsMeta(all []carry.Rule) bool {
	return slices.ContainsFunc(all, func(r carry.Rule) bool { return r.ReadsMeta() })
}

// as returns the server with whose rules the examined one is registered; "" = those of its own name.
func (p *target) as() string {
	for _, h := range p.hooks {
		if as := h.Parsed.As[p.server]; as != "" {
			return as
		}
	}
	for _, f := range p.relays() {
		if f.As != "" {
			return f.As
		}
	}
	return ""
}

// serverWord returns the argument of setup's --server: without a rule for it, and without a relay, the server is said to be a
// workflow-server.
func (p *target) serverWord() string {
	as := p.as()
	if !p.ruled() && !p.relayed() {
		as = rules.WorkflowServer
	}
	return harnesses.ServerWord(p.server, as)
}

func (p *target) ruleSet() *rules.Set {
	set, _ := rules.Load(rules.UserFile(p.Env.Getenv, p.Env.Home)) // ownRules reports errors
	return &set
}

// ofItsOwn reports whether the rules carry other values of the server than the reference server's.
func (p *target) ofItsOwn() bool {
	all := p.carried()
	return len(all) > 0 && !carry.Same(p.server, rules.WorkflowServer) && !slices.ContainsFunc(all, forToken)
}

// forToken reports whether a rule is for the reference server's token.
func forToken(r carry.Rule) bool { return r.Takes("get_activity") == refserver.Argument }

// knownTool returns a tool of the examined server that its rules name.
func (p *target) knownTool() string {
	if !p.ofItsOwn() {
		return "get_activity"
	}
	for _, r := range p.carried() {
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
	server := cmp.Or(p.as(), p.server)
	return slices.ContainsFunc(p.ruleSet().Rules, func(r rules.Rule) bool {
		own := rules.Set{Rules: []rules.Rule{r}}
		return r.Origin.File != "" && own.Names(server)
	})
}

// turnedOff reports whether the user's rule file leaves nothing in force for the server.
func (p *target) turnedOff() bool { return len(p.carried()) == 0 }

// ruleFile returns the user's rule file. One that cannot be read is not in force for the user either.
func (p *target) ruleFile() []byte {
	text, _ := p.Env.ReadFile(rules.UserFile(p.Env.Getenv, p.Env.Home))
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
