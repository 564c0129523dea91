package main

import (
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"wsi/harnesses"
	"wsi/hook"
)

// hookArgs parses the command line of inject and capture. It ignores unknown words, because an error
// would block the agent. ok is false for other commands, and for --help, which only a user types.
func hookArgs(args []string) (opt hook.Options, ok bool) {
	if len(args) == 0 || args[0] != harnesses.Inject && args[0] != harnesses.Capture {
		return opt, false
	}
	opt.Verb = args[0]
	var servers []string
	for i := 1; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		if name == "--help" || name == "-h" {
			return opt, false
		}
		if name == "--join" {
			opt.Join = true
		}
		if name != "--harness" && name != "--server" && name != "--handles" {
			continue
		}
		if !joined && i+1 < len(args) {
			i++
			value = args[i]
		}
		switch name {
		case "--harness":
			opt.Harness = value
		case "--handles":
			opt.Handles = append(opt.Handles, value)
		default:
			servers = append(servers, value)
		}
	}
	opt.Servers, opt.As = harnesses.ParseServers(servers)
	return opt, true
}

// runHook runs the hook. The exit status is always 0.
func runHook(opt hook.Options) {
	// A run is short and the event's size bounds its memory. Garbage collection would take 40 % of
	// the time of a 1 MB result. A large event switches it on again.
	debug.SetGCPercent(-1)
	signal.Ignore(syscall.SIGPIPE) // the harness may have ended
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	hook.Run(hook.Env{Stdin: os.Stdin, Stdout: os.Stdout, Getenv: os.Getenv, Home: home, GOOS: runtime.GOOS}, opt)
}

// newHookCmd returns the help of inject or capture. main runs them without cobra.
func newHookCmd(verb, short, long string) *cobra.Command {
	cmd := &cobra.Command{
		Use: verb, Short: short, Long: long,
		Run: func(*cobra.Command, []string) { runHook(hook.Options{Verb: verb}) },
	}
	cmd.Flags().String("harness", "", "`id` of the harness that writes the event: one of\n"+inLines(idList(hooked()))+"\n(default: the generic event format)")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	complete(cmd, "harness", idsOf(hooked()).one)
	if verb == harnesses.Capture {
		cmd.Flags().StringArray("handles", nil, "keep the ids of this `server`, to list them after a compaction")
	} else {
		cmd.Flags().Bool("join", false, "only record the caller of each call; the relay carries the value")
	}
	cmd.Flags().StringArray("server", nil, serverUsage+"\n(default [workflow-server])")
	return cmd
}

func newInjectCmd() *cobra.Command {
	return newHookCmd(harnesses.Inject, "Put the value into a tool call (a hook that harnesses run)",
		`Inject reads one event from standard input. If the call needs a value, it prints the
changed arguments; else it prints nothing. If something fails, the exit status is
still 0 and the agent makes its call unchanged.`)
}

func newCaptureCmd() *cobra.Command {
	return newHookCmd(harnesses.Capture, "Store the value from a tool call's result (a hook that harnesses run)",
		`Capture reads one event from standard input and stores the value in the call's
result. With --handles it also keeps the ids of a server, and lists them when the
harness has compacted the conversation. If something fails, the exit status is
still 0.`)
}
