package doctor

import (
	"context"
	"strings"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/installer/files"
	"wsi/installer/ledger"
)

func (o Options) findWiring(ctx context.Context) (all wiring) {
	for _, h := range o.Harnesses {
		all.look(ctx, o, h)
	}
	return all
}

// look examines one harness. It ignores a panic: examine reports it later.
func (w *wiring) look(ctx context.Context, o Options, h setup.Harness) {
	defer func() { _ = recover() }()
	p := newTarget(ctx, o, h, rehearse.Sandbox{})
	if p.wired() {
		w.wired = append(w.wired, h.Name)
	}
	if p.hasServer() {
		w.serving = append(w.serving, h.Name)
	}
}

// neverSetUp reports whether wsi was never set up on this machine. That is one finding, instead of one for each
// harness, unless the user names harnesses or does not select that check.
func (o Options) neverSetUp() bool {
	_, err := files.Disk{}.Lstat(ledger.Path(o.StateDir))
	return !o.Named && o.wants("", report.WsiSetup) && len(o.wiring.wired) == 0 && len(o.wiring.serving) > 0 && err != nil
}

func ownSetup(o Options) outcome {
	switch {
	case o.neverSetUp():
		return broken(report.SetupCommand, "wsi is not set up; %s could use it", strings.Join(o.wiring.serving, ", "))
	case len(o.wiring.wired) > 0:
		return good("with %s", strings.Join(o.wiring.wired, ", "))
	}
	return skipped("with none of the examined harnesses")
}
