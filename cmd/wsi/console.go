package main

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"wsi/doctor"
	"wsi/doctor/console"
	"wsi/doctor/report"
	"wsi/harnesses"
)

// console examines on screens, until the user leaves. What setup mends it mends in between, through
// its own review. The error is as of a doctor without screens.
func (e env) console(ctx context.Context, f doctorFlags, o doctor.Options) (err error) {
	p, done, err := e.prover(f.trace)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	c := console.Config{
		Version: version(), Platform: platform, Live: f.live, ASCII: f.ascii || e.ASCII, Show: e.tilde,
		Report: e.markdown,
		Examine: func(ctx context.Context, ids []string, live bool, watch func(doctor.Event)) (report.Report, error) {
			o := o
			o.Watch = watch
			if len(ids) > 0 {
				o.Harnesses = slices.DeleteFunc(slices.Clone(o.Harnesses), func(h harnesses.Harness) bool { return !slices.Contains(ids, h.ID) })
			}
			if live {
				o.Live = p.Prove
			}
			return doctor.Run(ctx, o, platform)
		},
	}
	for _, h := range o.Harnesses {
		c.Harnesses = append(c.Harnesses, console.Harness{ID: h.ID, Name: h.Name})
	}
	for {
		end, err := console.Run(ctx, c, e.Stdin, e.raw())
		switch {
		case err != nil:
			return err
		case end.Fix == "":
			return f.left(e, end)
		}
		mends := f
		mends.scope = cmp.Or(f.scope, string(end.Report.FixScope(end.Fix)))
		err = runSetup(ctx, e, mends.setup(e, end.Fix))
		var said failure
		if errors.As(err, &said) && (said.exit == saidNo || errors.Is(said, errShown)) {
			err = nil // it was said in the review, and shows again in what is examined now
		}
		if err != nil {
			_, _ = e.Stdout.Write([]byte(end.Record())) // what was found is told with the error
			return err
		}
		c.Live, c.At = false, end.Fix
	}
}

// left prints what was found last, for the scrollback, and tells the exit status.
func (f doctorFlags) left(e env, end console.Outcome) error {
	if _, err := e.Stdout.Write([]byte(end.Record())); err != nil {
		return err
	}
	switch {
	case end.Err != nil:
		return failure{err: end.Err, exit: 1}
	case !end.Report.Healthy() || f.strict && !end.Report.Flawless():
		return errReported
	}
	return nil
}

// setup is the command that mends harnesses.
func (f doctorFlags) setup(e env, ids ...string) setupFlags {
	s := setupFlags{wireFlags: wireFlags{harnesses: ids, scope: cmp.Or(f.scope, string(harnesses.User))}, plain: f.plain, ascii: f.ascii}
	s.servers, s.serversSet, s.scopeSet = []string{harnesses.DefaultServer}, f.server != "", true
	if s.serversSet {
		s.servers = []string{f.server}
		if !e.named()(f.server) { // it was examined as one
			s.servers = []string{harnesses.ServerWord(f.server, harnesses.DefaultServer)}
		}
	}
	s.mends = len(ids) > 0
	return s
}

// markdown is a report as others may see it.
func (e env) markdown(r report.Report) string {
	var b strings.Builder
	_ = r.Markdown(&b, report.Redaction{Home: e.Home, Cwd: e.Cwd, Sep: string(filepath.Separator)}) // a builder takes everything
	return b.String()
}
