package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wsi/harnesses/setup"
	"wsi/internal/lists"
)

// offer completes a flag with these words, each with a description after a tab. It panics if the command has no such flag.
func offer(cmd *cobra.Command, flag string, words ...string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err)
	}
}

// idsOf returns the ids of harnesses, each with the name after a tab.
func idsOf(all []setup.Harness) []string {
	return lists.Map(all, func(h setup.Harness) string { return h.ID + "\t" + h.Name })
}

// subcommands checks the arguments of a command that only has subcommands.
func subcommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return unknownCommand(cmd, args[0])
}

func unknownCommand(cmd *cobra.Command, typed string) error {
	_, path, _ := strings.Cut(cmd.CommandPath()+" ", " ")
	return unknown(cmd, "command", path, typed, cmd.CommandPath()+" --help")
}

// unknown returns the error for a word. It names the nearest one that cmd has as a subcommand, and what shows all.
func unknown(cmd *cobra.Command, what, path, typed, hint string) error {
	cmd.SuggestionsMinimumDistance = min(2, len(typed)/2) // a short word must be nearer
	if words := cmd.SuggestionsFor(typed); len(words) > 0 {
		hint = "did you mean " + path + words[0] + "? see " + hint
	}
	return usage(hint, "unknown %s %q", what, path+typed)
}

// badFlag returns the error for flags that cobra cannot parse. After a command that does not exist, any flag is unknown.
func badFlag(cmd *cobra.Command, err error) error {
	if typed := cmd.Flags().Args(); len(typed) > 0 && cmd.HasSubCommands() {
		return unknownCommand(cmd, typed[0])
	}
	help := cmd.CommandPath() + " --help"
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		kinds := map[string]string{"bool": "true or false", "int": "a number"}
		if kind := kinds[invalid.GetFlag().Value.Type()]; kind != "" {
			return usage(help, "--%s is %s, not %q", invalid.GetFlag().Name, kind, invalid.GetValue())
		}
	}
	return usage(help, "%w", err)
}

// rejectEmpty returns an error for a flag with an empty value: an empty variable in a script must not mean "all".
func rejectEmpty(cmd *cobra.Command, _ []string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if value := f.Value.String(); (value == "" || value == "[]") && err == nil {
			err = usage(cmd.CommandPath()+" --help", "--%s has no value", f.Name)
		}
	})
	return err
}

// strictHelp makes the help command fail for an unknown command. Cobra's own exits with 0.
func strictHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"}) // it is there
	help.Use, help.Short, help.Long, help.Example = "help [COMMAND]", "Explain a command", "", "  wsi help setup"
	help.Run = nil
	help.RunE = func(cmd *cobra.Command, args []string) error {
		at, rest, err := cmd.Root().Find(args)
		if err != nil {
			return err
		}
		if len(rest) > 0 {
			return unknownCommand(at, rest[0])
		}
		at.InitDefaultHelpFlag()
		return at.Help()
	}
}
