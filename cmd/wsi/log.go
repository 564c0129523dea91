package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"wsi/doctor/status"
	"wsi/hook/journal"
)

// dids are what runs of a hook do.
var dids = []string{"injected", "captured", "repaired", "expanded", "denied", "noted", "left", "nothing", "error"}

type logFlags struct {
	filter              status.Filter
	last                int
	since               time.Duration
	follow, json, ascii bool
}

func newLogCmd(e env) *cobra.Command {
	var f logFlags
	cmd := &cobra.Command{
		Use:   "log",
		Short: "Show what each run of the hooks did, and why",
		Long: `Log shows the journal: a line for every run of a hook, what it did and how long it
took. A value is in none of them.`,
		Example: "  wsi log\n  wsi log -f\n  wsi log -n -1 --did left,error --since 24h",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), e) },
	}
	flags := cmd.Flags()
	flags.IntVarP(&f.last, "lines", "n", 20, "show the last `n` runs; -1: all that are kept")
	flags.BoolVarP(&f.follow, "follow", "f", false, "go on showing them as they happen")
	flags.StringVar(&f.filter.Harness, "harness", "", "only of the harness with this `id`")
	flags.StringVar(&f.filter.Session, "session", "", "only of the session that the log calls so (its beginning will do)")
	flags.StringSliceVar(&f.filter.Did, "did", nil, "only where this was done: "+strings.Join(dids, ", "))
	flags.DurationVar(&f.since, "since", 0, "only of the last so much `time`: 90s, 10m, 24h")
	flags.BoolVar(&f.json, "json", false, "print one JSON object per run")
	flags.BoolVar(&f.ascii, "ascii", false, "use no characters beyond ASCII")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	complete(cmd, "harness", idsOf(wirable()).one)
	complete(cmd, "did", offers(func() []string { return dids }).list)
	return cmd
}

func (f logFlags) run(ctx context.Context, e env) error {
	for _, did := range f.filter.Did {
		if !slices.Contains(dids, did) {
			return usage(meant(did, dids, "it is one of "+strings.Join(dids, ", ")), "unknown action %q", did)
		}
	}
	if f.filter.Harness != "" {
		if _, err := (wireFlags{harnesses: []string{f.filter.Harness}}).named(); err != nil {
			return err
		}
	}
	asked := f.filter.Harness != "" || f.filter.Session != "" || len(f.filter.Did) > 0 || f.since > 0
	if f.since > 0 {
		f.filter.Since = e.Now().Add(-f.since)
	}
	signal.Ignore(syscall.SIGPIPE) // a reader that has seen enough is no failure
	j := journal.In(e.StateDir)
	style := e.style(f.ascii)
	shown := 0
	show := func(entry journal.Entry) error { shown++; return f.show(e.Stdout, style, entry) }
	ctx, stop := interruptible(ctx)
	defer stop()
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	if file, ok := e.raw().(*os.File); !f.follow {
		leave()
	} else if ok {
		go whenUnread(ctx, file, leave)
	}
	err := gone(status.Follow(ctx, j, f.filter, f.last, show))
	switch {
	case err != nil || shown > 0 || f.follow:
	case asked:
		fmt.Fprintln(e.Stderr, "no run that is kept is as asked for")
	default:
		fmt.Fprintln(e.Stderr, "no hook has run yet")
	}
	return err
}

func (f logFlags) show(w io.Writer, style status.Style, entry journal.Entry) error {
	if f.json {
		line, err := json.Marshal(entry)
		if err == nil {
			_, err = fmt.Fprintf(w, "%s\n", line)
		}
		return err
	}
	_, err := fmt.Fprintln(w, status.Line(entry, style))
	return err
}

// whenUnread does what is to be done when nobody reads the output any more: without a new run nothing
// would be written that could tell.
func whenUnread(ctx context.Context, out *os.File, do func()) {
	for !unread(out) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(200 * time.Millisecond):
		}
	}
	do()
}

// gone forgives that whoever read has left.
func gone(err error) error {
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}
