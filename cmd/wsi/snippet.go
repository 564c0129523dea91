package main

import (
	"fmt"
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
		RunE: func(_ *cobra.Command, args []string) error {
			path, err := registeredPath(e.Env, binary)
			if err != nil {
				return err
			}
			return runSnippet(e, args[0], harnesses.Program{Path: path, Servers: servers})
		},
	}
	cmd.Flags().StringArrayVar(&servers, "server", []string{harnesses.DefaultServer}, "name of the MCP server (repeatable)")
	cmd.Flags().StringVar(&binary, "binary", "", "path of wsi (default: where this wsi is)")
	return cmd
}

func runSnippet(e env, name string, p harnesses.Program) error {
	languages := map[string]templates.Language{"agent-sdk-ts": templates.TypeScript, "agent-sdk-py": templates.Python}
	if language, ok := languages[name]; ok {
		module, err := templates.AgentSDK(language, p)
		if err != nil {
			return err
		}
		_, err = e.Stdout.Write(module)
		return err
	}
	h, ok := registry.Get(name)
	if !ok || h.Wiring == nil {
		ids := []string{"agent-sdk-ts", "agent-sdk-py"}
		for _, h := range wirable() {
			ids = append(ids, h.ID)
		}
		return usage("it is one of "+strings.Join(ids, ", "), "there is no snippet for %q", name)
	}
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
