package main

import (
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
		RunE:    func(*cobra.Command, []string) error { return runSetup(e, f) },
	}
	f.register(cmd)
	cmd.Flags().StringArrayVar(&f.servers, "server", []string{harnesses.DefaultServer}, "name of the MCP server, as registered with the harness (repeatable)")
	cmd.Flags().BoolVar(&f.trust, "trust-codex-hooks", false, "also record, in your name, that you trust these hooks in Codex")
	cmd.Flags().StringVar(&f.binary, "binary", "", "path of wsi to register (default: where this wsi is)")
	return cmd
}

func runSetup(e env, f setupFlags) error {
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
	out := newOutcome(e, "setup", hs, p)
	out.Binary = e.tilde(path)
	f.tell(e, o, p, &out)
	if o.Scope == harnesses.Project {
		out.Left = append(out.Left, uncommitted(out.Changes)...)
	}
	if err := f.carryOut(e, p, &out, ""); err != nil {
		return err
	}
	return out.done()
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

// tell says what setup cannot do, and what a user must know of the harnesses it changes.
func (f setupFlags) tell(e env, o installer.Options, p installer.Plan, out *outcome) {
	after := p.Env(e.Env)
	for _, h := range o.Harnesses {
		if slices.ContainsFunc(out.Refused, func(r refused) bool { return r.Harness == h.ID }) {
			continue
		}
		if why := closed(after, h, o); why != "" {
			out.Left = append(out.Left, sentence{h.ID, e.tilde(why)})
		}
		if !slices.ContainsFunc(out.Changes, func(c changed) bool { return c.Harness == h.ID }) {
			continue
		}
		out.Left = append(out.Left, f.missing(e, h)...)
		for _, c := range h.Caveats {
			out.Notes = append(out.Notes, sentence{h.ID, c})
		}
	}
}

// closed says why the harness would skip the hooks that are registered now.
func closed(env harnesses.Env, h harnesses.Harness, o installer.Options) string {
	if h.Gate == nil {
		return ""
	}
	w, err := h.Wiring(env, o.Scope, o.Program)
	if err != nil {
		return err.Error()
	}
	for _, hf := range w.Hooks {
		content, err := env.ReadFile(hf.Path)
		if err == nil {
			err = h.Gate(env, hf, content)
		}
		var c harnesses.Closed
		if errors.As(err, &c) {
			return h.Name + ": " + c.Why + ". To change that: " + c.Fix + "."
		}
		if err != nil {
			return h.Name + ": whether it runs these hooks is not certain: " + oneLine(err.Error())
		}
	}
	return ""
}

// missing names the servers that the harness does not have.
func (f setupFlags) missing(e env, h harnesses.Harness) []sentence {
	p, err := h.Find(e.Env)
	if err != nil {
		return []sentence{{h.ID, h.Name + "'s MCP servers could not be read: " + e.tilde(oneLine(err.Error()))}}
	}
	var all []sentence
	for _, s := range f.servers {
		if !slices.ContainsFunc(p.Servers, func(o harnesses.Server) bool { return o.Name == s }) {
			all = append(all, sentence{h.ID, h.Name + " has no MCP server named " + s + " in its configuration: register it, or name yours with --server."})
		}
	}
	return all
}
