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
		Use: "wsi", Short: "Let models read all that MCP servers answer, and show what hooks did",
		Example: "  wsi setup",
		Version: version(), SilenceUsage: true, SilenceErrors: true,
		Args: subcommands, PersistentPreRunE: rejectEmpty,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	root.SetFlagErrorFunc(badFlag)
	root.AddCommand(newSetupCmd(e), newRemoveCmd(e), newSnippetCmd(e), newDoctorCmd(e), newStatusCmd(e), newLogCmd(e), newHooksCmd(e), newRulesCmd(e), newInjectCmd(), newCaptureCmd(), newRelayCmd(), newVersionCmd(e), newHarnessesTopic(), newChecksTopic())
	root.CompletionOptions.DisableNoDescFlag = true
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Short, c.Long, c.Example = "Print a script that lets a shell complete wsi's commands", "", "  source <(wsi completion bash)"
			c.Args, c.RunE = subcommands, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
	group(root)
	strictHelp(root)
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
