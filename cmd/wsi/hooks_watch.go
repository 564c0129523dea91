package main

import (
	"context"
	"fmt"
	"time"

	"wsi/doctor/hooklist"
	"wsi/doctor/status"
	"wsi/harnesses"
	"wsi/hook/journal"
	"wsi/hook/recorded"
)

// remembered is how far back runs of hooks are looked for.
const remembered = 7 * 24 * time.Hour

// evidence finds the runs of hooks: of wsi in its journal, of others in what harnesses record.
type evidence struct {
	runs    recorded.Runs
	journal journal.File
	since   time.Time
}

func newEvidence(e env, hs []harnesses.Harness) *evidence {
	since := e.Now().Add(-remembered)
	return &evidence{recorded.Runs{Files: recorded.Files{Env: e.Env, Harnesses: hs}, Since: since}, journal.In(e.StateDir), since}
}

// read returns all runs of the last days.
func (x *evidence) read() (all hooklist.Runs) {
	for _, h := range x.runs.Files.Harnesses {
		if h.Capabilities.History.HookRuns != nil {
			all.Recorded(h.ID, h.Capabilities.History.HookRunsLack)
		}
	}
	x.runs.Read(all.Add)
	_, _ = x.journal.Each(func(entry journal.Entry) { // a journal that cannot be read shows no runs; wsi log says why
		if entry.Who == "" && entry.Time.After(x.since) {
			all.AddOwn(entry.Harness, entry.Verb, ownRun(entry))
		}
	})
	return all
}

func ownRun(entry journal.Entry) harnesses.HookRun {
	return harnesses.HookRun{
		Event: entry.Verb, Command: "wsi " + entry.Verb, At: entry.Time,
		Took: time.Duration(entry.Micros) * time.Microsecond, Failed: entry.Did == "error",
	}
}

// glance is how often follow looks for new runs.
const glance = time.Second

// follow prints a line for each new run until ctx ends or the user presses Ctrl-C.
func (x *evidence) follow(ctx context.Context, e env, style hooklist.Style, list hooklist.List) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	fmt.Fprintln(e.Stdout, "\nNew runs, until Ctrl-C:")
	own, failed := make(chan journal.Entry), make(chan error, 1)
	go func() {
		failed <- status.Follow(ctx, x.journal, status.Filter{}, 0, func(entry journal.Entry) error {
			select {
			case own <- entry:
			case <-ctx.Done():
			}
			return nil
		})
	}()
	show := func(harness string, run harnesses.HookRun) {
		fmt.Fprintln(e.Stdout, style.RunLine(list, harness, run))
	}
	tick := time.NewTicker(glance)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-failed:
			return err
		case entry := <-own:
			if entry.Who == "" {
				show(entry.Harness, ownRun(entry))
			}
		case <-tick.C:
			x.runs.Read(show)
		}
	}
}
