package doctor

import (
	"os"
	"path/filepath"
	"slices"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/internal/refserver"
)

// carried returns the rules in force for the examined server.
func (p *patient) carried() []carry.Rule {
	set, _ := rules.Load(rules.UserFile(p.Env.Getenv, p.Env.Home)) // what is wrong with it, ownRules tells
	if as := p.as(); as != "" {
		set.As = map[string]string{p.server: as}
	}
	return set.For(p.server)
}

// as returns the server whose rules the examined one has, as it is registered; "" for those of its own name.
func (p *patient) as() string {
	for _, h := range p.hooks {
		if as := h.Said.As[p.server]; as != "" {
			return as
		}
	}
	for _, f := range p.fronts() {
		if f.As != "" {
			return f.As
		}
	}
	return ""
}

// serverWord returns what setup's --server takes for the examined server. Setup does not guess that a server
// that no rule names is a workflow-server: who examines it as one says so.
func (p *patient) serverWord() string {
	set, _ := rules.Load(rules.UserFile(p.Env.Getenv, p.Env.Home)) // likewise
	as := p.as()
	if as == "" && !set.Names(p.server) {
		as = rules.WorkflowServer
	}
	return harnesses.ServerWord(p.server, as)
}

// watched are the rules by which the server's tools are looked at: of a workflow-server's that of its token,
// for of what else it takes, it needs no wsi.
func (p *patient) watched() []carry.Rule {
	if p.ofItsOwn() {
		return p.carried()
	}
	return []carry.Rule{rules.ForToken(p.server)}
}

// ofItsOwn tells whether the user's rules carry other values of the server than the reference server's,
// with which nothing can be rehearsed.
func (p *patient) ofItsOwn() bool {
	all := p.carried()
	return len(all) > 0 && !carry.Same(p.server, rules.WorkflowServer) && !slices.ContainsFunc(all, func(r carry.Rule) bool { return r.Takes("get_activity") == refserver.Argument })
}

// ownRulesApart is what a rehearsal without the user's rules says of it.
func (p *patient) ownRulesApart() string {
	if !p.ofItsOwn() {
		return ""
	}
	return ", with wsi's own rules, for those of yours for " + p.server + " carry no " + refserver.Argument
}

// adoptRules puts the user's rule file into force where hooks are tried.
func (p *patient) adoptRules() error {
	text := p.ruleFile()
	if text == nil {
		return nil
	}
	return os.WriteFile(filepath.Join(p.box.config, "wsi", rules.FileName), text, 0o600)
}

// ruleFile is the user's as far as something can be rehearsed with it. One that cannot be read is not in
// force with the user either.
func (p *patient) ruleFile() []byte {
	if p.ofItsOwn() {
		return nil
	}
	text, _ := p.Env.ReadFile(rules.UserFile(p.Env.Getenv, p.Env.Home))
	return text
}

// arguments are those that these rules put values into.
func (p *patient) arguments() (all []string) {
	for _, r := range p.watched() {
		for _, in := range r.Inject {
			if a := string(in.Argument); !slices.Contains(all, a) {
				all = append(all, a)
			}
		}
	}
	return all
}
