package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/installer"
	"wsi/installer/files"
	"wsi/installer/wizard"
	"wsi/relay/remote"
)

type setupFlags struct {
	wireFlags
	servers    []string
	trust      bool
	binary     string
	wiring     string
	serversSet bool
	all        bool
}

func newSetupCmd(e env) *cobra.Command {
	var f setupFlags
	cmd := &cobra.Command{
		Use:        "setup",
		SuggestFor: []string{"install", "init", "config", "configure", "add"},
		Short:      "Register wsi with the harnesses",
		Long: `A harness is a program in which a model calls tools, such as Claude Code, Codex,
Cursor or OpenCode. Setup registers wsi's hooks with each harness on this
machine. If a harness has no hooks, or with --wiring relay, setup puts wsi relay
in front of the MCP server. It shows the diff of every file and writes
only what you agree to. Then it tests whether the value arrives. Running setup
again changes nothing. wsi remove undoes it.

wsi relay cannot log in to a server. So setup asks each https server without
registered headers whether it requires a login.

On a terminal setup shows screens. With --plain it prints the plan and asks
once. With --yes it asks nothing and skips the proof: run wsi doctor for that.`,
		Example: "  wsi setup\n  wsi setup --dry-run\n  wsi setup --yes --harness claude-code,codex",
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.serversSet = cmd.Flags().Changed("server")
			return runSetup(cmd.Context(), e, f)
		},
	}
	f.register(cmd)
	cmd.Flags().StringArrayVar(&f.servers, "server", []string{harnesses.DefaultServer}, serverUsage+" (default: those that wsi is registered for, else those with rules)")
	cmd.Flags().Lookup("server").DefValue = "[]" // the usage names the default
	cmd.Flags().BoolVar(&f.all, "all-servers", false, "with --wiring relay: all servers that are registered, with rules or without")
	cmd.Flags().StringVar(&f.wiring, "wiring", "", "the `mode`: hooks, or relay for wsi relay in front of the server (default: the present one; if none, hooks where possible)")
	cmd.Flags().BoolVar(&f.trust, "trust-codex-hooks", false, "also record, in your name, that you trust these hooks in Codex")
	cmd.Flags().StringVar(&f.binary, "binary", "", "`path` of wsi to register, a file named wsi (default: a permanent path of this wsi)")
	offer(cmd, "wiring", string(setup.ByHooks)+"\thooks carry the value", string(setup.ByRelay)+"\twsi relay in front of the server carries it")
	return cmd
}

func runSetup(ctx context.Context, e env, f setupFlags) error {
	e = e.asking(true)
	mode, err := f.mode()
	if err != nil {
		return err
	}
	chosen, err := f.chosen()
	if err != nil {
		return err
	}
	command, among := "wsi setup", wirable()
	if len(chosen) > 0 {
		command, among = command+" --harness "+strings.Join(idList(chosen), ","), chosen
	}
	names, as, err := e.servers(command, f.servers, among, mode == setup.ByRelay)
	if err != nil {
		return err
	}
	if _, err := lookBinary(e.Env, f.binary); f.binary != "" && err != nil {
		return err
	}
	asks := f.guides(e)
	if err := f.check(e, "setup"); err != nil {
		return err
	}
	o := f.options(e, setup.Program{Servers: names, As: as})
	given := names
	if !f.serversSet {
		given = nil
	}
	if o.Harnesses = chosen; len(chosen) == 0 {
		if o.Harnesses, err = found(e, given, f.all, o.Scope == setup.Project && !asks); err != nil {
			return err
		}
	}
	if len(chosen) > 0 || mode == "" {
		o.Mode = mode
	} else if o.Modes = having(mode, o.Harnesses); len(o.Modes) == 0 {
		return usage("without --wiring, setup takes the usual mode of each harness", "none of the harnesses here can be wired by %s", mode)
	}
	proposing := o
	if !f.serversSet && !f.all {
		if proposing, err = o.Proposing(); err != nil && !(asks && mode == setup.ByRelay) { // else the user can choose any server
			return err
		}
	}
	if !asks {
		o = proposing
	}
	path, err := binaryPath(e, f.binary)
	if err != nil {
		return err
	}
	o.Program.Path = path
	if asks {
		return f.ask(ctx, e, o, chosen, given)
	}
	o.Found = len(chosen) == 0
	return f.write(ctx, e, o)
}

// having returns the mode for each harness that can be wired in it.
func having(mode setup.Mode, hs []setup.Harness) map[string]setup.Mode {
	all := map[string]setup.Mode{}
	for _, h := range hs {
		if _, ok := h.Choice(mode); ok {
			all[h.ID] = mode
		}
	}
	return all
}

// write plans and applies a setup without screens, or shows it.
func (f setupFlags) write(ctx context.Context, e env, o installer.Options) error {
	unlock, err := f.lock(ctx, e)
	if err != nil {
		return err
	}
	defer unlock()
	ask := asker(ctx)
	o, p, err := installer.PlanAsking(o, func(addresses []string) map[string]installer.Answer {
		fmt.Fprintf(e.Stderr, "asking whether a login is required: %s\n", strings.Join(addresses, ", "))
		return ask(addresses)
	})
	if err != nil {
		return err
	}
	out := p.Review(o, e.tilde)
	if err := f.showAndApply(ctx, e, o, p, &out); err != nil {
		return err
	}
	return done(out)
}

// mode returns the wiring that is wanted, "" if any. It returns an error for flags that contradict each other.
func (f setupFlags) mode() (setup.Mode, error) {
	mode := setup.Mode(f.wiring)
	if mode != "" && !slices.Contains(setup.Modes, mode) {
		return "", usage("--wiring hooks or --wiring relay", "unknown wiring %q", f.wiring)
	}
	switch {
	case f.all && f.serversSet:
		return "", usage(oneOfThem, "--all-servers and --server exclude each other")
	case f.all && mode != setup.ByRelay:
		return "", usage("wsi setup --wiring relay --all-servers", "--all-servers needs --wiring relay: hooks are only for servers with rules")
	}
	return mode, nil
}

// options returns the options for a plan with this program, whose path is not known yet.
func (f setupFlags) options(e env, p setup.Program) installer.Options {
	return installer.Options{
		Env: e.Env, FS: files.Disk{}, StateDir: e.StateDir, Scope: setup.Scope(f.scope),
		Setup: installer.Setup{Program: p, Rules: e.movedRules(), Named: e.rules().Names, Trust: f.trust, Meta: e.rules().ReadsMeta, Ruled: e.ruled(), Adds: f.serversSet || f.all, All: f.all},
	}
}

// ask runs the wizard. chosen are the harnesses of --harness, servers those of --server; both may be empty.
func (f setupFlags) ask(ctx context.Context, e env, o installer.Options, chosen []setup.Harness, servers []string) error {
	e.Patience.Tell = nil // the screens show what they wait for
	c := wizard.Config{ServersSet: f.serversSet, Prove: e.prove, Links: report.Links(), Named: idList(chosen)}
	o.Harnesses = offered(e, servers, f.wiring == string(setup.ByRelay))
	for _, h := range chosen {
		if !slices.ContainsFunc(o.Harnesses, func(o setup.Harness) bool { return o.ID == h.ID }) {
			o.Harnesses = append(o.Harnesses, h)
		}
	}
	c.Options = o
	end, err := f.guide(ctx, e, c)
	switch {
	case err != nil:
		return err
	case end.Broken():
		return errReported
	}
	return done(end.Review)
}

// found returns the harnesses on this machine that have one of these servers, or any if all is true, or an error if there is none.
// With project, one that only a relay can serve must have a server in the project. An error of Find hides no harness.
func found(e env, servers []string, all, project bool) ([]setup.Harness, error) {
	hs := slices.DeleteFunc(offered(e, servers, all), func(h setup.Harness) bool {
		p, err := h.Find(e.Env)
		has := func(s setup.Server) bool { return s.Scope == setup.Project }
		return !p.Found || project && err == nil && h.RelayOnly() && !slices.ContainsFunc(p.Servers, has)
	})
	switch {
	case len(hs) > 0:
		return hs, nil
	case servers == nil && !all: // with a server that has no rule it is refused later, and told what wsi relay can do
		return found(e, nil, true, project)
	case project:
		return nil, failed("for all projects: wsi setup", "no harness on this machine has an MCP server in this project")
	}
	return nil, failed("install one, or set one up in advance: wsi setup --harness claude-code --server "+harnesses.DefaultServer,
		"wsi found no harness on this machine, and no server to put wsi relay in front of")
}

// loginWait is the time that all servers together have to answer whether they require a login.
const loginWait = 5 * time.Second

// asker returns a function that asks servers, concurrently, whether they require a login, and each only until it answers.
func asker(ctx context.Context) func(addresses []string) map[string]installer.Answer {
	var answered sync.Map // installer.Answer by address
	return func(addresses []string) map[string]installer.Answer {
		ctx, cancel := context.WithTimeout(ctx, loginWait)
		defer cancel()
		answers := make([]installer.Answer, len(addresses))
		var work sync.WaitGroup
		for i, address := range addresses {
			if known, ok := answered.Load(address); ok {
				answers[i], _ = known.(installer.Answer)
				continue
			}
			work.Go(func() {
				if answers[i].Status, answers[i].Err = remote.Probe(ctx, address); answers[i].Err == nil {
					answered.Store(address, answers[i])
				}
			})
		}
		work.Wait()
		all := map[string]installer.Answer{}
		for i, address := range addresses {
			all[address] = answers[i]
		}
		return all
	}
}
