package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// nearest returns the word that is most similar to a mistyped one, or "".
func nearest(typed string, words []string) string {
	best, least := "", 3
	for _, word := range words {
		if n := editDistance(typed, word); n < least && n < len(word) {
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

// editDistance returns the number of insertions, deletions, changes and swaps of adjacent bytes that turn a into b.
func editDistance(a, b string) int {
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

// didYouMean returns a hint that begins with the nearest word, if there is one.
func didYouMean(typed string, words []string, hint string) string {
	if word := nearest(typed, words); word != "" {
		return "did you mean " + word + "? " + hint
	}
	return hint
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
	var words []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			words = append(words, path+c.Name())
		}
	}
	help, word := cmd.CommandPath()+" --help", nearest(path+typed, words)
	for _, c := range cmd.Commands() {
		if slices.Contains(c.SuggestFor, typed) {
			word = path + c.Name()
		}
	}
	if word != "" {
		help = "did you mean " + word + "? see " + help
	}
	return usage(help, "unknown command %q", path+typed)
}

// badFlag returns the error for flags that cobra cannot parse.
func badFlag(cmd *cobra.Command, err error) error {
	help := cmd.CommandPath() + " --help"
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1 {
		flag := cmd.CommandPath() + " --" + unknown.GetSpecifiedName()
		if why := removedFlags[flag]; why != "" {
			return removed(flag, why)
		}
		var words []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { words = append(words, "--"+f.Name) })
		if word := nearest("--"+unknown.GetSpecifiedName(), words); word != "" {
			help = "did you mean " + word + "? see " + help
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

// newHelpCmd returns a help command that fails for unknown commands. Cobra's own does not.
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
				return unknownCommand(at, rest[0])
			}
			at.InitDefaultHelpFlag()
			return at.Help()
		},
	}
}
