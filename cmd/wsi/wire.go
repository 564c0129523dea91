package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/installer"
	"wsi/installer/files"
	"wsi/installer/inspect"
	"wsi/installer/ledger"
	"wsi/installer/wizard"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/printable"
	"wsi/internal/tui"
)

// wireFlags are the flags that setup and remove share.
type wireFlags struct {
	harnesses                []string
	scope                    string
	yes, dryRun, json, plain bool
}

func (f *wireFlags) register(cmd *cobra.Command) {
	cmd.Args = noArgs
	cmd.Flags().StringSliceVar(&f.harnesses, "harness", nil, harnessUsage)
	cmd.Flags().StringVar(&f.scope, "scope", string(setup.User), "the `scope`: user (every project) or project (this folder)")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "write without asking")
	cmd.Flags().BoolVarP(&f.dryRun, "dry-run", "n", false, "show the diff and write nothing")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object (with --yes or --dry-run)")
	cmd.Flags().BoolVar(&f.plain, "plain", false, "print the plan and ask once: for screen readers, simple terminals and scripts")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	offer(cmd, "harness", idsOf(wirable())...)
	offer(cmd, "scope", string(setup.User)+"\tevery project of yours", string(setup.Project)+"\tthis folder only")
}

const (
	oneOfThem   = "give only one of them" // a hint
	serverUsage = "`name` of the MCP server in the harness; NAME=OTHER gives it the rules of the server OTHER (repeatable)"
)

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	try := " --help"
	if cmd.Flags().Lookup("harness") != nil && slices.Contains(wirableIDs(), args[0]) {
		try = " --harness " + args[0]
	}
	return usage(cmd.CommandPath()+try, "%s takes no argument %q", cmd.CommandPath(), args[0])
}

// asks reports whether wsi asks before it writes.
func (f wireFlags) asks(e env) bool {
	return !f.yes && !f.dryRun && !f.json && (f.plain || e.Interactive)
}

// guides reports whether it asks on screens.
func (f wireFlags) guides(e env) bool { return f.asks(e) && !f.plain && e.Screens }

// check returns an error for flags that do not go together, and if nothing can be written.
func (f wireFlags) check(e env, verb string) error {
	switch {
	case f.scope != string(setup.User) && f.scope != string(setup.Project):
		return usage("--scope user or --scope project", "unknown scope %q", f.scope)
	case f.yes && f.dryRun:
		return usage(oneOfThem, "--yes writes, --dry-run does not")
	case f.plain && (f.yes || f.dryRun || f.json):
		return usage(oneOfThem, "--plain asks questions; --yes, --dry-run and --json ask none")
	case !f.yes && !f.dryRun && !f.asks(e):
		line := "wsi " + verb
		if at := slices.Index(os.Args, verb); at > 0 { // not of wsi doctor --fix
			for _, word := range os.Args[at+1:] {
				line += " " + setup.Quote(e.GOOS, word)
			}
		}
		return usage("to see what would be written: "+line+" --dry-run", "%s, so wsi cannot ask", e.NotInteractive)
	case e.StateDir == "":
		return failed("set WSI_STATE_DIR to a folder of yours", "wsi has no folder for the record of its changes")
	}
	return e.mayWrite(verb, e.Home, e.StateDir)
}

// lock keeps other commands from planning and applying at the same time. A dry run takes no lock.
func (f wireFlags) lock(ctx context.Context, e env) (unlock func(), err error) {
	if f.dryRun {
		return func() {}, nil
	}
	return installer.Lock(ctx, e.StateDir)
}

// chosen returns the harnesses given by --harness.
func (f wireFlags) chosen() ([]setup.Harness, error) {
	var hs []setup.Harness
	for _, id := range f.harnesses {
		id = strings.TrimSpace(id)
		h, ok := byID(wirable(), id)
		if !ok {
			var ids cobra.Command
			ids.AddCommand(lists.Map(wirable(), func(h setup.Harness) *cobra.Command {
				return &cobra.Command{Use: h.ID, Run: func(*cobra.Command, []string) {}}
			})...)
			return nil, unknown(&ids, "harness", "", id, "wsi help harnesses")
		}
		if _, twice := byID(hs, h.ID); !twice {
			hs = append(hs, h)
		}
	}
	return hs, nil
}

func byID(hs []setup.Harness, id string) (h setup.Harness, ok bool) {
	return lists.Find(hs, func(h setup.Harness) bool { return h.ID == id })
}

func wirable() []setup.Harness {
	return slices.DeleteFunc(registry.All(), func(h setup.Harness) bool { return h.Wiring == nil })
}

// offered returns the wirable harnesses that have one of these servers. If servers is nil, any server with rules counts; with
// all, any server.
func offered(e env, servers []string, all bool) []setup.Harness {
	ruled := e.ruled()
	if all {
		ruled = func(string) bool { return true }
	} else if servers != nil {
		ruled = nil
	}
	l, _ := ledger.Read(files.Disk{}.ReadFile, e.StateDir) // its error is reported by the plan
	return inspect.Offered(e.Env, wirable(), servers, ruled, l.Has)
}

func wirableIDs() []string { return idList(wirable()) }

func idList(hs []setup.Harness) []string {
	return lists.Map(hs, func(h setup.Harness) string { return h.ID })
}

// guide shows the wizard's screens, and prints how it ended.
func (f wireFlags) guide(ctx context.Context, e env, c wizard.Config) (wizard.Outcome, error) {
	ctx, stop := interruptible(ctx)
	defer stop()
	c.Show, c.ASCII, c.Ask = e.tilde, e.ASCII, asker(ctx)
	c.Lock = func(ctx context.Context) (func(), error) { return installer.Lock(ctx, e.StateDir) }
	end, err := wizard.Run(ctx, c, e.Stdin, e.raw())
	if err != nil {
		return end, err
	}
	if _, err := e.Stdout.Write([]byte(end.Record(c.ASCII))); err != nil {
		return end, err
	}
	switch {
	case errors.Is(end.Err, wizard.ErrQuit):
		return end, failure{err: end.Err, exit: exitDeclined}
	case errors.Is(end.Err, wizard.ErrUnproven):
		return end, failure{err: end.Err, hint: "wsi doctor", exit: 1}
	case end.Err == nil:
		printRefusals(e, end.Review)
	}
	return end, end.Err
}

// showAndApply shows a plan, asks unless that is answered by a flag, and applies it.
func (f wireFlags) showAndApply(ctx context.Context, e env, o installer.Options, p installer.Plan, out *installer.Review) error {
	if f.json {
		var failed error
		if f.yes {
			failed = apply(ctx, p)
			out.Applied = failed == nil && !out.AllRefused()
		}
		return cmp.Or(report.Encode(e.Stdout, out), failed)
	}
	printRefusals(e, *out)
	if !f.yes {
		f.summary(e, *out)
		if f.dryRun {
			return nil
		}
		if err := e.agree(ctx, wizard.Does(*out, o.Purge)); err != nil {
			return err
		}
	}
	if err := apply(ctx, p); err != nil {
		return err
	}
	out.Applied = !out.AllRefused()
	if f.yes {
		f.summary(e, *out)
		return nil
	}
	return f.test(ctx, e, o, *out)
}

// agree asks whether wsi should do something, unless that is "". The end of the input and an empty answer are a no.
func (e env) agree(ctx context.Context, does string) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	lines := bufio.NewReader(e.Stdin)
	for does != "" {
		fmt.Fprintf(e.Stdout, "\n%s? [y/N] ", strings.ToUpper(does[:1])+does[1:])
		read := make(chan string, 1)
		go func() { // it cannot be interrupted
			text, _ := lines.ReadString('\n') // what cannot be read is an empty answer
			read <- strings.TrimSpace(text)
		}()
		answer := ""
		select {
		case answer = <-read:
		case <-ctx.Done():
		}
		if !e.Interactive { // no terminal echoes it
			fmt.Fprintln(e.Stdout, answer)
		}
		switch strings.ToLower(answer) {
		case "y", "yes":
			return nil
		case "", "n", "no":
			return failure{err: wizard.ErrQuit, exit: exitDeclined}
		}
		fmt.Fprintln(e.Stdout, "Please answer yes or no.")
	}
	return nil
}

// test proves what was written, and says how it ended.
func (f wireFlags) test(ctx context.Context, e env, o installer.Options, out installer.Review) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	end := wizard.Outcome{Review: out}
	for _, w := range out.Wirings {
		h, _ := byID(o.Harnesses, w.Harness)
		fmt.Fprintf(e.Stdout, "testing %s\n", h.Name)
		end.Proofs = append(end.Proofs, e.prove(ctx, o, h))
		if ctx.Err() != nil {
			return failure{err: wizard.ErrUnproven, hint: "wsi doctor", exit: 1}
		}
	}
	if _, err := e.Stdout.Write([]byte(end.Record(e.ASCII))); err != nil || !end.Broken() {
		return err
	}
	return errReported
}

// done returns errReported if a harness was refused.
func done(r installer.Review) error {
	if len(r.Refused) > 0 {
		return errReported
	}
	return nil
}

func printRefusals(e env, out installer.Review) {
	for _, r := range out.Refused {
		e.printError(errors.New(r.Says(harnessName(r.Harness))), r.Fix.String())
	}
}

// summary prints the sentence that matters, the diffs unless they are written, and what the user must know and do.
func (f wireFlags) summary(e env, out installer.Review) {
	before, more := "Before you decide:", 0
	if f.yes {
		before, more = map[string]string{"setup": "Before you rely on it:", "remove": "After this:"}[out.Verb], installer.Few(&out.Notes, len(out.Left)+len(out.Remarks))
	}
	if out.Verb == "setup" && len(out.Changes) > 0 {
		test := "wsi doctor"
		if slices.ContainsFunc(out.Changes, func(c installer.Diffed) bool { h, _ := registry.Get(c.Harness); return h.Proof.Live(e.GOOS) }) {
			test += " --live"
		}
		if _, err := e.LookPath("wsi"); err != nil {
			out.Left = append(out.Left, installer.Note{Text: "wsi is not on your PATH: add its folder, or type its path in these commands."})
		}
		out.Left = append(out.Left, installer.Note{Text: "Then test it", Command: test})
	}
	if f.dryRun && len(out.Servers) > 0 { // short, because the list is long
		out.Left, out.Notes = nil, nil
		out.Remarks = append(out.Remarks, installer.Note{Text: "Some may have no rules: " + installer.RelayGives})
	}
	fmt.Fprintln(e.Stdout, strings.Join(tui.Wrap(printable.Line(out.Verdict(""))+".", 80), "\n"))
	if !f.yes && len(out.Changes) > 0 {
		for _, c := range out.Changes {
			fmt.Fprint(e.Stdout, "\n", e.colored(c.Shown()))
		}
		fmt.Fprintln(e.Stdout)
	}
	ahead, next := 1, "Next steps, once it is written:"
	if out.Applied || len(out.Changes) == 0 {
		ahead, next = -1, "Next steps:"
	}
	for _, c := range out.Changes {
		fmt.Fprintf(e.Stdout, "%s: %s %s\n", harnessName(c.Harness), printable.Line(c.Name()), c.Tense(ahead))
	}
	for _, s := range out.Servers {
		fmt.Fprintf(e.Stdout, "%s: %s\n", harnessName(s.Harness), printable.Line(s.Text))
	}
	for _, id := range out.Same {
		fmt.Fprintf(e.Stdout, "%s: %s\n", harnessName(id), printable.Line(out.Unchanged(id)))
	}
	list(e, before, out.Remarks)
	list(e, next, out.Left)
	list(e, "Good to know:", out.Notes)
	if more > 0 {
		fmt.Fprintf(e.Stdout, "\n%s left out. To see more, type wsi doctor -v.\n", phrase.Count(more, "note"))
	}
}

// colored returns a unified diff. If the terminal shows colors, the signs before its lines have one.
func (e env) colored(diff string) string {
	if !e.Colors {
		return diff
	}
	t, inside := tui.Printed(e.ASCII), false
	var b strings.Builder
	for line := range strings.Lines(diff) {
		text, ink, inked := strings.TrimRight(line, "\r\n"), tui.Ink(""), 1
		switch {
		case strings.HasPrefix(text, "@@"):
			inside = true
		case !inside:
			ink, inked = t.Strong, len(text)
		case strings.HasPrefix(text, "+"):
			ink = t.Added
		case strings.HasPrefix(text, "-"):
			ink = t.Removed
		}
		inked = min(inked, len(text))
		b.WriteString(ink.Render(printable.Text(text[:inked])) + tui.Ink("").Render(printable.Text(text[inked:])) + line[len(text):])
	}
	return b.String()
}

func list(e env, heading string, sentences []installer.Note) {
	if len(sentences) > 0 {
		fmt.Fprintf(e.Stdout, "\n%s\n", heading)
	}
	for _, s := range sentences {
		for _, line := range tui.Fix("  - ", s.ToDo().Map(printable.Line), 76) {
			fmt.Fprintln(e.Stdout, line)
		}
	}
}

// apply writes a plan. If it is interrupted, it restores all files.
func apply(ctx context.Context, p installer.Plan) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	return installer.Apply(ctx, files.Disk{}, p, nil)
}

func harnessName(id string) string {
	h, _ := registry.Get(id)
	return cmp.Or(h.Name, id)
}
