package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wsi/harnesses"
	"wsi/installer"
)

type setupFlags struct {
	wireFlags
	servers []string
	trust   bool
	binary  string
}

func newSetupCmd(e env) *cobra.Command {
	var f setupFlags
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Make the harnesses run wsi's hooks",
		Long: `Setup registers wsi's hooks with the harnesses on this machine. It shows the
difference to every file it would change and writes only what was agreed to.
Running it again changes nothing; wsi remove takes everything out again.`,
		Example: "  wsi setup --dry-run\n  wsi setup --yes --harness claude-code,codex",
		RunE:    func(cmd *cobra.Command, _ []string) error { return runSetup(cmd.Context(), e, f) },
	}
	f.register(cmd)
	cmd.Flags().StringArrayVar(&f.servers, "server", []string{harnesses.DefaultServer}, "name of the MCP server, as registered with the harness (repeatable)")
	cmd.Flags().BoolVar(&f.trust, "trust-codex-hooks", false, "also record, in your name, that you trust these hooks in Codex")
	cmd.Flags().StringVar(&f.binary, "binary", "", "path of wsi to register (default: where this wsi is)")
	return cmd
}

func runSetup(ctx context.Context, e env, f setupFlags) error {
	if err := namedServers(f.servers); err != nil {
		return err
	}
	if err := f.check(e, "setup"); err != nil {
		return err
	}
	hs, err := f.choose(e)
	if err != nil {
		return err
	}
	path, err := registeredPath(e.Env, f.binary)
	if err != nil {
		return err
	}
	o := installer.Options{
		Env: e.Env, FS: installer.Disk{}, StateDir: e.StateDir, Harnesses: hs, Scope: harnesses.Scope(f.scope),
		Program: harnesses.Program{Path: path, Servers: f.servers}, Trust: f.trust,
	}
	unlock, err := f.lock(e)
	if err != nil {
		return err
	}
	defer unlock()
	p, err := installer.PlanSetup(o)
	if err != nil {
		return err
	}
	out := p.Review(o, e.tilde)
	if err := f.carryOut(ctx, e, p, &out, ""); err != nil {
		return err
	}
	return done(out)
}

// choose returns the harnesses that were named, or all that are found.
func (f setupFlags) choose(e env) ([]harnesses.Harness, error) {
	if len(f.harnesses) > 0 {
		return f.named()
	}
	// What Find complains about does not stand in the way of being found.
	hs := slices.DeleteFunc(wirable(), func(h harnesses.Harness) bool {
		p, _ := h.Find(e.Env)
		return !p.Found
	})
	if len(hs) > 0 {
		return hs, nil
	}
	var names []string
	for _, h := range wirable() {
		names = append(names, h.Name)
	}
	return nil, failure{
		err:  errors.New("no harness was found on this machine: no " + strings.Join(names, ", no ")),
		hint: "install one, or name one with --harness to set it up in advance",
		exit: 1,
	}
}
