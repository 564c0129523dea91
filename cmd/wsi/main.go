// Command wsi carries opaque values, such as session tokens, between the tool calls of an agent.
// This package reads flags, connects the other packages and chooses exit statuses.
package main

import (
	"fmt"
	"os"

	"wsi/internal/printable"
	"wsi/internal/refserver"
	"wsi/internal/tui"
)

func main() {
	if opt, ok := hookArgs(os.Args[1:]); ok {
		runHook(opt) // runs with every tool call, so before cobra is set up
		return
	}
	opt, ok, err := relayArgs(os.Args[1:])
	switch {
	case err != nil:
		fmt.Fprintf(tui.Writer{To: os.Stderr}, "error: %s\nhint: wsi relay --help\n", printable.Line(err.Error()))
		os.Exit(2)
	case ok:
		os.Exit(runRelay(opt))
	}
	if opt, wrong := damagedHook(os.Args[1:]); wrong != nil {
		env{Stderr: tui.Writer{To: os.Stderr}}.report(wrong)
		runHook(opt)
		return
	}
	args := os.Args[1:]
	if len(args) > 0 && args[0] == refserver.Command {
		os.Exit(runRefserver(args[1:]))
	}
	if hookVerb(args) {
		args = []string{args[0], "--help"} // cobra would refuse other words
	}
	os.Exit(execute(args))
}
