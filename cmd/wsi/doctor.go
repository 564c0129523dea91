package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"wsi/doctor"
	"wsi/harnesses"
)

type doctorFlags struct {
	harnesses            []string
	scope, server        string
	json, verbose, ascii bool
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

It ends with status 1 if something is broken.`,
		Example: "  wsi doctor\n  wsi doctor --harness codex -v\n  wsi doctor --json",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), e, f) },
	}
	cmd.Flags().StringSliceVar(&f.harnesses, "harness", nil, "harnesses, separated by commas (default: all that wsi knows)")
	cmd.Flags().StringVar(&f.scope, "scope", "", "user or project (default: both)")
	cmd.Flags().StringVar(&f.server, "server", "", "name of the MCP server (default: the one the hooks are registered for)")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "show what is healthy too")
	cmd.Flags().BoolVar(&f.ascii, "ascii", false, "use no characters beyond ASCII")
	return cmd
}

func runDoctor(ctx context.Context, e env, f doctorFlags) error {
	o := doctor.Options{
		Env: e.Env, StateDir: e.StateDir, Version: version(), Server: f.server,
		Harnesses: wirable(), Named: len(f.harnesses) > 0, Scopes: []harnesses.Scope{harnesses.User, harnesses.Project},
	}
	o.Binary, _ = os.Executable() // only shown
	if o.Named {
		var err error
		if o.Harnesses, err = (wireFlags{harnesses: f.harnesses}).named(); err != nil {
			return err
		}
	}
	if f.scope != "" {
		if !slices.Contains(o.Scopes, harnesses.Scope(f.scope)) {
			return usage("--scope user or --scope project", "there is no scope %q", f.scope)
		}
		o.Scopes = []harnesses.Scope{harnesses.Scope(f.scope)}
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	report, err := doctor.Run(ctx, o, runtime.GOOS+"/"+runtime.GOARCH)
	if errors.Is(err, context.Canceled) {
		return failure{err: errors.New("the examination was interrupted"), exit: 1}
	}
	if err != nil {
		return err
	}
	if err := f.write(e, report); err != nil {
		return err
	}
	if !report.Healthy() {
		return errReported
	}
	return nil
}

func (f doctorFlags) write(e env, r doctor.Report) error {
	style := doctor.Style{Verbose: f.verbose, ASCII: f.ascii || e.ASCII, Home: e.Home, Sep: string(filepath.Separator)}
	if f.json {
		return r.JSON(e.Stdout, style)
	}
	if file, ok := e.Stdout.(*os.File); ok {
		style.Color = term.IsTerminal(int(file.Fd())) && e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb"
	}
	return r.Text(e.Stdout, style)
}
