package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"wsi/harnesses"
	"wsi/harnesses/claudecode"
	"wsi/harnesses/setup/registry"
	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/internal/printable"
)

func newRulesTryCmd(e env) *cobra.Command {
	var event, harness string
	cmd := &cobra.Command{
		Use:   "try [FILE.toml]",
		Short: "Show what the rules would do with an event",
		Long: `Try reads a single event as a harness writes it for its hooks, and shows what each rule for the event's
server would do: before a call, with a made-up stored value; after a call, whether it finds a value. FILE.toml
replaces your rule file.

Try stores nothing and shows no value.`,
		Example: "  wsi rules try --event event.json\n  wsi rules try my-rules.toml --harness codex --event event.json",
		RunE:    func(_ *cobra.Command, args []string) error { return tryEvent(e, args, harness, event) },
	}
	cmd.Flags().StringVar(&event, "event", "", "`file` with one event")
	cmd.Flags().StringVar(&harness, "harness", claudecode.ID, "`id` of the harness that wrote the event")
	return cmd
}

func tryEvent(e env, args []string, harness, event string) error {
	if event == "" || len(args) > 1 {
		return usage("wsi rules try [FILE.toml] --event EVENT.json", "rules try takes one event; it does not read recorded sessions any more")
	}
	h, ok := registry.Get(harness)
	if !ok || h.Codec == nil {
		return usage("wsi rules try --help", "unknown harness %q, or one without hooks", harness)
	}
	set, err := rulesOf(e, args)
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
		_, err := fmt.Fprintf(e.Stdout, "%s: left alone by the rules\n", printable.Line(ev.Name))
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
		_, err = fmt.Fprintf(e.Stdout, "%q: not a tool of a server with rules\n", ev.Name)
	}
	return err
}

// rulesOf returns the built-in rules together with those of the file in args, or else of the user's file.
func rulesOf(e env, args []string) (rules.Set, error) {
	if len(args) == 0 {
		set, err := rules.Load(rules.UserFile(e.Getenv, e.Home))
		if err != nil {
			return set, printRuleErrors(e, err, "")
		}
		return set, nil
	}
	set, _, err := readRules(e, args[0])
	return set, err
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
			return strings.TrimSuffix("finds no value: "+d.Why, ": ") + ", but there should be one"
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

// tryMeta returns what a rule does with a result, in addition to capturing: what it keeps of it, and what the model gets to
// read of its _meta.
func tryMeta(rule carry.Rule, call carry.Call, result carry.Result) (texts []string) {
	values, why := carry.Take(&rule, call, result)
	for _, v := range values {
		text := fmt.Sprintf("would keep a value of %d characters", len(v.Value))
		if v.Key != "" {
			text += " for " + printable.Line(v.Key)
		}
		texts = append(texts, text)
	}
	if why != "" {
		texts = append(texts, "keeps no value: "+why)
	}
	state := carry.Stored(rule.Server, "made-up")
	for line := range strings.Lines(carry.Tell(&rule, &state, call, result)) {
		texts = append(texts, "would show the model "+strings.TrimSuffix(line, "\n"))
	}
	return texts
}
