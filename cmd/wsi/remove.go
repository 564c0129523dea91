package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"wsi/harnesses/setup"
	"wsi/installer"
	"wsi/installer/files"
	"wsi/installer/wizard"
	"wsi/internal/phrase"
)

type removeFlags struct {
	wireFlags
	purge bool
}

func newRemoveCmd(e env) *cobra.Command {
	var f removeFlags
	cmd := &cobra.Command{
		Use:        "remove",
		SuggestFor: []string{"uninstall", "unset", "delete", "undo", "rm"},
		Short:      "Remove wsi from the harnesses",
		Long: `Remove undoes setup. A file that has not changed since setup gets its earlier
bytes back. From a changed file, remove deletes only wsi's entries.`,
		Example: "  wsi remove --dry-run\n  wsi remove --yes --purge",
		RunE:    func(cmd *cobra.Command, _ []string) error { return runRemove(cmd.Context(), e, f) },
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&f.purge, "purge", false, "also delete backups, the journal and stored values")
	return cmd
}

func runRemove(ctx context.Context, e env, f removeFlags) error {
	hs := wirable()
	if len(f.harnesses) > 0 {
		if f.purge {
			return usage("wsi remove --purge", "--purge is for all harnesses")
		}
		var err error
		if hs, err = f.chosen(); err != nil {
			return err
		}
	}
	if err := f.check(e, "remove"); err != nil {
		return err
	}
	o := installer.Options{Env: e.Env, FS: files.Disk{}, StateDir: e.StateDir, Harnesses: hs, Scope: setup.Scope(f.scope), Purge: f.purge}
	asked := false
	if f.guides(e) {
		p, err := installer.PlanRemove(o)
		if asked = err == nil && (len(p.Changes) > 0 || f.purge && len(p.Refusals) == 0); asked {
			if end, err := f.guide(ctx, e, wizard.Config{Options: o, Removal: true}); err != nil || !f.purge {
				return cmp.Or(err, done(end.Review))
			}
		}
	}
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
	if len(f.harnesses) == 0 { // do not list harnesses that were never set up
		out.Same = slices.DeleteFunc(out.Same, func(id string) bool { h, _ := byID(hs, id); return h.RelayOnly() })
	}
	switch {
	case !asked:
		err = f.showAndApply(ctx, e, o, p, &out)
	case len(p.Changes) > 0:
		err = failed("wsi remove --purge", "wsi's own files were not deleted: another program changed a file meanwhile")
	}
	if err := cmp.Or(err, done(out)); err != nil || !f.purge {
		return err
	}
	if len(p.Elsewhere) > 0 {
		first := p.Elsewhere[0].WayOut(e.GOOS)
		if e.GOOS != "windows" { // PowerShell 5 has no &&
			first = first.Then(phrase.Fix{Command: "wsi remove --purge"})
		}
		return failed(e.tilde(first.String()),
			"wsi's own files were not deleted: wsi is still set up elsewhere, and these files record where")
	}
	if f.dryRun {
		fmt.Fprintf(e.Stderr, "would also delete %s and the stored values\n", e.path(e.StateDir))
		return nil
	}
	return purge(e, o)
}

func purge(e env, o installer.Options) error {
	deleted, err := installer.Purge(o)
	if err != nil {
		return failed("", "%w", errors.Join(errors.New("not everything could be deleted"), err))
	}
	for _, path := range deleted {
		fmt.Fprintf(e.Stderr, "deleted %s\n", e.path(path))
	}
	return nil
}
