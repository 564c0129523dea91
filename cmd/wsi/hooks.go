package main

import (
	"cmp"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"wsi/doctor/hooklist"
	"wsi/doctor/receipts"
	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/hook/journal"
	"wsi/installer/files"
	"wsi/installer/inquiry"
	"wsi/installer/inspect"
	"wsi/internal/lists"
)

type hooksFlags struct {
	harnesses            []string
	verbose, json, check bool
}

func newHooksCmd(e env) *cobra.Command {
	var f hooksFlags
	cmd := &cobra.Command{
		Use: "hooks", SuggestFor: []string{"list", "ls"},
		Short: "Show every hook for this folder, and what it did",
		Long: `Hooks shows each hook that your harnesses have for this folder, also those of
other programs, and says which hooks cannot run, and why. If the harness records
it, hooks also shows how often each one ran, failed or blocked a call in the
last 30 days. It changes nothing and runs no hook: it reads files, and asks
Claude Code for its plugins.

With --check it lists only hooks that cannot run, failed in their last run, or
block every call, and exits with 1 if there are any. One that waits for the
user's approval does not count. With --check --verbose it lists all hooks.`,
		Example: "  wsi hooks\n  wsi hooks --harness claude-code --verbose\n  wsi hooks --check",
		Args:    noArgs,
		RunE:    func(*cobra.Command, []string) error { return f.run(e) },
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.harnesses, "harness", nil, harnessUsage)
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "show each entry as it is in its file, and the command that removes it, if known")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.BoolVar(&f.check, "check", false, "list only hooks that do not work, and exit with status 1 if there are any")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	offer(cmd, "harness", idsOf(readable(registry.All()))...)
	return cmd
}

// readable returns those of the harnesses whose hooks wsi can read.
func readable(hs []setup.Harness) []setup.Harness { return lists.Filter(hs, inspect.HasHooks) }

func (f hooksFlags) run(e env) error {
	hs := readable(registry.All())
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
	env := e.asking(false).Env
	env.Plugins = (&inquiry.Answers{May: true}).Plugins
	list := listHooks(env, e.StateDir, hs)
	if err := f.show(e, list); err != nil {
		return err
	}
	if f.check && len(list.Wrong().Hooks) > 0 {
		return errReported
	}
	return nil
}

func (f hooksFlags) show(e env, list hooklist.List) error {
	switch {
	case f.json:
		return report.Encode(e.Stdout, list)
	case len(list.Hooks) == 0:
		fmt.Fprintln(e.Stderr, "no hooks are registered for this folder")
	default:
		err := e.say("%s", list.Sum())
		if f.check && !f.verbose {
			list = list.Wrong()
		}
		if err != nil || len(list.Hooks) == 0 {
			return err
		}
		style := e.style()
		style.Verbose = f.verbose
		fmt.Fprintln(e.Stdout)
		return list.Text(e.Stdout, style)
	}
	return nil
}

// width returns the width of lines for people.
func (e env) width() int { return min(max(cmp.Or(e.columns(), 80), 40), 160) }

// columns returns the width of the terminal to which wsi writes, 0 if it writes to none.
func (e env) columns() int {
	if file, ok := e.raw().(*os.File); ok {
		if w, _, err := term.GetSize(int(file.Fd())); err == nil && w > 0 {
			return w
		}
	}
	return 0
}

// listHooks reads the hooks of harnesses and what is recorded of them, of several at once.
func listHooks(env setup.Env, stateDir string, hs []setup.Harness) hooklist.List {
	found, known := make([][]setup.Hook, len(hs)), make([]hooklist.Evidence, len(hs))
	since := env.Now().AddDate(0, 0, -receipts.Days)
	own := receipts.Own(journal.In(stateDir), since)
	var work sync.WaitGroup
	for i, h := range hs {
		work.Go(func() {
			found[i] = inspect.Hooks(env, h)
			program, _ := h.Find(env) // a file of servers that is wrong does not matter
			known[i] = hooklist.Evidence{Own: own, Now: env.Now(), Changed: changed, Asks: program.Binary != "" && !changed(stateDir).IsZero()}
			if h.Hooks.Transcripts != nil && len(found[i]) > 0 {
				known[i].Record = receipts.Read(h.Hooks.Transcripts(env), receipts.Question{
					Commands: hooklist.Commands(found[i]), Since: since, Here: func(cwd string) bool {
						_, in := files.Within(env.Resolved(env.Cwd), cwd)
						return in
					},
				})
			}
		})
	}
	work.Wait()
	list := hooklist.New()
	for i, h := range hs {
		list.Add(h, found[i], known[i])
	}
	return list
}

// changed returns when a file was last changed, the zero time if that is not known.
func changed(path string) (at time.Time) {
	if info, err := os.Stat(path); err == nil {
		at = info.ModTime()
	}
	return at
}
