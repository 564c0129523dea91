package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

// execute runs a command and returns its exit status.
func execute(args []string) int {
	e, err := newEnv()
	if err != nil {
		return e.report(err)
	}
	root := newRootCmd(e)
	root.SetArgs(args)
	return e.report(root.ExecuteContext(context.Background()))
}

func newRootCmd(e env) *cobra.Command {
	root := &cobra.Command{
		Use: "wsi", Short: "Carry values of MCP servers from one tool call to the next",
		Example: "  wsi setup",
		Version: version(), SilenceUsage: true, SilenceErrors: true,
		Args: subcommands, PersistentPreRunE: rejectEmpty,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	root.SetFlagErrorFunc(badFlag)
	root.SetHelpCommand(newHelpCmd())
	root.AddCommand(newSetupCmd(e), newRemoveCmd(e), newSnippetCmd(e), newDoctorCmd(e), newStatusCmd(e), newLogCmd(e), newRemovedCmd("handles", keptNoIDs), newHooksCmd(e), newRemovedCmd("replay", "in 858 real sessions it found nothing to act on"), newRefserverCmd(e), newRulesCmd(e), newInjectCmd(), newCaptureCmd(), newRelayCmd(), newVersionCmd(e), newHarnessesTopic())
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Short, c.Long, c.Example = "Print a script that lets a shell complete wsi's commands", "", "  source <(wsi completion bash)"
			c.Args, c.RunE = subcommands, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
	group(root)
	return root
}

func newVersionCmd(e env) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version of this wsi", Example: "  wsi version", Args: noArgs, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(e.Stdout, "wsi version %s\n", version())
			return err
		},
	}
}

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
