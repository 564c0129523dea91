package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wsi/doctor"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/hook/carry"
	"wsi/installer"
	"wsi/internal/lists"
)

// words returns the completions of a flag or an argument: words, each followed by a tab and a description.
type words func() []string

func (w words) one(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return w(), cobra.ShellCompDirectiveNoFileComp
}

// list completes a comma-separated list in which no word occurs twice.
func (w words) list(_ *cobra.Command, _ []string, typed string) (lists []string, _ cobra.ShellCompDirective) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	given := strings.Split(before, ",")
	for _, completion := range w() {
		if word, _, _ := strings.Cut(completion, "\t"); !slices.Contains(given, word) {
			lists = append(lists, before+completion)
		}
	}
	return lists, cobra.ShellCompDirectiveNoFileComp
}

// complete sets the completions of a flag. It panics if the command has no such flag.
func complete(cmd *cobra.Command, flag string, with cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, with); err != nil {
		panic(err)
	}
}

func idsOf(all []setup.Harness) words {
	return func() []string {
		return lists.Map(all, func(h setup.Harness) string { return h.ID + "\t" + h.Name })
	}
}

func scopes() []string {
	return []string{string(setup.User) + "\tevery project of yours", string(setup.Project) + "\tthis folder only"}
}

func modes() []string {
	return []string{
		string(setup.ByHooks) + "\thooks carry the value", string(setup.ByRelay) + "\twsi relay in front of the server carries it",
	}
}

// completeChecks completes a list of checks. Those of one harness are offered after its id and a dot.
func completeChecks(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	last := typed[strings.LastIndexByte(typed, ',')+1:]
	harness, _, dot := strings.Cut(last, ".")
	if dot && slices.Contains(wirableIDs(), harness) {
		return words(func() []string { return checks(harness + ".") }).list(cmd, args, typed)
	}
	return words(func() []string { return append(checks(""), wirableIDs()...) }).list(cmd, args, typed)
}

// checks returns the ids of checks with this in front, those of wsi itself only if it is empty.
func checks(before string) (ids []string) {
	for _, c := range doctor.List() {
		if before == "" || !strings.HasPrefix(c.ID, "wsi.") {
			ids = append(ids, before+c.ID+"\t"+c.Asks)
		}
	}
	return ids
}

func hooked() []setup.Harness {
	return slices.DeleteFunc(wirable(), setup.Harness.RelayOnly)
}

// registeredServers completes setup's --server: the servers in the harnesses here that have rules, or look like a
// workflow-server under another name.
func (e env) registeredServers() []string {
	ruled := e.ruled()
	word := func(name string) string {
		if ruled(name) {
			return name
		}
		return harnesses.ServerWord(name, harnesses.DefaultServer)
	}
	var found []setup.Presence
	for _, h := range wirable() {
		p, _ := h.Find(e.Env) // setup reports the error
		found = append(found, p)
	}
	shellSafe := func(name string) bool {
		return !strings.ContainsFunc(name, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r))
		})
	}
	return lists.Map(lists.Filter(installer.Options{Setup: installer.Setup{Ruled: ruled}}.Offer(found...), shellSafe), word)
}

// nearest returns the word that is most similar to a mistyped one, or "".
func nearest(typed string, words []string) string {
	best, least := "", 3
	for _, word := range words {
		n := carry.Apart(typed, word, least)
		if len(typed) > 1 && strings.HasPrefix(word, typed) {
			n = 1 // its beginning is as near as a word with one mistake
		}
		if n < least && 2*n <= len(word) {
			best, least = word, n
		}
	}
	return best
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

// badFlag returns the error for flags that cobra cannot parse. After a command that does not exist, any flag is unknown.
func badFlag(cmd *cobra.Command, err error) error {
	if typed := cmd.Flags().Args(); len(typed) > 0 && cmd.HasSubCommands() {
		return unknownCommand(cmd, typed[0])
	}
	help := cmd.CommandPath() + " --help"
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok && len(unknown.GetSpecifiedName()) > 1 {
		var words []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { words = append(words, "--"+f.Name) })
		if word := nearest("--"+unknown.GetSpecifiedName(), words); word != "" {
			help = "did you mean " + word + "? see " + help
		}
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		kinds := map[string]string{"bool": "true or false", "int": "a number", "duration": "a time such as 90s, 10m or 24h"}
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
