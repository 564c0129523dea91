package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wsi/harnesses"
	"wsi/harnesses/registry"
	"wsi/installer"
	"wsi/internal/printable"
	"wsi/internal/tui"
)

// wireFlags are what setup and remove have in common.
type wireFlags struct {
	harnesses                []string
	scope                    string
	yes, dryRun, quiet, json bool
}

func (f *wireFlags) register(cmd *cobra.Command) {
	cmd.Args = noArgs
	cmd.Flags().StringSliceVar(&f.harnesses, "harness", nil, "`ids` with commas between, of\n"+inLines(wirableIDs())+"\n(default: all that are found)")
	cmd.Flags().StringVar(&f.scope, "scope", string(harnesses.User), "`scope`: user (every project) or project (this folder)")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do it without asking")
	cmd.Flags().BoolVarP(&f.dryRun, "dry-run", "n", false, "show the difference and write nothing")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "print only what is wrong and what is left for you (with --yes)")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object (with --yes or --dry-run)")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	complete(cmd, "harness", idsOf(wirable()).list)
	complete(cmd, "scope", offers(scopes).one)
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(cmd.CommandPath()+" --help", "%s takes no argument such as %q", cmd.CommandPath(), args[0])
	}
	return nil
}

// check refuses combinations that make no sense.
func (f wireFlags) check(e env, verb string, asks bool) error {
	if f.scope != string(harnesses.User) && f.scope != string(harnesses.Project) {
		return usage("--scope user or --scope project", "there is no scope %q", f.scope)
	}
	if f.yes && f.dryRun {
		return usage("give one of them", "--yes writes and --dry-run does not")
	}
	if f.quiet && f.json {
		return usage("give one of them", "--json prints all there is and --quiet does not")
	}
	if f.quiet && !f.yes {
		return usage("wsi "+verb+" --yes --quiet", "--quiet is for what asks nothing")
	}
	if !f.yes && !f.dryRun && !asks {
		return usage(fmt.Sprintf("wsi %s --dry-run shows what would be written, wsi %s --yes writes it", verb, verb),
			"%s, so nothing can be asked", e.Mute)
	}
	if e.StateDir == "" {
		return failure{err: errors.New("there is no place to keep a record of the changes"), hint: "set WSI_STATE_DIR to a folder of yours", exit: 1}
	}
	return e.mayWrite(verb, e.Home, e.StateDir)
}

// lock makes sure that nobody else plans and applies meanwhile. A dry run only looks.
func (f wireFlags) lock(ctx context.Context, e env) (unlock func(), err error) {
	if f.dryRun {
		return func() {}, nil
	}
	return installer.Lock(ctx, e.StateDir)
}

// named returns the harnesses given by --harness.
func (f wireFlags) named() ([]harnesses.Harness, error) {
	var hs []harnesses.Harness
	for _, id := range f.harnesses {
		id = strings.TrimSpace(id)
		h, ok := registry.Get(id)
		if !ok || h.Wiring == nil {
			ids := wirableIDs()
			return nil, usage(meant(id, ids, "it is one of "+strings.Join(ids, ", ")), "wsi knows no harness %q", id)
		}
		if !slices.ContainsFunc(hs, func(o harnesses.Harness) bool { return o.ID == id }) {
			hs = append(hs, h)
		}
	}
	return hs, nil
}

func wirable() []harnesses.Harness {
	return slices.DeleteFunc(registry.All(), func(h harnesses.Harness) bool { return h.Wiring == nil })
}

// offered are those of them with which there is something to do, for these servers or for any that has rules.
func offered(e env, servers []string) []harnesses.Harness {
	if servers != nil {
		return installer.Offered(e.Env, wirable(), servers, nil)
	}
	ruled, _ := e.ruled()
	return installer.Offered(e.Env, wirable(), nil, ruled)
}

func wirableIDs() []string {
	var ids []string
	for _, h := range wirable() {
		ids = append(ids, h.ID)
	}
	return ids
}

// inLines writes a long list for a help text.
func inLines(ids []string) string {
	var lines []string
	for part := range slices.Chunk(ids, 5) {
		lines = append(lines, strings.Join(part, ", "))
	}
	return strings.Join(lines, ",\n")
}

// carryOut shows a plan and applies it as the flags and the user want it. also is what the caller
// will do besides, as the end of a question.
func (f wireFlags) carryOut(ctx context.Context, e env, p installer.Plan, out *installer.Review, also string) error {
	if f.json {
		return f.asJSON(ctx, e, p, out)
	}
	if !f.yes {
		for _, c := range out.Changes {
			fmt.Fprint(e.Stdout, e.colored(c.Diff))
		}
	}
	f.refusals(e, *out)
	if !f.yes {
		list(e, "Before you decide:", out.Remarks)
	}
	if !f.yes && !f.dryRun && (len(p.Changes) > 0 || also != "") {
		f.changes(e, *out)
		ok, err := e.confirm(question(p, also))
		if err != nil {
			return err
		}
		if !ok {
			return failure{err: errors.New("nothing was written"), exit: saidNo}
		}
	}
	if !f.dryRun {
		if err := apply(ctx, p); err != nil {
			return err
		}
		out.Applied = !out.AllRefused()
	}
	f.summary(e, *out)
	return nil
}

// done is errReported if a harness was refused.
func done(r installer.Review) error {
	if len(r.Refused) > 0 {
		return errReported
	}
	return nil
}

func (f wireFlags) refusals(e env, out installer.Review) {
	for _, r := range out.Refused {
		message := harnessName(r.Harness) + " stays as it is: "
		if r.File != "" {
			message += r.File + ": "
		}
		e.complain(errors.New(message+r.Error), r.Hint)
	}
}

var past = map[string]string{"create": "created", "update": "changed", "delete": "deleted"}

// question asks for what will be done.
func question(p installer.Plan, also string) string {
	written, deleted := 0, 0
	for _, c := range p.Changes {
		if c.After == nil {
			deleted++
		} else {
			written++
		}
	}
	var parts []string
	if written > 0 || deleted == 0 {
		parts = append(parts, "write "+count(written, "file"))
	}
	if deleted > 0 {
		parts = append(parts, "delete "+count(deleted, "file"))
	}
	q := strings.Join(parts, " and ")
	return strings.ToUpper(q[:1]) + q[1:] + also + "?"
}

func (f wireFlags) changes(e env, out installer.Review) {
	for _, c := range out.Changes {
		word := past[c.Action]
		if !out.Applied {
			word = "would be " + word
		}
		fmt.Fprintf(e.Stdout, "%s: %s %s\n", harnessName(c.Harness), printable.Line(c.Name()), word)
	}
}

func (f wireFlags) summary(e env, out installer.Review) {
	if !f.quiet {
		f.changes(e, out)
		for _, id := range out.Same {
			fmt.Fprintf(e.Stdout, "%s: nothing to do\n", harnessName(id))
		}
	}
	if f.yes { // else they were said before
		list(e, "Before you rely on it:", out.Remarks)
	}
	list(e, "What is left for you:", out.Left)
	if f.quiet {
		return
	}
	notes, more := out.Few()
	list(e, "Good to know:", notes)
	if more > 0 {
		fmt.Fprintf(e.Stdout, "  - %d more, which wsi doctor shows by harness\n", more)
	}
}

// colored is a unified diff in colours, where they are wanted.
func (e env) colored(diff string) string {
	if !e.Colors {
		return diff
	}
	t, inside := tui.New(true, e.ASCII), false
	var b strings.Builder
	for line := range strings.Lines(diff) {
		text, ink := strings.TrimRight(line, "\r\n"), tui.Ink("")
		switch {
		case strings.HasPrefix(text, "@@"):
			inside, ink = true, t.Hunk
		case !inside:
			ink = t.Strong
		case strings.HasPrefix(text, "+"):
			ink = t.Added
		case strings.HasPrefix(text, "-"):
			ink = t.Removed
		}
		b.WriteString(ink.Render(printable.Text(text)) + line[len(text):])
	}
	return b.String()
}

func list(e env, heading string, sentences []installer.Sentence) {
	if len(sentences) > 0 {
		fmt.Fprintf(e.Stdout, "\n%s\n", heading)
	}
	for _, s := range sentences {
		fmt.Fprintf(e.Stdout, "  - %s\n", printable.Line(s.Text))
	}
}

func (f wireFlags) asJSON(ctx context.Context, e env, p installer.Plan, out *installer.Review) error {
	var failed error
	if f.yes {
		failed = apply(ctx, p)
		out.Applied = failed == nil && !out.AllRefused()
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(e.Stdout, "%s\n", text); err != nil {
		return err
	}
	return failed
}

// apply writes a plan. Whoever interrupts it finds all files as they were.
func apply(ctx context.Context, p installer.Plan) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	return installer.Apply(ctx, installer.Disk{}, p, nil)
}

func harnessName(id string) string {
	if h, ok := registry.Get(id); ok {
		return h.Name
	}
	return id
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
