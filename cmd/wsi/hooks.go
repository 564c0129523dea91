package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"wsi/doctor/hooklist"
	"wsi/harnesses"
	"wsi/harnesses/registry"
	"wsi/installer/inspect"
)

type hooksFlags struct {
	harnesses, origins          []string
	watch, verbose, json, ascii bool
}

func newHooksCmd(e env) *cobra.Command {
	var f hooksFlags
	cmd := &cobra.Command{
		Use:   "hooks",
		Short: "Show every hook on this machine, and whether it would run",
		Long: `Hooks shows every hook that is registered for this folder with a harness, of any program,
whether the harness would run it, or why not, and which hooks are in each other's way. It
only reads files: it runs nothing, and changes nothing.

With --watch it also shows when each hook last ran, how long it took and how often it
failed, where the harness records that; on a terminal it then shows new runs until Ctrl-C.`,
		Example: "  wsi hooks\n  wsi hooks --harness claude-code --verbose\n  wsi hooks --scope project --json\n  wsi hooks --watch",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), e) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.harnesses, "harness", nil, "only these harnesses, comma-separated `ids`")
	flags.StringSliceVar(&f.origins, "scope", nil, "only hooks of these `scopes`: "+strings.Join(origins(), ", "))
	flags.BoolVar(&f.watch, "watch", false, "show when each hook ran, and new runs until Ctrl-C")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "show each entry as it is in its file, and the command that removes it, if known")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.BoolVar(&f.ascii, "ascii", false, "use only ASCII")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	complete(cmd, "harness", idsOf(withHooks()).list)
	complete(cmd, "scope", words(origins).list)
	return cmd
}

// origins are the values of --scope.
func origins() (names []string) {
	for _, o := range []harnesses.Origin{harnesses.OfUser, harnesses.OfProject, harnesses.OfLocal, harnesses.OfPlugin, harnesses.OfManaged, harnesses.OfImport} {
		names = append(names, string(o))
	}
	return names
}

// withHooks returns the harnesses that read hooks.
func withHooks() []harnesses.Harness { return readable(registry.All()) }

// readable returns those of the harnesses whose hooks wsi can read.
func readable(hs []harnesses.Harness) []harnesses.Harness {
	return slices.DeleteFunc(slices.Clone(hs), func(h harnesses.Harness) bool { return !inspect.HasHooks(h) })
}

func (f hooksFlags) run(ctx context.Context, e env) error {
	hs := withHooks()
	if len(f.harnesses) > 0 {
		chosen, err := (wireFlags{harnesses: f.harnesses}).chosen()
		if err != nil {
			return err
		}
		for _, h := range chosen {
			if !inspect.HasHooks(h) {
				fmt.Fprintf(e.Stderr, "%s has no hooks that wsi can read\n", h.Name)
			}
		}
		hs = readable(chosen)
	}
	for _, o := range f.origins {
		if !slices.Contains(origins(), o) {
			return usage(didYouMean(o, origins(), "one of "+strings.Join(origins(), ", ")), "unknown scope %q", o)
		}
	}
	list := listHooks(e.Env, hs, f.origins...)
	var seen *evidence
	if f.watch {
		seen = newEvidence(e, hs)
		list.Show(seen.read())
	}
	switch {
	case f.json:
		return list.JSON(e.Stdout)
	case len(list.Hooks) == 0 && len(f.harnesses)+len(f.origins) > 0:
		fmt.Fprintln(e.Stderr, "no hooks of these harnesses and scopes are registered for this folder")
	case len(list.Hooks) == 0:
		fmt.Fprintln(e.Stderr, "no hooks are registered for this folder")
	default:
		style := f.style(e)
		if err := list.Text(e.Stdout, style); err != nil {
			return err
		}
	}
	if f.watch && e.Interactive {
		return seen.follow(ctx, e, f.style(e), list)
	}
	return nil
}

func (f hooksFlags) style(e env) hooklist.Style {
	width := 80
	if file, ok := e.raw().(*os.File); ok {
		if w, _, err := term.GetSize(int(file.Fd())); err == nil && w > 0 {
			width = min(max(w, 40), 160)
		}
	}
	s := e.style(f.ascii)
	return hooklist.Style{Theme: s.Theme, Width: width, Show: e.tilde, Verbose: f.verbose, Now: s.Now}
}

// largest is the size of the largest file that is read for the list of hooks, in bytes.
const largest = 64 << 20

// listHooks reads the hooks of harnesses, of several at once.
func listHooks(env harnesses.Env, hs []harnesses.Harness, origins ...string) hooklist.List {
	read := env.ReadFile
	env.ReadFile = func(path string) ([]byte, error) {
		if info, err := os.Stat(path); err == nil && info.Size() > largest {
			return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("larger than %d MiB", largest>>20)}
		}
		return read(path)
	}
	found := make([][]harnesses.Hook, len(hs))
	var work sync.WaitGroup
	for i, h := range hs {
		work.Go(func() { found[i] = inspect.Hooks(env, h) })
	}
	work.Wait()
	list := hooklist.New()
	for i, h := range hs {
		list.Add(h, found[i], origins...)
	}
	return list
}
