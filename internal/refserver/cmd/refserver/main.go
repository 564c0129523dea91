// Command refserver serves the reference server over stdio with the official MCP SDK, for end-to-end tests and for
// trying a harness by hand. It must not know harnesses or hooks.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wsi/internal/refserver"
	"wsi/internal/refserver/mcpserver"
)

func main() {
	state := flag.String("state", "", "`folder` for the key, the chains and the ledger; several servers can share it")
	index := flag.Bool("index", false, "be the workflow-server with a session_index, and trace tokens in _meta")
	place := flag.String("place", "meta", "where results contain the token: structured, block-meta, or meta, text or both, separated by a comma")
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
	moved := *place == structured || *place == blockMeta
	for name := range strings.SplitSeq(*place, ",") {
		if p := refserver.Place(name); !moved {
			places = append(places, p)
			if p != refserver.Meta && p != refserver.Text {
				fmt.Fprintf(os.Stderr, "refserver: unknown place %q\n", name)
				os.Exit(2)
			}
		}
	}
	o := refserver.Options{Index: *index, Places: places, RotateOnError: *rotate, Lenient: *lenient}
	server := mcpserver.New(refserver.Open(*state, o), *readonly)
	if moved {
		moveToken(server, *place)
	}
	transport := &mcp.IOTransport{Reader: os.Stdin, Writer: os.Stdout}
	if *endAfter > 0 {
		transport.Writer = exitAfter(server, *endAfter)
	}
	if err := server.Run(context.Background(), transport); err != nil {
		fmt.Fprintln(os.Stderr, "refserver:", err)
		os.Exit(1)
	}
}
