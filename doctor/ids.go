package doctor

import (
	"context"
	"slices"
	"strings"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
)

// idsListed rehearses a call of each server whose ids are kept, and a compaction.
func idsListed(p *target) outcome {
	kept := p.handles()
	if len(kept) == 0 {
		return skipped("no ids are kept; to keep those of all servers: wsi setup --handles all")
	}
	rehearsed := p.listedByHooks
	if !p.hooked() {
		if out := p.marks(); out.status != report.OK {
			return out
		}
		rehearsed = p.listedByRelay
	}
	for _, id := range []report.Check{
		report.HookFile, report.HookRegistered, report.HookMatches, report.ServerFronted, report.HookEnabled, report.HookTrusted, report.HookRunnable, report.RelayRunnable,
	} {
		if p.found[id] == report.Fail {
			return skipped("not tried: wsi does not run")
		}
	}
	ctx, cancel := context.WithTimeoutCause(p.ctx, budget, errBudget)
	defer cancel()
	for _, server := range kept {
		if why := rehearsed(ctx, server); why != "" {
			return broken(p.setup(), "rehearsed with %s: %s", server, why)
		}
	}
	return good("rehearsed: after a compaction the model reads the ids of %s", strings.Join(kept, ", "))
}

func (p *target) listedByHooks(ctx context.Context, server string) (why string) {
	return p.subject().IDs(ctx, server)
}

// listedByRelay starts the relays that keep the ids of a server.
func (p *target) listedByRelay(ctx context.Context, server string) (why string) {
	for i, f := range p.relaysOf(server) {
		r := p.relay(f, i)
		r.Hooks = p.marking
		if why := r.IDs(ctx, server); f.Handles && why != "" {
			return why
		}
	}
	return ""
}

// marks checks the hooks that tell the relay of compactions.
func (p *target) marks() outcome {
	if !p.harness.MarksCompactions {
		return skipped("nothing tells wsi relay when %s has compacted a conversation: it only names ids after failed calls", p.harness.Name)
	}
	for _, want := range p.wanted() {
		if want.Event != "" && !slices.ContainsFunc(p.marking, func(h rehearse.Hook) bool { return h.Event == want.Event }) {
			return broken(p.setup(), "wsi has no hook for %s, which tells the relay of a compaction", want.Event)
		}
	}
	if len(p.marking) == 0 {
		return broken(p.setup(), "no hook of wsi tells the relay of a compaction")
	}
	if p.harness.Policy == nil {
		return good("")
	}
	off, waiting, err := p.policies()
	switch {
	case len(off)+len(waiting) > 0:
		return blocked(slices.Concat(off, waiting))
	case err != nil:
		return skipped("%v", err)
	}
	return good("")
}
