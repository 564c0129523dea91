// Command wsi carries opaque values between the calls of an agent's tools: it is the hook that
// does so, its installer and its doctor. This folder holds nothing but flags, wiring-up and exit
// codes.
package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"wsi/internal/printable"
)

// release is set by the linker; a build by hand has none.
var release string

func main() {
	if opt, ok := hookArgs(os.Args[1:]); ok {
		runHook(opt) // before any flag library: this is what runs with every tool call
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

// version is the release, or what the Go toolchain knows of this build.
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return strings.Trim(info.Main.Version, "()")
	}
	return "devel"
}
