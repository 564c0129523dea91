package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"wsi/doctor"
	"wsi/doctor/live"
	"wsi/doctor/prose"
	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/internal/lists"
	"wsi/internal/phrase"
)

type doctorFlags struct {
	harnesses, only              []string
	json, report, verbose, plain bool
	fix, live, check             bool
}

func newDoctorCmd(e env) *cobra.Command {
	var f doctorFlags
	cmd := &cobra.Command{
		Use:        "doctor",
		SuggestFor: []string{"fix", "check", "diagnose", "test", "verify", "health"},
		Short:      "Check each step from the hook to the delivered value",
		Long: `Doctor checks five steps for each harness: the hook is registered, the harness
trusts it, it can be run, it has run, and it delivers the right value. For the
last step, doctor runs the hooks from the harness's own files with a test server
that knows the right value. Doctor changes nothing and never shows a value.

With --live the harness's own program makes the calls, in a temporary home with
a copy of your registration. This proves that wsi works with this version on
this machine. It needs no account, sends nothing to other machines and leaves no
files. It also starts your own MCP server as the harness does, and asks for its
tools: wsi does not control what that server does.

With --check it starts no program, writes nothing and needs no terminal: it only
reads how wsi is registered, for scripts and CI.

The exit status is 1 if there is a fault.`,
		Example: "  wsi doctor\n  wsi doctor --harness codex -v\n  wsi doctor --only hook.trusted --json",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), e, f) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.harnesses, "harness", nil, harnessUsage)
	flags.StringSliceVar(&f.only, "only", nil, "comma-separated `ids` of checks, such as hook.trusted or codex.hook.trusted; codex or wsi means all checks of it (see wsi help checks)")
	flags.BoolVar(&f.live, "live", false, "let the harnesses' own programs make calls, with a scripted model on this machine, and ask the configured MCP server for its tools")
	flags.BoolVar(&f.fix, "fix", false, "then let setup repair what it can: it shows the changes and asks")
	flags.BoolVar(&f.check, "check", false, "only read files: start no program, and show no screens")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.BoolVar(&f.report, "report", false, "print Markdown for an issue, without the names of your folders")
	flags.BoolVar(&f.plain, "plain", false, "print lines instead of screens")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "also print the checks that pass")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	offer(cmd, "harness", idsOf(wirable())...)
	return cmd
}

func runDoctor(ctx context.Context, e env, f doctorFlags) error {
	e = e.asking(!f.check)
	o, err := f.options(e)
	if err != nil {
		return err
	}
	if f.fix {
		if err := e.mayWrite("doctor --fix", e.Home, e.StateDir); err != nil {
			return err
		}
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	if f.screens(e) {
		e.Patience.Tell = nil // the screens show what they wait for
		return e.console(ctx, f, o)
	}
	if f.live {
		p, err := prover()
		if err != nil {
			return err
		}
		o.Live = p.Prove
	}
	report, err := doctor.Run(ctx, o, platform)
	if errors.Is(err, context.Canceled) {
		return errors.New("the examination was interrupted")
	}
	if err != nil {
		return err
	}
	if err := f.write(e, report); err != nil {
		return err
	}
	if f.fix {
		return f.repair(ctx, e, report)
	}
	if !report.Healthy() {
		return errReported
	}
	return nil
}

// screens reports whether the doctor shows screens: on a terminal, unless a flag asks for printed output.
func (f doctorFlags) screens(e env) bool {
	return e.Screens && !f.plain && !f.check && !f.json && !f.report && !f.verbose && !f.fix
}

const platform = runtime.GOOS + "/" + runtime.GOARCH

// options returns the doctor's options, or the error for wrong flags.
func (f doctorFlags) options(e env) (doctor.Options, error) {
	o := doctor.Options{
		Env: e.Env, StateDir: e.StateDir, Version: version(), Only: f.only,
		Harnesses: offered(e, nil, false), Named: len(f.harnesses) > 0, Scopes: []setup.Scope{setup.User, setup.Project},
	}
	o.Binary, _ = os.Executable() // only shown
	o.Static = f.check
	switch {
	case f.json && f.report:
		return o, usage(oneOfThem, "--json and --report exclude each other")
	case f.check && f.live:
		return o, usage(oneOfThem, "--check starts no program, and --live starts the harnesses")
	case f.fix && (f.json || f.report):
		return o, usage(oneOfThem, "--fix asks questions, --json and --report do not")
	}
	for _, id := range f.only {
		if err := doctor.Known(id, wirableIDs()); err != nil {
			return o, usage("wsi help checks", "%w", err)
		}
	}
	if o.Named {
		var err error
		if o.Harnesses, err = (wireFlags{harnesses: f.harnesses}).chosen(); err != nil {
			return o, err
		}
	}
	return o, nil
}

func (f doctorFlags) write(e env, r report.Report) error {
	switch {
	case f.json:
		return r.JSON(e.Stdout, e.tilde)
	case f.report:
		return r.Markdown(e.Stdout, report.Redaction{Home: e.Home, Cwd: e.Cwd, Sep: string(filepath.Separator)})
	}
	return prose.Style{Theme: e.theme(), Now: e.Now(), Show: e.tilde, Verbose: f.verbose, Live: f.live}.Text(e.Stdout, r)
}

// repair runs setup for what it can repair of a report.
func (f doctorFlags) repair(ctx context.Context, e env, r report.Report) error {
	ids := r.Fixable()
	switch {
	case len(ids) > 0, r.NeverSetUp():
		return runSetup(ctx, e, f.setup(r, ids...))
	case r.Healthy():
		fmt.Fprintln(e.Stdout, "\nNothing to repair.")
		return nil
	}
	var after []string
	for _, finding := range r.All() {
		if finding.Status == report.Fail && finding.Fix != (phrase.Fix{}) {
			after = lists.AddUnique(after, finding.Fix.Label())
		}
	}
	if after == nil {
		return failed("", "setup cannot repair this")
	}
	return failed("follow the lines of the report that begin with "+strings.Join(after, " or "), "setup cannot repair this")
}

// prover returns the prover of wsi doctor --live.
func prover() (p live.Prover, err error) {
	if p.Wsi, err = os.Executable(); err == nil {
		p.Wsi, err = filepath.EvalSymlinks(p.Wsi)
	}
	return p, err
}
