package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"wsi/internal/printable"
)

// execute runs a command and returns the exit status.
func execute(args []string) int {
	e, err := newEnv()
	if err != nil {
		fmt.Fprintf(printable.Writer{To: os.Stderr}, "error: %v\n", err)
		return 1
	}
	root := newRootCmd(e)
	root.SetArgs(args)
	return e.report(root.ExecuteContext(context.Background()))
}

func newRootCmd(e env) *cobra.Command {
	root := &cobra.Command{
		Use: "wsi", Short: "Carry an MCP server's opaque values between the calls of an agent's tools",
		Version: version(), SilenceUsage: true, SilenceErrors: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("wsi --help", "there is no command %q", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(cmd.CommandPath()+" --help", "%w", err)
	})
	root.AddCommand(newSetupCmd(e), newRemoveCmd(e), newSnippetCmd(e), newDoctorCmd(e), newStatusCmd(e), newLogCmd(e), newRefserverCmd(e), newRulesCmd(e), newTokenCmd(e), newInjectCmd(), newCaptureCmd(), newRelayCmd())
	return root
}
