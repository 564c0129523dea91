package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"wsi/doctor"
	"wsi/doctor/console"
	"wsi/doctor/hooklist"
	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/internal/lists"
)

// console runs the doctor on screens until the user leaves. If the user asks for a repair, console runs setup,
// with its review, and then the doctor again. It returns the same errors as a doctor without screens.
func (e env) console(ctx context.Context, f doctorFlags, o doctor.Options) error {
	p, err := prover()
	if err != nil {
		return err
	}
	c := console.Config{
		Live: f.live, ASCII: e.ASCII, Show: e.tilde,
		Hooks: func() hooklist.List { return listHooks(e.Env, e.StateDir, readable(o.Harnesses)) },
		Examine: func(ctx context.Context, ids []string, live bool, watch func(doctor.Event)) (report.Report, error) {
			o := o
			o.Env.Patience = &setup.Patience{} // a program that hung may answer now
			o.Watch = watch
			if len(ids) > 0 {
				o.Harnesses = slices.DeleteFunc(slices.Clone(o.Harnesses), func(h setup.Harness) bool { return !slices.Contains(ids, h.ID) })
			}
			if live {
				o.Live = p.Prove
			}
			return doctor.Run(ctx, o, platform)
		},
	}
	for _, h := range o.Harnesses {
		c.Harnesses = append(c.Harnesses, report.Group{ID: h.ID, Name: h.Name})
	}
	known := console.Outcome{Err: console.ErrStopped}
	for {
		end, err := console.Run(ctx, c, e.Stdin, e.raw())
		switch {
		case err != nil:
			return err
		case errors.Is(end.Err, console.ErrStopped) && ctx.Err() == nil:
			return f.left(e, known)
		case end.Fix == "":
			return f.left(e, end)
		}
		ids := slices.DeleteFunc([]string{end.Fix}, func(id string) bool { return id == console.FirstSetup })
		err = runSetup(ctx, e, f.setup(end.Report, ids...))
		var shown failure
		if known = end; err == nil { // a later examination says whether that is repaired
			known = console.Outcome{Report: end.Report}
			known.Report.Own = lists.Filter(end.Report.Own, func(f report.Finding) bool { return !f.Fixable() })
			known.Report.Groups = lists.Filter(end.Report.Groups, func(g report.Group) bool { return end.Fix != console.FirstSetup && g.ID != end.Fix })
		}
		if errors.As(err, &shown) && (shown.exit == exitDeclined || errors.Is(shown, errShown)) {
			err = nil // the review showed it, and the next examination shows it again
		}
		if err != nil {
			return errors.Join(f.write(e, end.Report), err) // the findings come before the error
		}
		c.Live, c.At = false, strings.Join(ids, "")
	}
}

// left prints the last findings for the scrollback, and returns the error that sets the exit status.
func (f doctorFlags) left(e env, end console.Outcome) error {
	if end.Examined {
		if err := f.write(e, end.Report); err != nil {
			return err
		}
	}
	switch {
	case end.Err != nil:
		return failure{err: end.Err, exit: 1}
	case !end.Report.Healthy():
		return errReported
	}
	return nil
}

// setup returns the flags of a setup that repairs these harnesses: those of the runs that the report names. The scope is the project's if all fixes
// are in it.
func (f doctorFlags) setup(r report.Report, ids ...string) setupFlags {
	runs, scope := r.Setups(ids...), setup.User
	if len(runs) > 0 && !slices.ContainsFunc(runs, func(run report.Setup) bool { return !run.Project }) {
		scope = setup.Project
	}
	s := setupFlags{wireFlags: wireFlags{harnesses: ids, scope: string(scope), plain: f.plain}}
	s.trust = slices.ContainsFunc(runs, func(run report.Setup) bool { return run.Trust })
	s.servers = []string{harnesses.DefaultServer}
	return s
}
