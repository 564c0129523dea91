package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"wsi/doctor"
	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/installer"
	"wsi/installer/wizard"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

var states = map[report.Status]tui.State{report.OK: tui.OK, report.Warn: tui.Attention, report.Fail: tui.Broken}

// prove runs the doctor's round trip with what is registered with a harness.
func (e env) prove(ctx context.Context, o installer.Options, h setup.Harness) wizard.Proof {
	r, err := doctor.Run(ctx, doctor.Options{
		Env: e.Env, StateDir: e.StateDir, Version: version(), Harnesses: []setup.Harness{h}, Named: true,
		Registers: o.Program.Path, Scopes: []setup.Scope{o.Scope},
	}, platform)
	if err != nil {
		return wizard.Proof{Harness: h, Says: []wizard.Finding{{State: tui.Broken, Text: "the test of the hooks failed: " + e.tilde(phrase.OneLine(err.Error())), Fix: phrase.Fix{Command: "wsi doctor"}}}}
	}
	p := wizard.Proof{Harness: h}
	for _, j := range r.Groups[0].Chain {
		if j.Link == report.Used && j.Status != report.Fail && j.Status != report.Warn {
			continue // there was no call yet
		}
		p.Links = append(p.Links, wizard.Link{Word: string(j.Link), State: states[j.Status]})
	}
	for _, f := range r.Groups[0].Findings {
		if f.Status == report.Warn || f.Status == report.Fail || f.Link == report.RightValue {
			p.Says = append(p.Says, wizard.Finding{State: states[f.Status], Text: e.tilde(f.Text), Fix: f.Fix.Map(e.tilde), Gate: f.ID == h.ID+"."+string(report.HookTrusted)})
		}
	}
	return p
}

// interruptible returns a context that a signal cancels. The next signal ends wsi at once.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
