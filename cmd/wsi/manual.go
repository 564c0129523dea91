//go:build manual

package main

import (
	"fmt"
	"os"

	"wsi/internal/dev/manual"
)

// A wsi built with the tag "manual" has one more command, for make release and make install: wsi manual DIR.
func init() {
	if len(os.Args) != 3 || os.Args[1] != "manual" {
		return
	}
	if err := manual.Write(newRootCmd(env{}), version(), os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	os.Exit(0)
}
