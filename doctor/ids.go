package doctor

import (
	"context"
	"strings"

	"wsi/doctor/report"
)

// idsListed rehearses a call of each server whose ids are kept, and a compaction.
func idsListed(p *target) outcome {
	kept := p.handles()
	switch {
	case len(kept) == 0:
		return skipped("no ids are kept; to keep those of all servers: wsi setup --handles all")
	case p.found[report.HookFile] == report.Fail, p.found[report.HookRegistered] == report.Fail, p.found[report.HookMatches] == report.Fail,
		p.found[report.HookEnabled] == report.Fail, p.found[report.HookTrusted] == report.Fail, p.found[report.HookRunnable] == report.Fail:
		return skipped("not tried: the hooks do not run")
	}
	ctx, cancel := context.WithTimeoutCause(p.ctx, budget, errBudget)
	defer cancel()
	for _, server := range kept {
		if why := p.subject().IDs(ctx, server); why != "" {
			return broken(p.setup(), "rehearsed with %s: %s", server, why)
		}
	}
	return good("rehearsed: after a compaction the model reads the ids of %s", strings.Join(kept, ", "))
}
