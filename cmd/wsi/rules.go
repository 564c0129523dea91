package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"wsi/harnesses"
	"wsi/harnesses/claudecode"
	"wsi/harnesses/setup/registry"
	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/internal/phrase"
	"wsi/internal/plainfile"
	"wsi/internal/printable"
	"wsi/internal/tui"
)

func newRulesCmd(e env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "rules", Short: "Show and check the rules: which values are carried where",
		Long: `A rule says which value of a server is carried, and into which argument. Some
rules are built in; yours are in the file that wsi rules path prints.`,
		Example: "  wsi rules list\n  wsi rules check my-rules.toml",
		Args:    subcommands,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "list", Short: "List the rules in use and where they come from", Example: "  wsi rules list", Args: noArgs,
			RunE: func(*cobra.Command, []string) error { return listRules(e) },
		},
		&cobra.Command{
			Use: "check [FILE]", Short: "List all errors in a rule file (default: yours)", Example: "  wsi rules check my-rules.toml", Args: cobra.MaximumNArgs(1),
			RunE: func(_ *cobra.Command, args []string) error { return checkRules(e, args) },
		},
		newRulesTryCmd(e),
		&cobra.Command{
			Use: "path", Short: "Print where your rule file is, or would be", Example: "  wsi rules path", Args: noArgs,
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
	return "", failed("set HOME or XDG_CONFIG_HOME", "no folder for a rule file")
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
	for _, r := range set.Rules {
		_ = e.say("%s: %s", r.Name, does(r))
		origin := "built-in"
		if r.Origin.File != "" {
			origin = fmt.Sprintf("%s, rule %d", e.path(r.Origin.File), r.Origin.Number)
		}
		fmt.Fprintln(e.Stdout, strings.Join(tui.Hanging("  ", origin+", for "+strings.Join(r.Servers, ", "), e.width()-2), "\n"))
	}
	for _, tool := range set.Leave {
		fmt.Fprintf(e.Stdout, "left alone: %s\n", printable.Line(tool))
	}
	if wrong == nil {
		return nil
	}
	return printRuleErrors(e, fmt.Errorf("%w\nonly the built-in rules apply until you correct this", wrong))
}

// say writes a text for people, wrapped. The lines after the first are indented.
func (e env) say(format string, args ...any) error {
	_, err := fmt.Fprintln(e.Stdout, strings.Join(tui.Wrap(fmt.Sprintf(format, args...), e.width()-2), "\n  "))
	return err
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
		{"collects", len(r.Collect.From) > 0},
		{"shows _meta", len(r.Show) > 0},
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
	if _, gone := os.Stat(e.abs(file)); len(args) == 0 && errors.Is(gone, fs.ErrNotExist) {
		return e.say("there is no %s: only the built-in rules apply", e.path(file))
	}
	all, user, err := readRules(e, file)
	if err != nil {
		return err
	}
	for _, note := range ineffective(user) {
		_ = e.say("%s: %s", e.path(file), note)
	}
	return e.say("%s is valid: %s of yours, %d in all", e.path(file), phrase.Count(len(user.Rules), "rule"), len(all.Rules))
}

// readRules returns the built-in rules with those of a file, and the latter alone. It prints what is wrong in the file.
func readRules(e env, file string) (all, user rules.Set, err error) {
	read := os.ReadFile // what the user names may be a pipe
	if file == rules.UserFile(e.Getenv, e.Home) {
		read = plainfile.Read
	}
	text, err := read(e.abs(file))
	if errors.Is(err, fs.ErrNotExist) {
		return all, user, failed("to see the rules in force: wsi rules list", "no rule file at %s", file)
	} else if err != nil {
		return all, user, fmt.Errorf("read rules: %w", err)
	}
	all, user, wrong := rules.Over(rules.Builtin(), file, text)
	if len(wrong) > 0 {
		return all, user, printRuleErrors(e, wrong)
	}
	return all, user, nil
}

// ineffective returns a note for each part of the rules that is about an argument which wsi never changes, or that hooks ignore.
func ineffective(set rules.Set) (notes []string) {
	note := func(r rules.Rule, does, tool string, argument carry.Path) {
		if why := carry.HandsOff(tool, string(argument), nil); why != "" {
			notes = append(notes, fmt.Sprintf("rule %q: wsi never %s %s of the tool %q, because %s", r.Name, does, argument, tool, why))
		}
	}
	for _, r := range set.Rules {
		for _, i := range r.Inject {
			for _, tool := range i.Tools {
				note(r, "fills", tool, i.Argument)
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

// printRuleErrors prints the errors of a rule file, one per line.
func printRuleErrors(e env, wrong error) error {
	fmt.Fprintln(e.Stderr, e.tilde(wrong.Error()))
	return errReported
}

func newRulesTryCmd(e env) *cobra.Command {
	var event, harness string
	cmd := &cobra.Command{
		Use:   "try [FILE.toml]",
		Short: "Show what the rules would do with an event",
		Long: `Try reads one event, in the form in which a harness writes it for its hooks. It
shows what each rule of the event's server would do. For a call, it pretends
that a value is stored; in a result, it looks for one. FILE.toml replaces your
rule file. Try stores nothing and shows no value.`,
		Example: "  wsi rules try --event event.json\n  wsi rules try my-rules.toml --harness codex --event event.json",
		RunE:    func(_ *cobra.Command, args []string) error { return tryEvent(e, args, harness, event) },
	}
	cmd.Flags().StringVar(&event, "event", "", "`file` with one event")
	cmd.Flags().StringVar(&harness, "harness", claudecode.ID, oneHarness)
	return cmd
}

func tryEvent(e env, args []string, harness, event string) error {
	if event == "" || len(args) > 1 {
		return usage("wsi rules try [FILE.toml] --event EVENT.json", "rules try takes one event, from a file")
	}
	h, ok := registry.Get(harness)
	if !ok || h.Codec == nil {
		return usage("wsi rules try --help", "%q is not a harness with hooks", harness)
	}
	set, err := rules.Load(rules.UserFile(e.Getenv, e.Home))
	if len(args) == 1 {
		set, _, err = readRules(e, args[0])
	} else if err != nil {
		err = printRuleErrors(e, err)
	}
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(e.abs(event))
	if err != nil {
		return fmt.Errorf("read event: %w", err)
	}
	ev, err := h.Codec.Read(raw)
	if err != nil {
		return fmt.Errorf("read event: %w", err)
	}
	if set.Leaves(ev.Name, "", "") {
		return e.say("%s: left alone by the rules", printable.Line(ev.Name))
	}
	found := false
	for _, server := range set.Servers() {
		tool, is := h.Codec.Tool(ev, server)
		if !is {
			continue
		}
		for _, rule := range set.For(server) {
			found = true
			_ = e.say("%s, rule %q: %s", server, rule.Name, try(rule, ev, tool))
		}
	}
	if !found {
		return e.say("%q is not a tool of a server with rules", ev.Name)
	}
	return nil
}

// try returns what a rule does with an event, in words and without a value.
func try(rule carry.Rule, ev harnesses.Event, tool string) string {
	rule.Server = "tried"
	call := carry.Call{Agent: ev.Agent, ID: ev.ID, Tool: tool, Args: ev.Args}
	switch ev.Kind {
	case harnesses.Before:
		if rule.Gathers(tool) {
			return tryGather(rule, call)
		}
		rule.Shape = "" // the made-up value does not match any shape
		for i := range rule.Inject {
			rule.Inject[i].Choose = "only"
		}
		state := carry.Stored(rule.Server, "made-up")
		d := carry.Before(&rule, &state, call)
		if d.Action == carry.Injected {
			return "would put a value into " + rule.Takes(tool)
		}
		return string(d.Action) + ": " + d.Why
	case harnesses.After, harnesses.Failed:
		if texts := tryMeta(rule, call, ev.Result); texts != nil {
			return strings.Join(texts, "; ")
		}
		d := carry.After(&rule, new(carry.State), call, ev.Result)
		switch {
		case d.Action == carry.Captured:
			return fmt.Sprintf("would keep a value of %d characters", len(d.Value))
		case d.Unseen:
			return strings.TrimSuffix("expects a value, but "+d.Why, ", but ")
		}
		return string(d.Action) + ": " + d.Why
	}
	return "ignores this kind of event"
}

// tryGather returns what a rule does with the call of a tool that takes all values of a collection.
func tryGather(rule carry.Rule, call carry.Call) string {
	d, err := carry.Gather(&rule, call, func(string) ([]string, error) { return []string{"made-up"}, nil })
	switch {
	case err != nil:
		return err.Error()
	case d.Changes():
		return "would put all kept values into " + string(rule.Collect.Argument)
	}
	return string(d.Action) + ": " + d.Why
}

// tryMeta returns what a rule does with a result apart from capturing: what it keeps, and shows the model of its _meta.
func tryMeta(rule carry.Rule, call carry.Call, result carry.Result) (texts []string) {
	values, why := carry.Take(&rule, call, result)
	for _, v := range values {
		texts = append(texts, fmt.Sprintf("would keep a value of %d characters", len(v.Value)))
	}
	if why != "" {
		texts = append(texts, "keeps no value: "+why)
	}
	state := carry.Stored(rule.Server, "made-up")
	shown, _ := carry.Tell(&rule, &state, call, result)
	for line := range strings.Lines(shown) {
		texts = append(texts, "would show the model "+strings.TrimSuffix(line, "\n"))
	}
	return texts
}
