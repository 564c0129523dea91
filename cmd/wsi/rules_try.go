package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"wsi/harnesses"
	"wsi/harnesses/claudecode"
	"wsi/harnesses/registry"
	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/internal/printable"
)

func newRulesTryCmd(e env) *cobra.Command {
	var event, harness string
	cmd := &cobra.Command{
		Use:   "try [FILE] --event EVENT",
		Short: "Tell what the rules would do with a recorded event",
		Long: `Try reads an event as a harness writes it for its hooks, and tells what each rule for
the event's server would do with it: before a call, with a made-up value in store;
after a call, which value it finds. FILE is tried in place of your rule file.
Nothing is kept, and no value is shown.`,
		Example: "  wsi rules try --event event.json\n  wsi rules try my-rules.toml --harness codex --event event.json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if event == "" {
				return usage("wsi rules try --help", "no event is named")
			}
			return tryRules(e, args, harness, event)
		},
	}
	cmd.Flags().StringVar(&event, "event", "", "a file with one event")
	cmd.Flags().StringVar(&harness, "harness", claudecode.ID, "whose event it is")
	return cmd
}

func tryRules(e env, args []string, harness, event string) error {
	h, ok := registry.Get(harness)
	if !ok || h.Codec == nil {
		return usage("wsi rules try --help", "there is no harness %q whose events wsi reads", harness)
	}
	set, err := rulesOf(e, args)
	if err != nil {
		return err
	}
	if !filepath.IsAbs(event) {
		event = filepath.Join(e.Cwd, event)
	}
	raw, err := os.ReadFile(event)
	if err != nil {
		return fmt.Errorf("read event: %w", err)
	}
	ev, err := h.Codec.Read(raw)
	if err != nil {
		return fmt.Errorf("read event: %w", err)
	}
	if set.Leaves(ev.Name, "", "") {
		_, err := fmt.Fprintf(e.Stdout, "%s: the rules say to leave it alone\n", printable.Line(ev.Name))
		return err
	}
	found := false
	for _, server := range set.Servers() {
		tool, is := h.Codec.Tool(ev, server)
		if !is {
			continue
		}
		for _, rule := range set.For(server) {
			found = true
			fmt.Fprintf(e.Stdout, "%s, rule %q: %s\n", server, rule.Name, try(rule, ev, tool))
		}
	}
	if !found {
		_, err = fmt.Fprintf(e.Stdout, "%q is no tool of a server that a rule names\n", ev.Name)
	}
	return err
}

// rulesOf returns the rules with those of a file, or of the user's own.
func rulesOf(e env, args []string) (rules.Set, error) {
	if len(args) == 0 {
		set, err := rules.Load(rules.UserFile(e.Getenv, e.Home))
		if err != nil {
			return set, wrongRules(e, err, "")
		}
		return set, nil
	}
	path := args[0]
	if !filepath.IsAbs(path) {
		path = filepath.Join(e.Cwd, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return rules.Set{}, fmt.Errorf("read rules: %w", err)
	}
	set, _, wrong := rules.Over(rules.Builtin(), args[0], text)
	if err := wrong.Err(); err != nil {
		return set, wrongRules(e, err, "")
	}
	return set, nil
}

// try tells what a rule does with an event, in words and without a value.
func try(rule carry.Rule, ev harnesses.Event, tool string) string {
	rule.Server = "tried"
	call := carry.Call{Agent: ev.Agent, ID: ev.ID, Tool: tool, Args: ev.Args}
	switch ev.Kind {
	case harnesses.Before:
		rule.Shape = "" // the made-up value has none
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
		d := carry.After(&rule, new(carry.State), call, ev.Result)
		switch {
		case d.Action == carry.Captured:
			return fmt.Sprintf("would keep a value of %d characters", len(d.Value))
		case d.Unseen:
			return strings.TrimSuffix("finds none: "+d.Why, ": ") + ", where one should be"
		}
		return string(d.Action) + ": " + d.Why
	}
	return "has no business with this kind of event"
}
