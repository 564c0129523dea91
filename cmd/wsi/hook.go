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

// hookArgs reads the command line of inject and capture. Words it does not know are passed over: a
// hook that complains would stand in the agent's way. Only a person asks for help.
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
		if name != "--harness" && name != "--server" {
			continue
		}
		if !joined && i+1 < len(args) {
			i++
			value = args[i]
		}
		if name == "--harness" {
			opt.Harness = value
		} else {
			servers = append(servers, value)
		}
	}
	opt.Servers, opt.As = harnesses.ParseServers(servers)
	return opt, true
}

// runHook runs the hook; the exit status is 0 whatever happens.
func runHook(opt hook.Options) {
	// A run is short and its memory bounded by the event's size, so collecting garbage on the way
	// only costs: 40 % of the time that a 1 MB result takes. A large event switches it on again.
	debug.SetGCPercent(-1)
	signal.Ignore(syscall.SIGPIPE) // a harness that went away is no crash
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	hook.Run(hook.Env{Stdin: os.Stdin, Stdout: os.Stdout, Getenv: os.Getenv, Home: home, GOOS: runtime.GOOS}, opt)
}

// newHookCmd describes a verb of the hook in the help; main runs it before this is ever built.
func newHookCmd(verb, short, long string) *cobra.Command {
	cmd := &cobra.Command{
		Use: verb, Short: short, Long: long,
		Run: func(*cobra.Command, []string) { runHook(hook.Options{Verb: verb}) },
	}
	var ids []string
	for _, h := range hooked() {
		ids = append(ids, h.ID)
	}
	cmd.Flags().String("harness", "", "`id` of the harness whose event it is, of\n"+inLines(ids)+"\n(default: the plain form)")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	complete(cmd, "harness", idsOf(hooked()).one)
	if verb == harnesses.Inject {
		cmd.Flags().Bool("join", false, "only note who makes the call, for the relay in front of the server")
	}
	cmd.Flags().StringArray("server", nil, "`name` of the MCP server, or NAME=OTHER if it has the rules of the server OTHER (repeatable)\n(default [workflow-server])")
	return cmd
}

func newInjectCmd() *cobra.Command {
	return newHookCmd(harnesses.Inject, "Before a tool call: put the value in (the hook; harnesses run it)",
		`Inject reads one event on standard input and answers on standard output with the
arguments the call must have, or with nothing. Whatever goes wrong, the exit
status is 0 and the agent's call goes on as it was.`)
}

func newCaptureCmd() *cobra.Command {
	return newHookCmd(harnesses.Capture, "After a tool call: keep the value of its result (the hook; harnesses run it)",
		`Capture reads one event on standard input and keeps the value that the call's
result hands out. Whatever goes wrong, the exit status is 0.`)
}
