package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"wsi/internal/refserver"
	"wsi/internal/refserver/stdio"
)

// runRefserver serves the MCP server that harnesses call in wsi doctor --live. It returns the exit status. Only wsi itself types its command
// line, so it is not among the commands.
func runRefserver(args []string) int {
	flags := flag.NewFlagSet("wsi "+refserver.Command, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // what was typed is not printed
	state := flags.String("state", "", "folder of the chains and the ledger")
	index := flags.Bool("index", false, "be the workflow-server with a session_index, and trace tokens in _meta")
	killedAfter := flags.Int("killed-after", 0, "be killed once, after this number of calls on the folder")
	if err := flags.Parse(args); err != nil || *state == "" || flags.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "error: "+refserver.Command+" is for wsi doctor --live only")
		return 2
	}
	server := refserver.Open(*state, refserver.Options{Index: *index})
	var out io.Writer = os.Stdout
	if last := (lastWriter{out, server, *killedAfter}); *killedAfter > 0 && !last.over() {
		out = last
	}
	if err := stdio.Serve(server, os.Stdin, out); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	return 0
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
