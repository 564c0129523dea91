package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/installer/edit"
	"wsi/templates"
)

func newSnippetCmd(e env) *cobra.Command {
	var servers []string
	var binary string
	cmd := &cobra.Command{
		Use:   "snippet HARNESS",
		Short: "Print what setup would write, for you to paste",
		Long: `Snippet prints what setup would write if the files of a harness were empty. It
names the files on standard error. HARNESS can also be agent-sdk-ts or
agent-sdk-py: callbacks for the Claude Agent SDK. On a terminal, control
characters are escaped; in a file or a pipe they are not.`,
		Example: "  wsi snippet claude-code\n  wsi snippet agent-sdk-ts > wsi.ts",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("wsi snippet claude-code", "name one harness")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return runSnippet(e, args[0], binary, servers)
		},
	}
	cmd.Flags().StringArrayVar(&servers, "server", []string{harnesses.DefaultServer}, serverUsage)
	cmd.Flags().StringVar(&binary, "binary", "", "`path` of wsi (default: the path of this wsi)")
	cmd.ValidArgs = append(idsOf(wirable()), slices.Sorted(maps.Keys(languages))...)
	return cmd
}

var languages = map[string]templates.Language{"agent-sdk-ts": templates.TypeScript, "agent-sdk-py": templates.Python}

func runSnippet(e env, name, binary string, servers []string) error {
	h, ok := registry.Get(name)
	language, isSDK := languages[name]
	if !isSDK && (!ok || h.Wiring == nil) {
		known := append(wirableIDs(), slices.Sorted(maps.Keys(languages))...)
		return usage("one of "+strings.Join(known, ", "), "no snippet for %q", name)
	}
	names, as, err := e.servers("wsi snippet "+name, servers, nil, false)
	if err != nil {
		return err
	}
	path, err := binaryPath(e, binary)
	if err != nil {
		return err
	}
	p := setup.Program{Path: path, Servers: names, As: as, Meta: slices.ContainsFunc(names, func(s string) bool { return e.rules().ReadsMeta(cmp.Or(as[s], s)) })}
	if isSDK {
		module, err := templates.AgentSDK(language, p)
		if err != nil {
			return err
		}
		_, err = e.exact().Write(module)
		return err
	}
	return printWiring(e, h, p)
}

func printWiring(e env, h setup.Harness, p setup.Program) error {
	w, err := h.Wiring(e.Env, setup.User, p)
	if err != nil {
		return err
	}
	if h.RelayOnly() {
		return printRelay(e, h, p)
	}
	for _, hf := range w.Hooks {
		content, _, err := edit.Install(hf, nil)
		if err != nil {
			return err
		}
		fmt.Fprintf(e.Stderr, "into %s:\n", e.path(hf.Path))
		if _, err := e.exact().Write(content); err != nil {
			return err
		}
	}
	for _, wf := range w.Owned {
		fmt.Fprintf(e.Stderr, "as %s:\n", e.path(wf.Path))
		if _, err := e.exact().Write(wf.Content); err != nil {
			return err
		}
	}
	return nil
}

// printRelay prints the servers' entries with wsi relay in front of a placeholder for each command.
func printRelay(e env, h setup.Harness, p setup.Program) error {
	file := h.Registers(e.Env, setup.User)[0]
	entries := map[string]any{}
	for _, s := range p.Servers {
		entries[s] = map[string]any{"command": "THE SERVER'S OWN COMMAND", "args": []string{"ITS OWN ARGUMENTS"}}
	}
	var table any = entries
	for _, key := range slices.Backward(file.Tables[0]) {
		table = map[string]any{key: table}
	}
	own, err := json.MarshalIndent(table, "", "  ")
	if err != nil {
		return err
	}
	content, _, err := edit.Wrap(file, append(own, '\n'), func(name string) (setup.RelayCommand, bool) {
		return setup.RelayCommand{Path: p.Path, Server: name, As: p.As[name], Harness: h.ID, State: e.StateDir, Rules: e.movedRules()}, true
	}, nil)
	if err != nil {
		return err
	}
	for _, file := range h.Registers(e.Env, setup.User) {
		fmt.Fprintf(e.Stderr, "put this around the command of the server's entry in %s:\n", e.path(file.Path))
	}
	_, err = e.exact().Write(content)
	return err
}
