package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wsi/doctor/report"
	"wsi/harnesses"
	"wsi/installer"
	"wsi/installer/wizard"
)

type setupFlags struct {
	wireFlags
	servers      []string
	trust        bool
	binary       string
	install      bool
	replace      bool
	plain, ascii bool
	offline      bool
	wiring       string
	mends        bool // for wsi doctor --fix

	scopeSet, serversSet bool
}

func newSetupCmd(e env) *cobra.Command {
	var f setupFlags
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Make the harnesses run wsi's hooks",
		Long: `Setup registers wsi's hooks with the harnesses on this machine: the programs in
which a model calls tools (Claude Code, Codex, Cursor, OpenCode). With others it
puts wsi relay in front of the server as it is registered, as it does for
--wiring join and relay. It shows the difference to every file it would change and
writes only what was agreed to; then it proves with a round trip that the value
arrives. Running it again changes nothing; wsi remove takes everything out again.

Before it puts wsi relay in front of a server at an https address for which no
header is registered, it asks that server, without a login, whether it wants one,
for the relay logs in nowhere. With --offline it asks nobody, and leaves such a
server as it is.

On a terminal it is a program of screens. With --plain it asks line by line. With
--yes it asks nothing and proves nothing: wsi doctor does.`,
		Example: "  wsi setup\n  wsi setup --dry-run\n  wsi setup --yes --harness claude-code,codex",
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.scopeSet, f.serversSet = cmd.Flags().Changed("scope"), cmd.Flags().Changed("server")
			return runSetup(cmd.Context(), e, f)
		},
	}
	f.register(cmd)
	cmd.Flags().StringArrayVar(&f.servers, "server", []string{harnesses.DefaultServer}, "`name` of the MCP server, as registered with the harness, or NAME=OTHER if it has\nthe rules of the server OTHER (repeatable; default: those that wsi is registered\nfor, else "+harnesses.DefaultServer+")")
	cmd.Flags().Lookup("server").DefValue = "[]" // it says so itself
	cmd.Flags().StringVar(&f.wiring, "wiring", "", "`way` that wsi gets between model and server: hooks, join (a hook says who calls,\nwsi relay in front of the server does the rest) or relay (wsi relay alone);\ndefault: as it is wired now, else hooks where the harness has them")
	cmd.Flags().BoolVar(&f.trust, "trust-codex-hooks", false, "also record, in your name, that you trust these hooks in Codex")
	cmd.Flags().StringVar(&f.binary, "binary", "", "`path` of wsi to register, in a file named wsi (default: one that leads to this\nwsi and stays)")
	cmd.Flags().BoolVar(&f.install, "install", false, "put wsi into a folder where it stays, if it runs from one that does not")
	cmd.Flags().BoolVar(&f.replace, "replace-edited", false, "replace a plugin of wsi's that was edited, and keep the edited one among the backups")
	cmd.Flags().BoolVar(&f.offline, "offline", false, "ask no server whether it wants a login")
	cmd.Flags().BoolVar(&f.plain, "plain", false, "ask line by line: for screen readers, simple terminals and scripts that answer")
	cmd.Flags().BoolVar(&f.ascii, "ascii", false, "use no characters beyond ASCII")
	complete(cmd, "wiring", offers(ways).one)
	complete(cmd, "server", offers(e.registeredServers).one)
	return cmd
}

func runSetup(ctx context.Context, e env, f setupFlags) error {
	names, as, err := e.servers(f.servers)
	if err != nil {
		return err
	}
	if f.plain && (f.yes || f.dryRun || f.json) {
		return usage("give one of them", "--plain asks, and --yes, --dry-run and --json do not")
	}
	if f.install && f.binary != "" {
		return usage("give one of them", "--binary names a program that is there, --install puts this one where it stays")
	}
	way, ok := harnesses.ParseWay(f.wiring)
	if !ok && f.wiring != "" {
		return usage(meant(f.wiring, []string{"hooks", "join", "relay"}, "it is one of hooks, join, relay"), "wsi knows no wiring %q", f.wiring)
	}
	chosen, err := f.named()
	if err != nil {
		return err
	}
	if _, err := named(e.Env, f.binary); f.binary != "" && err != nil {
		return err
	}
	asks := !f.yes && !f.dryRun && !f.json && (f.plain || e.Asks)
	if err := f.check(e, "setup", asks); err != nil {
		return err
	}
	path, in, err := place(ctx, e, f.binary, f.install || asks)
	if err != nil {
		return err
	}
	asked := names // for by their names
	if !f.serversSet {
		asked = nil
	}
	o := installer.Options{
		Env: e.Env, FS: installer.Disk{}, StateDir: e.StateDir, Rules: e.movedRules(), Scope: harnesses.Scope(f.scope),
		Program: harnesses.Program{Path: path, Servers: names, As: as}, Named: e.named(), Mode: way, Trust: f.trust, Install: in, Replace: f.replace,
		NoRelay: in == nil && knowsNoRelay(ctx, e, path),
	}
	if f.offline {
		o.Answers = map[string]installer.Answer{}
	}
	o.Ruled, o.RuledFor = e.ruled()
	if asks {
		return f.ask(ctx, e, o, chosen, asked)
	}
	if o.Harnesses = chosen; len(chosen) == 0 {
		if o.Harnesses, err = found(e, asked); err != nil {
			return err
		}
	}
	if !f.serversSet {
		o = o.Proposing()
	}
	unlock, err := f.lock(ctx, e)
	if err != nil {
		return err
	}
	defer unlock()
	o, p, err := installer.PlanAsking(o, f.askAloud(ctx, e))
	if err != nil {
		return err
	}
	out := p.Review(o, e.tilde)
	if err := f.carryOut(ctx, e, p, &out, ""); err != nil {
		return err
	}
	return done(out)
}

// ask lets the user decide, on screens or line by line.
func (f setupFlags) ask(ctx context.Context, e env, o installer.Options, named []harnesses.Harness, asked []string) error {
	c := wizard.Config{
		ScopeSet: f.scopeSet, ServersSet: f.serversSet, Echo: !e.Asks, Show: e.tilde, ASCII: f.ascii || e.ASCII,
		Lock:       func(ctx context.Context) (func(), error) { return installer.Lock(ctx, e.StateDir) },
		RepairOnly: f.mends, Prove: e.prove, Links: report.Links(),
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	c.Ask = asker(ctx)
	for _, h := range named {
		c.Named = append(c.Named, h.ID)
	}
	o.Harnesses = offered(e, asked)
	for _, h := range named {
		if !slices.ContainsFunc(o.Harnesses, func(o harnesses.Harness) bool { return o.ID == h.ID }) {
			o.Harnesses = append(o.Harnesses, h)
		}
	}
	c.Options = o
	show, out := wizard.Run, e.raw()
	if f.plain || !e.Screens {
		show, out = wizard.Plain, e.Stdout
	}
	end, err := show(ctx, c, e.Stdin, out)
	if err != nil {
		return err
	}
	if _, err := e.Stdout.Write([]byte(end.Record(c.ASCII))); err != nil {
		return err
	}
	if errors.Is(end.Err, wizard.ErrQuit) {
		return failure{err: end.Err, exit: saidNo}
	}
	if errors.Is(end.Err, wizard.ErrUnproven) {
		return failure{err: end.Err, hint: "wsi doctor", exit: 1}
	}
	if end.Err != nil {
		return end.Err
	}
	f.refusals(e, end.Review)
	if end.Broken() {
		return errReported
	}
	return done(end.Review)
}

// found returns the harnesses that are on this machine.
func found(e env, servers []string) ([]harnesses.Harness, error) {
	// What Find complains about does not stand in the way of being found.
	hs := slices.DeleteFunc(offered(e, servers), func(h harnesses.Harness) bool {
		p, _ := h.Find(e.Env)
		return !p.Found
	})
	if len(hs) > 0 {
		return hs, nil
	}
	var names, fronted []string
	for _, h := range wirable() {
		if h.RelayFirst() {
			fronted = append(fronted, h.Name)
		} else {
			names = append(names, h.Name)
		}
	}
	return nil, failure{
		err: errors.New("no harness was found on this machine: no " + strings.Join(names, ", no ") +
			"; and no server to put wsi in front of in " + strings.Join(fronted, ", ")),
		hint: "install one, or name one with --harness to set it up in advance",
		exit: 1,
	}
}
