package main

import (
	"context"
	"fmt"
	"slices"

	"wsi/doctor"
	"wsi/doctor/guided"
	"wsi/doctor/live"
	"wsi/harnesses/setup/registry"
	"wsi/internal/refserver"
)

// guides reports whether wsi guides the user through the proof with one harness. It does so only if the flags ask
// for it and the user can answer, because it waits for the user.
func (f doctorFlags) guides(e env) bool {
	h, ok := registry.Get(slices.Concat(f.harnesses, []string{""})[0])
	return f.live && len(f.harnesses) == 1 && ok && h.Proof.Guide != nil && (e.Interactive || f.plain) && !f.json && !f.report
}

// liveBy returns the proof with a real harness. wsi runs the harness or, where it cannot, guides the user.
// Waiting for the user ends with interrupt.
func (f doctorFlags) liveBy(interrupt context.Context, e env, p live.Prover) doctor.Live {
	return func(ctx context.Context, c doctor.LiveCase) (doctor.LiveProof, error) {
		switch {
		case c.Harness.Proof.Guide == nil:
			return p.Prove(ctx, c)
		case !f.guides(e):
			return doctor.LiveProof{Cannot: fmt.Sprintf("wsi cannot run %s itself; wsi doctor --live --harness %s, in a terminal, guides you", c.Harness.Name, c.Harness.ID)}, nil
		}
		return guided.Prover{
			Server: []string{p.Wsi, refserver.Command}, StateDir: e.StateDir,
			Say: func(line string) { fmt.Fprintln(e.Stdout, e.tilde(line)) },
		}.Prove(interrupt, c)
	}
}
