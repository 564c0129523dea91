package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"wsi/doctor"
	"wsi/doctor/live"
	"wsi/doctor/report"
	"wsi/harnesses"
)

type doctorFlags struct {
	harnesses, only                          []string
	scope, server, trace                     string
	json, report, list                       bool
	verbose, ascii, plain, strict, fix, live bool
}

func newDoctorCmd(e env) *cobra.Command {
	var f doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Tell where the chain from a registered hook to a delivered value is broken",
		Long: `Doctor examines five links per harness: is the hook registered, does the harness
trust it, can it be run, has it fired, is the right value delivered. For the last
one the hooks from the harness's own files are rehearsed with a server that knows
which value is right. Nothing is changed, and no value is ever shown.

With --live the harness's own program makes the calls, in a home of its own into
which your registration is copied: the proof that this version on this machine
does what the hooks say. That needs no account and leaves nothing; nothing of it
leaves this machine. Your own MCP server is started, too, and asked for its tools,
as the harness starts it: it does then what it always does.

It ends with status 1 if something is broken, with --strict also if something
needs attention.`,
		Example: "  wsi doctor\n  wsi doctor --harness codex -v\n  wsi doctor --only hook.trusted --json",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), e, f) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.harnesses, "harness", nil, "`ids` with commas between (default: all that wsi knows)")
	flags.StringVar(&f.scope, "scope", "", "`scope`: user or project (default: both)")
	flags.StringVar(&f.server, "server", "", "`name` of the MCP server (default: the one the hooks are registered for)")
	flags.StringSliceVar(&f.only, "only", nil, "`ids` of checks, with commas between, with or without the harness: hook.trusted,\ncodex.hook.trusted, codex, wsi")
	flags.BoolVar(&f.list, "list-checks", false, "list all checks and what they ask")
	flags.BoolVar(&f.live, "live", false, "have the harnesses' own programs make calls, against a scripted model on this machine,\nand ask the configured MCP server for its tools")
	flags.StringVar(&f.trace, "trace", "", "with --live: keep what went on, without values, in this `file`")
	flags.BoolVar(&f.fix, "fix", false, "then let setup mend what it can: it shows what it would write, and asks")
	flags.BoolVar(&f.strict, "strict", false, "end with status 1 also if something needs attention")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.BoolVar(&f.report, "report", false, "print markdown to paste into an issue, without your folders")
	flags.BoolVar(&f.plain, "plain", false, "print lines, on a terminal too")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "print what is healthy too")
	flags.BoolVar(&f.ascii, "ascii", false, "use no characters beyond ASCII")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	complete(cmd, "harness", idsOf(wirable()).list)
	complete(cmd, "scope", offers(scopes).one)
	complete(cmd, "only", offers(checks).list)
	complete(cmd, "server", offers(e.registeredServers).one)
	return cmd
}

func runDoctor(ctx context.Context, e env, f doctorFlags) error {
	o, err := f.options(e)
	if err != nil {
		return err
	}
	if f.list {
		return f.listChecks(e)
	}
	if f.fix {
		if err := e.mayWrite("doctor --fix", e.Home, e.StateDir); err != nil {
			return err
		}
	}
	if f.guides(e) {
		if err := e.mayWrite("doctor --live", e.StateDir); err != nil {
			return err
		}
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	if !f.guides(e) && f.screens(e) {
		return e.console(ctx, f, o)
	}
	done := func() error { return nil }
	if f.live {
		var p live.Prover
		if p, done, err = e.prover(f.trace); err != nil {
			return err
		}
		o.Live = f.liveBy(ctx, e, p)
	}
	run := ctx
	if f.guides(e) {
		run = context.WithoutCancel(ctx) // whoever is led ends the waiting, not the report
	}
	report, err := doctor.Run(run, o, platform)
	err = errors.Join(err, done())
	if errors.Is(err, context.Canceled) {
		return failure{err: errors.New("the examination was interrupted"), exit: 1}
	}
	if err != nil {
		return err
	}
	if err := f.write(e, report); err != nil {
		return err
	}
	if f.fix {
		return f.mend(ctx, e, report)
	}
	if !report.Healthy() || f.strict && !report.Flawless() {
		return errReported
	}
	return nil
}

// screens tells whether it is looked at on a terminal, and nothing was asked for that is printed.
func (f doctorFlags) screens(e env) bool {
	return e.Screens && !f.plain && !f.json && !f.report && !f.verbose && !f.fix
}

const platform = runtime.GOOS + "/" + runtime.GOARCH

// options are what the flags say, or what is wrong with them.
func (f doctorFlags) options(e env) (doctor.Options, error) {
	o := doctor.Options{
		Env: e.Env, StateDir: e.StateDir, Version: version(), Server: f.server, Only: f.only,
		Harnesses: offered(e, nil), Named: len(f.harnesses) > 0, Scopes: []harnesses.Scope{harnesses.User, harnesses.Project},
	}
	o.Binary, _ = os.Executable() // only shown
	if f.json && f.report {
		return o, usage("give one of them", "--json and --report are two forms of the same")
	}
	if f.trace != "" && !f.live {
		return o, usage("wsi doctor --live --trace "+f.trace, "--trace keeps what goes on with --live")
	}
	if f.fix && (f.json || f.report) {
		return o, usage("give one of them", "--fix asks, and --json and --report do not")
	}
	for _, id := range f.only {
		if err := doctor.Known(id, wirableIDs()); err != nil {
			var known []string
			for _, c := range doctor.List() {
				known = append(known, c.ID)
			}
			return o, usage(meant(id, append(known, wirableIDs()...), "see wsi doctor --list-checks"), "%w", err)
		}
	}
	if o.Named {
		var err error
		if o.Harnesses, err = (wireFlags{harnesses: f.harnesses}).named(); err != nil {
			return o, err
		}
	}
	if f.scope != "" {
		if !slices.Contains(o.Scopes, harnesses.Scope(f.scope)) {
			return o, usage("--scope user or --scope project", "there is no scope %q", f.scope)
		}
		o.Scopes = []harnesses.Scope{harnesses.Scope(f.scope)}
	}
	return o, nil
}

func (f doctorFlags) write(e env, r report.Report) error {
	style := report.Style{Verbose: f.verbose, Live: f.live, ASCII: f.ascii || e.ASCII, Home: e.Home, Sep: string(filepath.Separator)}
	switch {
	case f.json:
		return r.JSON(e.Stdout, style)
	case f.report:
		return r.Markdown(e.Stdout, report.Redaction{Home: e.Home, Cwd: e.Cwd, Sep: style.Sep})
	}
	style.Color = e.Colors
	return r.Text(e.Stdout, style)
}

// listChecks prints every check and what it asks.
func (f doctorFlags) listChecks(e env) error {
	if f.json {
		text, err := json.MarshalIndent(doctor.List(), "", "  ")
		if err == nil {
			_, err = fmt.Fprintf(e.Stdout, "%s\n", text)
		}
		return err
	}
	w := tabwriter.NewWriter(e.Stdout, 0, 0, 2, ' ', 0)
	for _, c := range doctor.List() {
		fmt.Fprintf(w, "%s\t%s\t%s\n", c.ID, c.Link, c.Asks)
	}
	return w.Flush()
}

// mend lets setup do what it can for the harnesses of a report.
func (f doctorFlags) mend(ctx context.Context, e env, r report.Report) error {
	ids := r.Fixable()
	switch {
	case len(ids) > 0, r.NeverSetUp():
		f.scope = cmp.Or(f.scope, string(r.FixScope(ids...)))
		return runSetup(ctx, e, f.setup(e, ids...))
	case r.Healthy():
		fmt.Fprintln(e.Stdout, "\nThere is nothing that setup would mend.")
		return nil
	}
	return failure{err: errors.New("what is broken is not for setup to mend"), hint: "do what stands behind fix: above", exit: 1}
}
