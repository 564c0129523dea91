// Command wsi carries opaque values, such as session tokens, between the tool calls of an agent.
// This package reads flags, connects the other packages and chooses exit statuses.
package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"wsi/internal/printable"
)

// release is set by the linker. It is empty in a build by hand.
var release string

func main() {
	if opt, ok := hookArgs(os.Args[1:]); ok {
		runHook(opt) // runs with every tool call, so before cobra is set up
		return
	}
	opt, ok, err := relayArgs(os.Args[1:])
	switch {
	case err != nil:
		fmt.Fprintf(printable.Writer{To: os.Stderr}, "error: %s\nsee: wsi relay --help\n", printable.Line(err.Error()))
		os.Exit(2)
	case ok:
		os.Exit(runRelay(opt))
	}
	os.Exit(execute(os.Args[1:]))
}

// version returns the release, or else the version that the Go toolchain recorded.
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return strings.Trim(info.Main.Version, "()")
	}
	return "devel"
}
