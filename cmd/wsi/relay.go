package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/relay"
)

// relayArgs parses the command line of a relay. ok is false for other commands, and for --help, which cobra answers.
func relayArgs(args []string) (opt relay.Options, ok bool, err error) {
	if len(args) == 0 || args[0] != harnesses.Relay {
		return opt, false, nil
	}
	c, own, err := setup.ParseRelay(args[1:])
	if errors.Is(err, setup.ErrHelp) {
		return opt, false, nil
	}
	opt = relay.Options{
		Server: c.Server, As: c.As, Harness: c.Harness, State: c.State, Rules: c.Rules, Schema: c.Schema, Content: c.Content,
		Command: args[1+own:], URL: c.URL, Headers: c.Headers,
	}
	if err == nil {
		lifeFlags(&opt, c.Life)
		err = checkRelay(opt)
	}
	return opt, true, err
}

// lifeFlags reads the flags on the server's end and start.
func lifeFlags(opt *relay.Options, flags []string) {
	for len(flags) > 0 {
		if flags[0] == "--no-restart" {
			opt.NoRestart, flags = true, flags[1:]
			continue
		}
		opt.Watch, flags = append(opt.Watch, flags[1]), flags[2:]
	}
}

// checkRelay returns an error for options that do not go together.
func checkRelay(opt relay.Options) error {
	switch {
	case opt.Server == "":
		return errors.New("--server is missing: give the server's name in the harness")
	case len(opt.Command) == 0 && opt.URL == "":
		return errors.New("give the server's command after --, or --url")
	case len(opt.Command) > 0 && opt.URL != "":
		return errors.New("give a command or --url, not both")
	case opt.URL != "" && (opt.NoRestart || opt.Watch != nil):
		return errors.New("--no-restart and --reload-on-change need a command")
	case opt.NoRestart && opt.Watch != nil:
		return errors.New("--reload-on-change starts the server again, so it does not go with --no-restart")
	case len(opt.Headers) > 0 && opt.URL == "":
		return errors.New("--header-env needs --url")
	case opt.State != "" && !filepath.IsAbs(opt.State), opt.Rules != "" && !filepath.IsAbs(opt.Rules):
		return errors.New("--state and --rules need absolute paths")
	}
	if !slices.Contains([]string{"", relay.Optional, relay.Hidden, relay.AsIs}, opt.Schema) {
		return fmt.Errorf("--schema must be %s, %s or %s", relay.Optional, relay.Hidden, relay.AsIs)
	}
	if !slices.Contains([]string{"", relay.Auto, relay.AsIs}, opt.Content) {
		return fmt.Errorf("--content must be %s or %s", relay.Auto, relay.AsIs)
	}
	return nil
}

// runRelay runs the relay and returns the exit status: the server's own, if the server was started.
func runRelay(opt relay.Options) int {
	ends := make(chan os.Signal, 4)
	signal.Notify(ends, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// If the harness has ended, the write fails. Do not ignore the signal instead: the server would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	log.SetOutput(io.Discard)   // net/http logs unsolicited responses, which may hold secrets
	home, _ := os.UserHomeDir() // "" if it is not known
	return relay.Run(relay.Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Signals: ends,
		Getenv: os.Getenv, Environ: os.Environ(), Home: home, GOOS: runtime.GOOS,
	}, opt)
}

// newRelayCmd returns the help of the relay. main runs it without cobra.
func newRelayCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   harnesses.Relay + " --server NAME [flags] {-- COMMAND [ARG...] | --url URL}",
		Short: "Carry values between an MCP server and the harness",
		Long: `A harness starts relay instead of an MCP server. Relay starts the server and
forwards all messages between the two. It takes the value out of each result and
puts it into the calls that need it. If the server ends, the next request starts
it again. The exit status is that of the server process that ran last.
For a server with Streamable HTTP, give --url instead of a command.`,
		Example: "  wsi relay --server workflow-server --harness crush -- npx workflow-server",
		Run:     func(cmd *cobra.Command, _ []string) { _ = cmd.Help() },
	}
	flags := cmd.Flags()
	flags.String("server", "", "`name` of the MCP server in the harness; NAME=OTHER gives it the rules of the server OTHER")
	flags.String("harness", "", oneHarness)
	flags.String("state", "", "wsi's state `folder`, for harnesses that clear the environment (default: as for the other commands)")
	flags.String("rules", "", "the rule `file` (default: as for the other commands)")
	flags.String("url", "", "the server's `address`, http://... or https://...")
	flags.StringArray("header-env", nil, "send HEADER with the value of the environment variable VARIABLE: `HEADER=VARIABLE`, or 'HEADER=Bearer VARIABLE' if VARIABLE holds only the token (repeatable)")
	flags.Bool("no-restart", false, "end when the server ends; do not start it again")
	flags.StringArray("reload-on-change", nil, "start the server again, between two requests, when this `file` changes\n(repeatable)")
	flags.String("schema", relay.Optional, "`how` the model sees the carried argument: optional, hidden or as-is")
	flags.String("content", relay.Auto, "`how` relay writes results: auto (a client that wsi knows then shows all of them) or as-is")
	return cmd
}
