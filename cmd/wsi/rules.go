package main

import (
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/internal/phrase"
	"wsi/internal/printable"
)

func newRulesCmd(e env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "rules", Short: "Show and check the rules: which value of which server is carried where",
		Long: `The rules say which value of which server is carried where. Some are built in; yours are
in the file that wsi rules path prints.`,
		Args: subcommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "list", Short: "List the rules in force and where they come from", Args: noArgs,
			RunE: func(*cobra.Command, []string) error { return listRules(e) },
		},
		&cobra.Command{
			Use: "check FILE", Short: "List all errors in a rule file", Args: cobra.MaximumNArgs(1),
			RunE: func(_ *cobra.Command, args []string) error { return checkRules(e, args) },
		},
		newRulesTryCmd(e),
		newRemovedCmd("learn", "in 858 real sessions it found no rule; write one as docs/rules.md says"),
		&cobra.Command{
			Use: "path", Short: "Print where your rule file is, or would be", Args: noArgs,
			RunE: func(*cobra.Command, []string) error {
				file, err := rulesFile(e)
				if err == nil {
					_, err = fmt.Fprintln(e.exact(), file)
				}
				return err
			},
		},
	)
	return cmd
}

func rulesFile(e env) (string, error) {
	if file := rules.UserFile(e.Getenv, e.Home); file != "" {
		return file, nil
	}
	return "", failed("set HOME, or XDG_CONFIG_HOME to a folder of yours", "no folder for a rule file")
}

// movedRules returns the rule file if an environment variable has moved it, else "". Some harnesses do not pass the
// variable to their servers, so the relay gets the path as a flag.
func (e env) movedRules() string {
	file := rules.UserFile(e.Getenv, e.Home)
	if file == rules.UserFile(func(string) string { return "" }, e.Home) {
		return ""
	}
	return file
}

func listRules(e env) error {
	set, wrong := rules.Load(rules.UserFile(e.Getenv, e.Home))
	w := tabwriter.NewWriter(e.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RULE\tSERVERS\tDOES\tFROM")
	for _, r := range set.Rules {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.Name, strings.Join(r.Servers, ", "), does(r), origin(e, r))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, tool := range set.Leave {
		fmt.Fprintf(e.Stdout, "left alone: %s\n", printable.Line(tool))
	}
	if set.Keying {
		fmt.Fprintln(e.Stdout, rules.KeyingRemoved)
	}
	if wrong == nil {
		return nil
	}
	return printRuleErrors(e, wrong, "only the built-in rules are in force until you correct this")
}

func origin(e env, r rules.Rule) string {
	if r.Origin.File == "" {
		return "built-in"
	}
	return fmt.Sprintf("%s:%d", e.path(r.Origin.File), r.Origin.Line)
}

func does(r rules.Rule) string {
	if r.Off {
		return "off"
	}
	var all []string
	for _, part := range []struct {
		word string
		has  bool
	}{
		{"captures", len(r.Capture.From) > 0},
		{"injects", len(r.Inject) > 0},
		{"repairs", len(r.Repair) > 0},
		{"compares", len(r.Together.Values) > 0},
		{"collects", len(r.Collect.From) > 0},
		{"shows _meta", len(r.Show.From) > 0},
		{"shows aliases", r.Alias},
	} {
		if part.has {
			all = append(all, part.word)
		}
	}
	if len(all) == 0 {
		return "nothing"
	}
	return strings.Join(all, ", ")
}

func checkRules(e env, args []string) error {
	file, err := rulesFile(e)
	if len(args) == 1 {
		file, err = args[0], nil
	}
	if err != nil {
		return err
	}
	all, user, err := readRules(e, file)
	if err != nil {
		return err
	}
	for _, note := range ineffective(user) {
		fmt.Fprintf(e.Stdout, "%s: %s\n", e.path(file), note)
	}
	_, err = fmt.Fprintf(e.Stdout, "%s is valid: %s of yours, %d in all\n", e.path(file), phrase.Count(len(user.Rules), "rule"), len(all.Rules))
	return err
}

// readRules returns the built-in rules together with those of a file, and those of the file alone. It prints what is wrong
// in the file.
func readRules(e env, file string) (all, user rules.Set, err error) {
	text, err := os.ReadFile(e.abs(file))
	if err != nil {
		return all, user, fmt.Errorf("read rules: %w", err)
	}
	all, user, wrong := rules.Over(rules.Builtin(), file, text)
	if err := wrong.Err(); err != nil {
		return all, user, printRuleErrors(e, err, "")
	}
	return all, user, nil
}

// ineffective returns a note for each part of the rules that is about an argument which wsi never changes.
func ineffective(set rules.Set) (notes []string) {
	note := func(r rules.Rule, does, tool string, argument carry.Path) {
		if why := carry.HandsOff(tool, string(argument), nil); why != "" {
			notes = append(notes, fmt.Sprintf("%q never %s %s of %s: %s", r.Name, does, argument, tool, why))
		}
	}
	if set.Keying {
		notes = append(notes, rules.KeyingRemoved)
	}
	for _, r := range set.Rules {
		for _, i := range r.Inject {
			for _, tool := range i.Tools {
				note(r, "injects", tool, i.Argument)
			}
		}
		for _, tool := range r.Collect.Into {
			note(r, "puts values into", tool, r.Collect.Argument)
		}
		for _, p := range r.Repair {
			for _, tool := range p.Tools {
				for _, argument := range p.Arguments {
					note(r, "repairs", tool, argument)
				}
			}
		}
	}
	return notes
}

// printRuleErrors prints the errors of a rule file, one per line, and then a note.
func printRuleErrors(e env, wrong error, note string) error {
	fmt.Fprintln(e.Stderr, e.tilde(wrong.Error()))
	if note != "" {
		fmt.Fprintln(e.Stderr, note)
	}
	return errReported
}
