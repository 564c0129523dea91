package doctor

import (
	"cmp"
	"context"
	"slices"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/hook/rules"
	"wsi/installer/inspect"
)

func newTarget(ctx context.Context, o Options, h setup.Harness, box rehearse.Sandbox) *target {
	o.Env = steady(o.Env)
	p := &target{Options: o, ctx: ctx, harness: h, box: box, found: map[report.Check]report.Status{}}
	p.presence, p.findErr = h.Find(o.Env)
	p.files = inspect.Around(o.Env, h, o.Scopes...)
	p.sort()
	p.server = o.Server
	if p.server == "" {
		p.server = p.likely()
	}
	return p
}

// likely returns the server to examine if the user names none: one that wsi is registered for, or else one of the
// harness's servers that has a rule.
func (p *target) likely() string {
	var known []string
	for _, h := range p.hooks {
		known = append(known, h.Parsed.Servers...)
	}
	set, _ := rules.Load(rules.UserFile(p.Env.Getenv, p.Env.Home)) // ownRules reports errors
	for _, f := range p.allRelays() {
		if !f.Kept || f.As != "" || set.Names(f.name) { // else an older wsi only kept its ids
			known = append(known, f.name)
		}
	}
	if len(known) == 0 {
		for _, s := range p.presence.Servers {
			if set.Names(s.Name) {
				known = append(known, s.Name)
			}
		}
	}
	if len(known) == 0 || slices.Contains(known, harnesses.DefaultServer) {
		return harnesses.DefaultServer
	}
	return known[0]
}

// sort separates wsi's hooks from those of other programs.
func (p *target) sort() {
	for _, f := range p.files {
		p.unread = cmp.Or(p.unread, f.Err)
		for _, one := range f.Found {
			if one.Mine {
				p.hooks = append(p.hooks, p.vet(rehearse.Hook{Hook: one, File: f}))
			} else {
				p.others = append(p.others, rehearse.Hook{Hook: one, File: f})
			}
		}
	}
	p.sortRelics()
	for _, f := range inspect.Borrowed(p.Env, p.harness) {
		p.unread = cmp.Or(p.unread, f.Err)
		for _, one := range f.Found {
			p.borrowed = append(p.borrowed, rehearse.Hook{Hook: one, File: f})
		}
	}
}
