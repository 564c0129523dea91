package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"wsi/harnesses"
	"wsi/harnesses/registry"
	"wsi/installer"
)

type removeFlags struct {
	wireFlags
	purge bool
}

func newRemoveCmd(e env) *cobra.Command {
	var f removeFlags
	cmd := &cobra.Command{
		Use:   "remove",
		Short: "Take wsi's hooks out of the harnesses again",
		Long: `Remove is the reverse of setup: files are byte for byte as they were where nobody
else has changed them since, and else lose wsi's entries and nothing more.`,
		Example: "  wsi remove --dry-run\n  wsi remove --yes --purge",
		RunE:    func(cmd *cobra.Command, _ []string) error { return runRemove(cmd.Context(), e, f) },
	}
	f.register(cmd)
	cmd.Flags().Lookup("harness").Usage = "`ids` with commas between (default: all)"
	cmd.Flags().BoolVar(&f.purge, "purge", false, "also delete backups, journal and captured values, and wsi itself if setup installed it")
	return cmd
}

func runRemove(ctx context.Context, e env, f removeFlags) error {
	hs := wirable()
	if len(f.harnesses) > 0 {
		if f.purge {
			return usage("wsi remove --purge without --harness", "--purge concerns all harnesses")
		}
		var err error
		if hs, err = f.named(); err != nil {
			return err
		}
	}
	if err := f.check(e, "remove", e.Asks && !f.json); err != nil {
		return err
	}
	o := installer.Options{Env: e.Env, FS: installer.Disk{}, StateDir: e.StateDir, Harnesses: hs, Scope: harnesses.Scope(f.scope), Purge: f.purge}
	unlock, err := f.lock(ctx, e)
	if err != nil {
		return err
	}
	defer unlock()
	p, err := installer.PlanRemove(o)
	if err != nil {
		return err
	}
	out := p.Review(o, e.tilde)
	if len(f.harnesses) == 0 { // of harnesses that nobody set up there is nothing to say
		out.Same = slices.DeleteFunc(out.Same, func(id string) bool { h, _ := registry.Get(id); return h.RelayFirst() })
	}
	also := ""
	if f.purge {
		also = " and delete wsi's backups, journal and captured values"
	}
	if err := f.carryOut(ctx, e, p, &out, also); err != nil {
		return err
	}
	if err := done(out); err != nil || !f.purge {
		return err
	}
	if len(p.Elsewhere) > 0 {
		return failure{
			err:  errors.New("nothing of wsi's own was deleted, for wsi is still wired elsewhere: the record of that would be lost"),
			hint: e.tilde(p.Elsewhere[0].WayOut()) + "; then wsi remove --purge",
			exit: 1,
		}
	}
	if f.dryRun {
		fmt.Fprintf(e.Stderr, "would also delete %s and the captured values\n", e.path(e.StateDir))
		return nil
	}
	return purge(e, o)
}

func purge(e env, o installer.Options) error {
	gone, err := installer.Purge(o)
	if err != nil {
		return failure{err: errors.Join(errors.New("not everything could be deleted"), err), exit: 1}
	}
	for _, path := range gone {
		fmt.Fprintf(e.Stderr, "deleted %s\n", e.path(path))
	}
	return nil
}
