package main

import (
	"github.com/spf13/cobra"
)

// execute runs a command and returns the exit status.
func execute(args []string) int {
	root := &cobra.Command{Use: "wsi", SilenceUsage: true, SilenceErrors: true}
	root.SetArgs(args)
	if root.Execute() != nil {
		return 2
	}
	return 0
}
