package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// nearest returns the one of some words that a mistyped one most likely was meant to be, "" if none is near.
func nearest(typed string, words []string) string {
	best, least := "", 3 // more slips are another word
	for _, word := range words {
		if n := slips(typed, word); n < least && n < len(word) {
			best, least = word, n
		}
	}
	for _, word := range words {
		if best == "" && len(typed) > 1 && strings.HasPrefix(word, typed) {
			best = word
		}
	}
	return best
}

// slips counts the characters to put in, leave out or change, and the neighbours to swap, that make one word of another.
func slips(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			if i == 0 || j == 0 {
				rows[i][j] = i + j
				continue
			}
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

// meant is a hint that begins with what was most likely meant, if that can be told.
func meant(typed string, words []string, hint string) string {
	if word := nearest(typed, words); word != "" {
		return "did you mean " + word + "? " + hint
	}
	return hint
}

// subcommands checks the arguments of a command that does nothing without one of its own.
func subcommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return noCommand(cmd, args[0])
}

// noCommand is the error for a word that is no command below cmd.
func noCommand(cmd *cobra.Command, typed string) error {
	_, path, _ := strings.Cut(cmd.CommandPath()+" ", " ")
	var words []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			words = append(words, path+c.Name())
		}
	}
	help := cmd.CommandPath() + " --help"
	if word := nearest(path+typed, words); word != "" {
		help = "did you mean " + word + "? see " + help
	}
	return usage(help, "there is no command %q", path+typed)
}

// badFlag is the error for flags that cannot be read.
func badFlag(cmd *cobra.Command, err error) error {
	help := cmd.CommandPath() + " --help"
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1 {
		var words []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { words = append(words, "--"+f.Name) })
		if word := nearest("--"+unknown.GetSpecifiedName(), words); word != "" {
			help = "did you mean " + word + "? see " + help
		}
	}
	return usage(help, "%w", err)
}

// valued refuses flags that were given nothing: an empty variable of a script's must not mean all there is.
func valued(cmd *cobra.Command, _ []string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if value := f.Value.String(); (value == "" || value == "[]") && err == nil {
			err = usage(cmd.CommandPath()+" --help", "--%s has no value", f.Name)
		}
	})
	return err
}

// newHelpCmd fails where cobra's own shows something else.
func newHelpCmd() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Explain a command",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (words []string, _ cobra.ShellCompDirective) {
			at, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			for _, c := range at.Commands() {
				if c.IsAvailableCommand() {
					words = append(words, c.Name()+"\t"+c.Short)
				}
			}
			return words, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			at, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return noCommand(at, rest[0])
			}
			at.InitDefaultHelpFlag()
			return at.Help()
		},
	}
}
