package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"wsi/doctor/status"
	"wsi/hook/journal"
	"wsi/internal/lists"
)

// actions are the words of the log.
func actions() []string { return lists.Map(status.Words, func(w status.Word) string { return w.Says }) }

type logFlags struct {
	did          []string
	last         int
	follow, json bool
}

func newLogCmd(e env) *cobra.Command {
	var f logFlags
	words := ""
	for _, w := range status.Words {
		words += fmt.Sprintf("\n  %-15s  %s", w.Says, w.Means)
	}
	cmd := &cobra.Command{
		Use: "log", SuggestFor: []string{"logs", "journal", "history"},
		Short: "Show what wsi did with each call, and why",
		Long: `Log shows the journal: a heading for each session and a line for each call, with
what wsi did before and after it. The journal never holds a value. Log, status
and --did use these words:
` + words,
		Example: "  wsi log\n  wsi log -f\n  wsi log -n -1 --did 'left alone,failed'",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), e) },
	}
	flags := cmd.Flags()
	flags.IntVarP(&f.last, "lines", "n", 20, "show the last `n` calls; -1: all")
	flags.BoolVarP(&f.follow, "follow", "f", false, "keep running and show each new run")
	flags.StringSliceVar(&f.did, "did", nil, "only calls with one of these `words`, comma-separated")
	flags.BoolVar(&f.json, "json", false, "print one JSON object per run")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	return cmd
}

func (f logFlags) run(ctx context.Context, e env) error {
	for _, did := range f.did {
		if !slices.Contains(actions(), did) {
			return usage("one of "+strings.Join(actions(), ", "), "unknown word %q", did)
		}
	}
	signal.Ignore(syscall.SIGPIPE) // the reader may stop at any time
	story := &status.Story{Out: e.Stdout, Style: e.style(), Did: f.did, JSON: f.json}
	show := func(entry journal.Entry) error {
		if story.Live {
			story.Style.Width = e.columns() // it may have changed
		}
		return story.Add(entry)
	}
	shown := 0
	caught := func() error {
		shown = story.Keep(f.last)
		if f.follow && shown == 0 {
			fmt.Fprintln(e.Stderr, "waiting for a call; ctrl+c ends")
		}
		if sum := story.Sum(); sum != "" && !f.follow && !f.json {
			if err := e.say("%s", sum); err != nil {
				return err
			}
			fmt.Fprintln(e.Stdout)
		}
		story.Live = true
		return story.Flush()
	}
	ctx, end := interruptible(ctx)
	defer end()
	if !f.follow {
		end()
	}
	err := status.Follow(ctx, journal.In(e.StateDir), show, caught)
	switch {
	case errors.Is(err, syscall.EPIPE), errors.Is(err, os.ErrClosed): // the reader is gone
		return nil
	case err != nil || shown > 0 || f.follow:
	case len(f.did) > 0 || f.last == 0:
		fmt.Fprintln(e.Stderr, "no matching calls")
	default:
		fmt.Fprintln(e.Stderr, "no hook has run yet")
	}
	return err
}
