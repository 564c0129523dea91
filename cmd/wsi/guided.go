package main

import (
	"context"
	"fmt"
	"slices"

	"wsi/doctor"
	"wsi/doctor/guided"
	"wsi/doctor/live"
	"wsi/harnesses/registry"
	"wsi/internal/refserver"
)

// guides tells whether somebody is there to be led, and was asked for: waiting for a person must not
// surprise anybody.
func (f doctorFlags) guides(e env) bool {
	h, ok := registry.Get(slices.Concat(f.harnesses, []string{""})[0])
	return f.live && len(f.harnesses) == 1 && ok && h.Guide != nil && (e.Asks || f.plain) && !f.json && !f.report
}

// liveBy proves with a harness itself: run by wsi, or by its user where wsi cannot. Waiting for the user
// ends with interrupt.
func (f doctorFlags) liveBy(interrupt context.Context, e env, p live.Prover) doctor.Live {
	return func(ctx context.Context, c doctor.LiveCase) (doctor.LiveProof, error) {
		switch {
		case c.Harness.Guide == nil:
			return p.Prove(ctx, c)
		case !f.guides(e):
			return doctor.LiveProof{Cannot: fmt.Sprintf("%s cannot be run from here; wsi doctor --live --harness %s, in a terminal, leads you", c.Harness.Name, c.Harness.ID)}, nil
		}
		return guided.Prover{
			Server: []string{p.Wsi, refserver.Command}, StateDir: e.StateDir,
			Say: func(line string) { fmt.Fprintln(e.Stdout, e.tilde(line)) },
		}.Prove(interrupt, c)
	}
}
