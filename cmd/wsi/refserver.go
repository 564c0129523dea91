package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"wsi/internal/refserver"
	"wsi/internal/refserver/stdio"
)

// newRefserverCmd returns the hidden command that runs the reference server for wsi doctor --live.
func newRefserverCmd(e env) *cobra.Command {
	var state, place string
	var o refserver.Options
	var killedAfter int
	cmd := &cobra.Command{
		Use: refserver.Command, Short: "The MCP server that harnesses call in wsi doctor --live", Hidden: true, Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			var err error
			if o.Places, err = refserver.ParsePlaces(place); err != nil || state == "" {
				return usage("wsi "+refserver.Command+" --help", "--state is missing, or --place is unknown")
			}
			server := refserver.Open(state, o)
			out := e.raw()
			if last := (lastWriter{out, server, killedAfter}); killedAfter > 0 && !last.over() {
				out = last
			}
			return stdio.Serve(server, e.Stdin, out)
		},
	}
	cmd.Flags().StringVar(&state, "state", "", "`folder` of the chains and the ledger")
	cmd.Flags().BoolVar(&o.Index, "index", false, "be the workflow-server with a session_index, and trace tokens in _meta")
	cmd.Flags().StringVar(&place, "place", "meta", "meta, text, block-meta, structured")
	cmd.Flags().IntVar(&killedAfter, "killed-after", 0, "be killed once, after this `number` of calls on the folder")
	return cmd
}

// lastWriter kills the program once it has written the answer to the last call that the server may answer.
type lastWriter struct {
	io.Writer

	server *refserver.Server
	last   int
}

func (w lastWriter) over() bool {
	calls, err := w.server.Ledger()
	return err == nil && len(calls) >= w.last
}

func (w lastWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if self, e := os.FindProcess(os.Getpid()); e == nil && w.over() {
		_ = self.Kill() // if it fails, the proof says that no restart was seen
		select {}
	}
	return n, err
}
