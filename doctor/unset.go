package doctor

import (
	"context"
	"strings"

	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/installer"
)

// wiring is which of the examined harnesses wsi is registered with, and which have the server, by their names.
type wiring struct{ wired, serving []string }

func (o Options) findWiring(ctx context.Context) (all wiring) {
	for _, h := range o.Harnesses {
		all.look(ctx, o, h)
	}
	return all
}

// look looks at one harness. What fails there by a bug of ours is told when it is examined.
func (w *wiring) look(ctx context.Context, o Options, h harnesses.Harness) {
	defer func() { _ = recover() }()
	p := newPatient(ctx, o, h, sandbox{})
	if p.wired() {
		w.wired = append(w.wired, h.Name)
	}
	if p.hasServer() {
		w.serving = append(w.serving, h.Name)
	}
}

// neverSetUp reports whether nobody has set wsi up on this machine: that is one thing to say, and not one of each
// harness. Who names harnesses, or leaves that check out, asks about each.
func (o Options) neverSetUp() bool {
	return !o.Named && o.wants("", report.WsiSetup) && len(o.wiring.wired) == 0 && len(o.wiring.serving) > 0 && !installer.HasLedger(installer.Disk{}, o.StateDir)
}

// ownSetup tells whether setup was ever run.
func ownSetup(o Options) outcome {
	switch {
	case o.neverSetUp():
		return broken(report.SetupCommand, "wsi is not set up, and %s could use it", strings.Join(o.wiring.serving, ", "))
	case len(o.wiring.wired) > 0:
		return good("with %s", strings.Join(o.wiring.wired, ", "))
	}
	return skipped("with no harness that is examined")
}
