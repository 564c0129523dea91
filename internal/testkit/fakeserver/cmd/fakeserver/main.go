// Command fakeserver runs one of the fake servers on stdio, for trying a harness by hand. It must not know harnesses
// or hooks.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"wsi/internal/refserver/stdio"
	"wsi/internal/testkit/fakeserver"
)

func main() {
	state := flag.String("state", "", "`folder` for the server's state and its ledger")
	kind := flag.String("kind", "", "which server: "+strings.Join(fakeserver.Kinds(), ", "))
	flag.Parse()
	if err := serve(*state, *kind); err != nil {
		fmt.Fprintln(os.Stderr, "fakeserver:", err)
		os.Exit(1)
	}
}

func serve(state, kind string) error {
	s, err := fakeserver.Open(state, kind, time.Now)
	if err != nil {
		return err
	}
	return stdio.Serve(s, os.Stdin, os.Stdout)
}
