// Command refserver serves the reference server over stdio with the official MCP SDK, for end-to-end tests and for
// trying a harness by hand. It must not know harnesses or hooks.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wsi/internal/refserver"
	"wsi/internal/refserver/mcpserver"
)

func main() {
	state := flag.String("state", "", "`folder` for the key, the chains and the ledger; several servers can share it")
	index := flag.Bool("index", false, "be the workflow-server with a session_index, and trace tokens in _meta")
	place := flag.String("place", "meta", "where results contain the token: meta, text, or both, separated by a comma")
	rotate := flag.Bool("rotate-on-error", false, "error results have a new token in _meta")
	readonly := flag.Bool("readonly", false, "annotate all tools as read-only")
	lenient := flag.Bool("lenient", false, "accept stale tokens, as the workflow-server does")
	endAfter := flag.Int("end-after", 0, "exit after so many calls, 0 = never")
	flag.Parse()
	if *state == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	var places []refserver.Place
	for name := range strings.SplitSeq(*place, ",") {
		places = append(places, refserver.Place(name))
	}
	if slices.ContainsFunc(places, func(p refserver.Place) bool { return p != refserver.Meta && p != refserver.Text }) {
		fmt.Fprintf(os.Stderr, "refserver: unknown place in %q: use meta or text\n", *place)
		os.Exit(2)
	}
	o := refserver.Options{Index: *index, Places: places, RotateOnError: *rotate, Lenient: *lenient}
	server := mcpserver.New(refserver.Open(*state, o), *readonly)
	transport := &mcp.IOTransport{Reader: os.Stdin, Writer: os.Stdout}
	if *endAfter > 0 {
		transport.Writer = exitAfter(server, *endAfter)
	}
	if err := server.Run(context.Background(), transport); err != nil {
		fmt.Fprintln(os.Stderr, "refserver:", err)
		os.Exit(1)
	}
}
