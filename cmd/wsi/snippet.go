package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wsi/harnesses"
	"wsi/harnesses/registry"
	"wsi/installer/edit"
	"wsi/templates"
)

func newSnippetCmd(e env) *cobra.Command {
	var servers []string
	var binary string
	cmd := &cobra.Command{
		Use:   "snippet HARNESS",
		Short: "Print what setup would write, to paste it yourself",
		Long: `Snippet prints on standard output what setup would write into the files of a harness
that have nothing in them yet, and on standard error where it goes. Besides the harnesses there
are agent-sdk-ts and agent-sdk-py: callbacks for the Claude Agent SDK.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("wsi snippet claude-code", "name one harness")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSnippet(cmd.Context(), e, args[0], binary, servers)
		},
	}
	cmd.Flags().StringArrayVar(&servers, "server", []string{harnesses.DefaultServer}, "name of the MCP server (repeatable)")
	cmd.Flags().StringVar(&binary, "binary", "", "path of wsi (default: where this wsi is)")
	return cmd
}

var languages = map[string]templates.Language{"agent-sdk-ts": templates.TypeScript, "agent-sdk-py": templates.Python}

func runSnippet(ctx context.Context, e env, name, binary string, servers []string) error {
	h, ok := registry.Get(name)
	language, isSDK := languages[name]
	if !isSDK && (!ok || h.Wiring == nil) {
		return usage("it is one of "+strings.Join(append(wirableIDs(), slices.Sorted(maps.Keys(languages))...), ", "), "there is no snippet for %q", name)
	}
	if err := namedServers(servers); err != nil {
		return err
	}
	path, _, err := place(ctx, e, binary, false)
	if err != nil {
		return err
	}
	p := harnesses.Program{Path: path, Servers: servers}
	if isSDK {
		module, err := templates.AgentSDK(language, p)
		if err != nil {
			return err
		}
		_, err = e.Stdout.Write(module)
		return err
	}
	return printWiring(e, h, p)
}

// printWiring prints what setup would write where there is nothing yet.
func printWiring(e env, h harnesses.Harness, p harnesses.Program) error {
	w, err := h.Wiring(e.Env, harnesses.User, p)
	if err != nil {
		return err
	}
	for _, hf := range w.Hooks {
		content, _, err := edit.Install(hf, nil)
		if err != nil {
			return err
		}
		fmt.Fprintf(e.Stderr, "into %s:\n", e.tilde(hf.Path))
		if _, err := e.Stdout.Write(content); err != nil {
			return err
		}
	}
	for _, wf := range w.Wholes {
		fmt.Fprintf(e.Stderr, "as %s:\n", e.tilde(wf.Path))
		if _, err := e.Stdout.Write(wf.Content); err != nil {
			return err
		}
	}
	return nil
}
