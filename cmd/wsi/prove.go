package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"wsi/doctor"
	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/installer"
	"wsi/installer/wizard"
	"wsi/internal/tui"
)

// states are the doctor's words in the theme's.
var states = map[report.Status]tui.State{report.OK: tui.OK, report.Warn: tui.Attention, report.Fail: tui.Broken}

// prove lets the doctor make a round trip with what is registered with a harness now.
func (e env) prove(ctx context.Context, o installer.Options, h harnesses.Harness) wizard.Proof {
	r, err := doctor.Run(ctx, doctor.Options{
		Env: e.Env, StateDir: e.StateDir, Version: version(), Harnesses: []harnesses.Harness{h}, Named: true,
		Registers: o.Program.Path, Scopes: []harnesses.Scope{o.Scope},
	}, runtime.GOOS+"/"+runtime.GOARCH)
	if err != nil || len(r.Groups) == 0 {
		text := "the round trip could not be made"
		if err != nil {
			text += ": " + e.tilde(oneLine(err.Error()))
		}
		return wizard.Proof{Says: []wizard.Finding{{State: tui.Broken, Text: text, Fix: "wsi doctor"}}}
	}
	var p wizard.Proof
	for _, j := range r.Groups[0].Chain {
		p.Links = append(p.Links, wizard.Link{Word: string(j.Link), State: states[j.Status]})
	}
	for _, f := range r.Groups[0].Findings {
		if f.Status == report.Warn || f.Status == report.Fail || f.Link == report.Delivered {
			p.Says = append(p.Says, wizard.Finding{State: states[f.Status], Text: e.tilde(f.Text), Fix: e.tilde(f.Fix)})
		}
	}
	return p
}

// interruptible ends a context when the user or the system wants wsi to end. The next signal ends
// it at once.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
