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
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"wsi/harnesses"
	"wsi/relay"
)

const relayVerb = "relay"

// relayArgs reads the command line of a relay. asked is false for what cobra is to answer: another command,
// or somebody who wants help.
func relayArgs(args []string) (opt relay.Options, asked bool, err error) {
	if len(args) == 0 || args[0] != relayVerb {
		return opt, false, nil
	}
	var header string
	flags := map[string]*string{
		"--server": &opt.Server, "--harness": &opt.Harness, "--state": &opt.State, "--rules": &opt.Rules, "--schema": &opt.Schema,
		"--url": &opt.URL, "--header-env": &header,
	}
	for i := 1; i < len(args); i++ {
		if args[i] == "--" {
			opt.Command = args[i+1:]
			break
		}
		name, value, joined := strings.Cut(args[i], "=")
		if name == "--help" || name == "-h" {
			return opt, false, nil
		}
		into := flags[name]
		switch {
		case into == nil:
			return opt, true, fmt.Errorf("there is no %s here; what the server is started with stands after --", args[i])
		case !joined && i+1 == len(args):
			return opt, true, fmt.Errorf("%s needs a value", name)
		case !joined:
			i++
			value = args[i]
		}
		*into = value
		if into == &opt.Server {
			opt.Server, opt.As = harnesses.ParseServer(value)
		}
		if into == &header {
			h, ok := harnesses.ParseHeader(value)
			if !ok {
				return opt, true, errors.New("--header-env is HEADER=VARIABLE, the name of an environment variable that holds the header's value, or 'HEADER=Bearer VARIABLE' if it holds the token alone")
			}
			opt.Headers = append(opt.Headers, h)
		}
	}
	return opt, true, checkRelay(opt)
}

func checkRelay(opt relay.Options) error {
	switch {
	case opt.Server == "":
		return errors.New("it needs --server, the server's name as the harness has it")
	case len(opt.Command) == 0 && opt.URL == "":
		return errors.New("it needs the server's command after --, or --url")
	case len(opt.Command) > 0 && opt.URL != "":
		return errors.New("a server has a command or --url, not both")
	case len(opt.Headers) > 0 && opt.URL == "":
		return errors.New("--header-env is for a server with --url")
	case opt.State != "" && !filepath.IsAbs(opt.State), opt.Rules != "" && !filepath.IsAbs(opt.Rules):
		return errors.New("--state and --rules need absolute paths")
	}
	switch opt.Schema {
	case "", relay.Optional, relay.Hidden, relay.AsIs:
		return nil
	}
	return fmt.Errorf("--schema is %s, %s or %s", relay.Optional, relay.Hidden, relay.AsIs)
}

// runRelay runs the relay and returns the exit status: the server's own, if the server was started.
func runRelay(opt relay.Options) int {
	ends := make(chan os.Signal, 4)
	signal.Notify(ends, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// If the harness has ended, the write fails. Do not ignore the signal instead: the server would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	log.SetOutput(io.Discard) // net/http logs unsolicited responses, which may hold secrets
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	return relay.Run(relay.Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Signals: ends,
		Getenv: os.Getenv, Environ: os.Environ(), Home: home, GOOS: runtime.GOOS,
	}, opt)
}

// newRelayCmd returns the help of the relay. main runs it without cobra.
func newRelayCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   relayVerb + " --server NAME [flags] {-- COMMAND [ARG...] | --url URL}",
		Short: "Carry the values of an MCP server, between it and the harness (harnesses run it)",
		Long: `A harness starts relay instead of an MCP server. Relay starts the server and
forwards all messages between the two. It takes the value out of each result and
puts it into the calls that need it. Its exit status is the server's.
For a server with Streamable HTTP, give --url instead of a command.`,
		Run: func(cmd *cobra.Command, _ []string) { _ = cmd.Help() },
	}
	cmd.Flags().String("server", "", "`name` of the server, as the harness has it, or NAME=OTHER if it has the rules of the server OTHER")
	cmd.Flags().String("harness", "", "which harness starts it, such as claude-code or codex; it decides how callers are told apart")
	cmd.Flags().String("state", "", "wsi's state `folder`, for harnesses that empty the environment (default: as for the other commands)")
	cmd.Flags().String("rules", "", "the rule `file`, likewise")
	cmd.Flags().String("url", "", "the server's `address`, http://... or https://...")
	cmd.Flags().StringArray("header-env", nil, "a header for it, `HEADER=VARIABLE`: the value is in that environment variable, or, with\n'HEADER=Bearer VARIABLE', what follows Bearer (repeatable)")
	cmd.Flags().String("schema", relay.Optional, "how a model is asked for the carried argument: optional, hidden or as-is")
	return cmd
}
