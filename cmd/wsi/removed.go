package main

import "github.com/spf13/cobra"

// keptNoIDs says why wsi keeps no ids of servers any more (docs/decisions/0022-keep-no-ids-and-read-no-recordings.md).
const keptNoIDs = "wsi keeps no ids of servers any more; in 858 real sessions none of them was needed again"

// hide hides a flag of older versions that still is accepted, and does nothing. It panics if the command has no such flag.
func hide(cmd *cobra.Command, flag string) {
	if err := cmd.Flags().MarkHidden(flag); err != nil {
		panic(err)
	}
}

// removed returns the error for what older versions had, in one sentence.
func removed(what, why string) error { return usage("", "%s was removed: %s", what, why) }

// newRemovedCmd returns a command of older versions. With any flags and arguments, it only says that it was removed.
func newRemovedCmd(name, why string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: "Removed: " + why, Hidden: true, DisableFlagParsing: true, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error { return removed(cmd.CommandPath(), why) },
	}
}

// removedFlags are flags of older versions, and why they were removed.
var removedFlags = map[string]string{
	"wsi hooks --watch":    "no harness records every run of its hooks; wsi log --follow shows those of wsi",
	"wsi rules try --json": "recorded sessions are not read any more; try one event with --event",
}
