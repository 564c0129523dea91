package main

import (
	"strings"

	"github.com/spf13/cobra"

	"wsi/internal/refserver"
	"wsi/internal/refserver/scripted"
	"wsi/internal/refserver/stdio"
)

// newRefserverCmd returns the hidden command that runs the reference server for wsi doctor --live.
func newRefserverCmd(e env) *cobra.Command {
	var state, place, kind string
	var o refserver.Options
	var readonly bool
	cmd := &cobra.Command{
		Use: refserver.Command, Short: "The MCP server that harnesses call in wsi doctor --live", Hidden: true, Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			var err error
			if o.Places, err = refserver.ParsePlaces(place); err != nil || state == "" {
				return usage("wsi "+refserver.Command+" --help", "--state is missing, or --place is unknown")
			}
			switch kind {
			case "":
				return stdio.Serve(stdio.Reference(refserver.Open(state, o), readonly), e.Stdin, e.raw())
			case scripted.Kind:
				return stdio.Serve(scripted.Open(state), e.Stdin, e.raw())
			}
			return usage("wsi "+refserver.Command+" --help", "unknown kind %q", kind)
		},
	}
	cmd.Flags().StringVar(&state, "state", "", "`folder` of the chains and the ledger")
	cmd.Flags().StringVar(&kind, "kind", "", "instead of the reference server: "+scripted.Kind)
	cmd.Flags().BoolVar(&o.Index, "index", false, "be the workflow-server with a session_index, and trace tokens in _meta")
	cmd.Flags().StringVar(&place, "place", "meta", strings.Join([]string{"meta", "text", "block-meta", "structured"}, ", "))
	cmd.Flags().BoolVar(&o.RotateOnError, "rotate-on-error", false, "error results carry a new value")
	cmd.Flags().BoolVar(&o.Lenient, "lenient", false, "accept stale values")
	cmd.Flags().BoolVar(&readonly, "readonly", false, "annotate all tools as read-only")
	return cmd
}
