package main

import (
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/hook"
)

// hookArgs parses the command line of inject and capture. ok is false for others, and for --help, which only a user types.
func hookArgs(args []string) (opt hook.Options, ok bool) {
	asksHelp := slices.ContainsFunc(args, func(word string) bool {
		name, _, _ := strings.Cut(word, "=")
		return name == "--help" || name == "-h"
	})
	if !hookVerb(args) || asksHelp {
		return opt, false
	}
	opt = hookFlags(args)
	opt.Verb = args[0]
	return opt, true
}

func hookVerb(args []string) bool {
	return len(args) > 0 && (args[0] == harnesses.Inject || args[0] == harnesses.Capture)
}

// hookFlags parses the flags after the first word. It ignores unknown words, because an error would block the agent.
func hookFlags(args []string) (opt hook.Options) {
	var servers []string
	for i := 1; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		if name == "--relay" || name == "--join" { // the latter is in files that an older wsi wrote
			opt.Relay = true
		}
		if name != "--harness" && name != "--server" {
			continue
		}
		if !joined && i+1 < len(args) {
			i++
			value = args[i]
		}
		switch name {
		case "--harness":
			if opt.Harness = value; value == "" {
				opt.Damaged = "--harness has no value"
			}
		default:
			servers = append(servers, value)
		}
	}
	opt.Servers, opt.As = harnesses.ParseServers(servers)
	return opt
}

// damagedHook parses the command line of a hook with a damaged verb, such as "wsi injekt --harness codex". Claude Code
// blocks a call if its hook ends with status 2, as wsi does after wrong usage. A person has a terminal as standard input.
// wrong says what is wrong; nil means that it is not such a line.
func damagedHook(args []string) (opt hook.Options, wrong error) {
	names := func(word string) bool { return strings.Contains(word, "--harness") }
	if !slices.ContainsFunc(args, names) || strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return opt, nil
	}
	if info, err := os.Stdin.Stat(); err == nil && info.Mode()&fs.ModeCharDevice != 0 {
		return opt, nil
	}
	root := newRootCmd(env{})
	if slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == args[0] }) {
		return opt, nil
	}
	opt = hookFlags(append([]string{""}, args...))
	const long = 40
	wrong = unknownCommand(root, args[0][:min(len(args[0]), long)])
	opt.Verb, opt.Damaged = "unknown", wrong.Error()
	return opt, wrong
}

// runHook runs the hook. The exit status is always 0.
func runHook(opt hook.Options) {
	// A run is short and the event's size bounds its memory. Garbage collection would take 40 % of
	// the time of a 1 MB result. A large event switches it on again.
	debug.SetGCPercent(-1)
	signal.Ignore(syscall.SIGPIPE) // the harness may have ended
	home, _ := os.UserHomeDir()    // "" if it is not known
	hook.Run(hook.Env{Stdin: os.Stdin, Stdout: os.Stdout, Getenv: os.Getenv, Home: home, GOOS: runtime.GOOS}, opt)
}

// newHookCmd returns the help of inject or capture. main runs them without cobra.
func newHookCmd(verb, short, long string) *cobra.Command {
	cmd := &cobra.Command{
		Use: verb, Short: short, Long: long, Example: "  wsi " + verb + " --harness codex < event.json",
		Run: func(*cobra.Command, []string) { runHook(hook.Options{Verb: verb}) },
	}
	hooked := slices.DeleteFunc(wirable(), setup.Harness.RelayOnly)
	cmd.Flags().String("harness", "", "`id` of the harness that writes the event: one of "+strings.Join(idList(hooked), ", ")+" (default: the generic event format)")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	offer(cmd, "harness", idsOf(hooked)...)
	if verb == harnesses.Inject {
		cmd.Flags().Bool("relay", false, "only record the caller of each call; the relay carries the value")
	}
	cmd.Flags().StringArray("server", nil, serverUsage+" (default [workflow-server])")
	return cmd
}

func newInjectCmd() *cobra.Command {
	return newHookCmd(harnesses.Inject, "Put the value into a tool call",
		`Inject reads one event from standard input. If the call needs a value, it prints
the changed arguments; else it prints nothing. If something fails, the exit
status is still 0 and the agent makes its call unchanged.`)
}

func newCaptureCmd() *cobra.Command {
	return newHookCmd(harnesses.Capture, "Store the value from a tool call's result",
		`Capture reads one event from standard input and stores the value in the call's
result. If something fails, the exit status is still 0.`)
}
