package main

import (
	"fmt"
	"os"
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
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "try [FILE.toml] [path...]",
		Short: "Show what the rules would have done with recorded calls",
		Long: `Try reads the sessions that ` + inSentence(recordingNames()) + ` have recorded, and
counts for each rule what it would have done with their calls: injected a value that the model left out, corrected
or refused one, or agreed with what the model passed. A rule is contradicted if the server accepted a call that the
rule would have changed or refused. FILE.toml replaces your rule file. Without a path it reads all sessions in your
home folder.

With --event it reads a single event as a harness writes it for its hooks, and shows what each rule for the
event's server would do: before a call, with a made-up stored value; after a call, whether it finds a value.

Try stores nothing and shows no value.`,
		Example: "  wsi rules try learnt.toml\n  wsi rules try learnt.toml ~/.codex/sessions --json\n  wsi rules try my-rules.toml --harness codex --event event.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if event != "" {
				return tryEvent(e, args, harness, event, asJSON)
			}
			if cmd.Flags().Changed("harness") {
				return usage("wsi rules try --help", "--harness is of use only with --event")
			}
			return tryRecorded(e, args, asJSON)
		},
	}
	cmd.Flags().StringVar(&event, "event", "", "`file` with one event")
	cmd.Flags().StringVar(&harness, "harness", claudecode.ID, "`id` of the harness that wrote the event")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object; not with --event")
	return cmd
}

func tryEvent(e env, args []string, harness, event string, asJSON bool) error {
	if asJSON || len(args) > 1 {
		return usage("wsi rules try --help", "--event takes neither paths nor --json")
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
