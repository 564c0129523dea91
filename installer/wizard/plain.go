package wizard

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/installer"
	"wsi/installer/inspect"
	"wsi/installer/notes"
	"wsi/internal/tui"
)

// Plain asks the same questions as the screens, line by line: for screen readers, simple terminals and scripts. The
// end of the input is an answer of no.
func Plain(ctx context.Context, c Config, in io.Reader, out io.Writer) (Outcome, error) {
	p := &plain{Config: c, ctx: ctx, in: bufio.NewReader(in), out: out, choose: newChoose(c)}
	p.end.width = 80
	asks := []func() error{p.askScope, p.look, p.askHarnesses, p.askServers, p.write}
	if c.Removal {
		asks = asks[4:]
	}
	for _, ask := range asks {
		if p.end.Err == nil {
			p.end.Err = ask()
		}
	}
	return p.end, nil
}

// plain is the dialog, with the answers so far.
type plain struct {
	Config
	choose
	ctx context.Context //nolint:containedctx // of the only run
	in  *bufio.Reader
	out io.Writer
	end Outcome
}

// line returns the next line. A read cannot be interrupted: if ctx ends first, p.in cannot be used any more.
func (p *plain) line() (string, error) {
	var text string
	var err error
	read := make(chan bool, 1)
	go func() {
		text, err = p.in.ReadString('\n')
		read <- true
	}()
	select {
	case <-read:
		return text, err
	case <-p.ctx.Done():
		return "", ErrQuit
	}
}

// advise says a text that may end with a command.
func (p *plain) advise(lead, text string) {
	p.say("%s", strings.Join(tui.Advice(lead, visible(text), 80-len(lead)), "\n"))
}

func (p *plain) say(format string, args ...any) { fmt.Fprintf(p.out, format+"\n", args...) }

// answer reads one line and trims it. At the end of the input, or if the user leaves, the error is ErrQuit.
func (p *plain) answer(format string, args ...any) (string, error) {
	fmt.Fprintf(p.out, format+" ", args...)
	text, err := p.line()
	text = strings.TrimSpace(text)
	if p.Echo || err != nil {
		p.say("%s", text)
	}
	switch {
	case err == nil, text != "":
		return text, nil
	case errors.Is(err, io.EOF):
		return "", ErrQuit
	}
	return "", err
}

// choice asks until the answer is one of understood. An empty answer is the first of them.
func (p *plain) choice(understood []string, format string, args ...any) (string, error) {
	for {
		a, err := p.answer(format, args...)
		if err != nil {
			return "", err
		}
		for _, u := range understood {
			if a == "" || strings.EqualFold(a, u) || strings.EqualFold(a, u[:1]) {
				return u, nil
			}
		}
		p.say("Please answer %s.", strings.Join(understood, " or "))
	}
}

// confirm asks a question; an empty answer is the default.
func (p *plain) confirm(byDefault bool, format string, args ...any) (bool, error) {
	understood, shown := []string{"no", "yes"}, "[y/N]"
	if byDefault {
		understood, shown = []string{"yes", "no"}, "[Y/n]"
	}
	a, err := p.choice(understood, format+" "+shown, args...)
	return a == "yes", err
}

func (p *plain) askScope() error {
	if p.ScopeSet {
		return nil
	}
	understood := []string{string(p.scope), string(p.scope.Other())}
	a, err := p.choice(understood, "For all your projects (user), or for this folder only (project)? [%s]", p.scope)
	p.scope = setup.Scope(a)
	return err
}

func (p *plain) look() error {
	for i, r := range p.rows {
		h := r.harness
		o := p.chosen(p.choose, []string{h.ID}, agreed{})
		s, version := lookAt(p.ctx, o, h, "")
		p.rows[i].status, p.rows[i].idle = s, o.Idle(h)
		if p.RepairOnly && !slices.Contains(p.Named, h.ID) {
			continue
		}
		if !s.Presence.Found {
			p.say("%s: not found", h.Name)
			continue
		}
		state := strings.Join(s.Files, ", ") + ": wsi is not wired"
		switch {
		case p.rows[i].idle:
			state = o.Lack()
		case s.State == installer.Current:
			state = "wsi is wired"
		case s.State == installer.Stale:
			state = "wsi is wired, but must be updated: " + s.Why
		case s.State == installer.Unclear:
			state = s.Why
		}
		p.say("%s", visible(p.Show(strings.TrimSpace(h.Name+" "+version)+": "+state)))
	}
	return nil
}

func (p *plain) askHarnesses() (err error) {
	for i := range p.rows {
		r := &p.rows[i]
		switch {
		case len(p.Named) > 0:
			r.chosen = slices.Contains(p.Named, r.harness.ID)
		case r.status.Presence.Found && !r.idle:
			if r.chosen, err = p.confirm(true, "Set up %s?", r.harness.Name); err != nil {
				return err
			}
		}
	}
	if len(p.ids()) == 0 {
		p.say("No harness was chosen. Use --harness for one that is not on this machine yet.")
		return ErrQuit
	}
	return nil
}

// askServers asks only if the user has a choice.
func (p *plain) askServers() error {
	var found []setup.Presence
	var proposed []string
	for _, r := range p.rows {
		found = append(found, r.status.Presence)
		if r.chosen {
			proposed = append(proposed, p.Options.Proposed(r.status)...)
		}
	}
	s := &p.servers
	if slices.Sort(proposed); !s.settled && len(proposed) > 0 {
		s.chosen = slices.Compact(proposed)
	}
	offered := slices.DeleteFunc(inspect.Offer(found...), func(name string) bool { return slices.Contains(s.chosen, name) })
	if s.settled || p.RepairOnly || len(offered) == 0 {
		return nil
	}
	known := append(slices.Clone(s.chosen), offered...)
	p.say("%s", strings.Join(tui.Wrap(carryQuestion+" The harnesses also have "+visible(strings.Join(offered, ", "))+".", 80), "\n"))
	for {
		a, err := p.answer("Names, separated by commas [%s]", visible(strings.Join(s.chosen, ", ")))
		names := strings.FieldsFunc(a, func(r rune) bool { return r == ',' })
		for i, name := range names {
			names[i] = strings.TrimSpace(name)
		}
		switch i := slices.IndexFunc(names, func(name string) bool { return !slices.Contains(known, name) }); {
		case i >= 0:
			p.say("No harness has a server named %s.", visible(names[i]))
			continue
		case len(names) > 0:
			s.chosen, s.settled = names, true
		}
		return err
	}
}

// write shows a plan, applies it if the user agrees, and proves it. If a file changed meanwhile, it begins again.
func (p *plain) write() error {
	d, err := p.settle(p.chosen(p.choose, p.ids(), agreed{p.Options.Trust, p.Options.Replace}))
	if err != nil {
		return err
	}
	if does := p.does(d.Review); does != "" {
		ok, err := p.confirm(false, "%s?", strings.ToUpper(does[:1])+does[1:])
		if err != nil {
			return err
		}
		if !ok {
			return ErrQuit
		}
	}
	unlock, err := p.Lock(p.ctx)
	if err != nil {
		return err
	}
	err = installer.Apply(p.ctx, p.Options.FS, d.plan, func(installer.Change) {})
	unlock()
	switch {
	case errors.Is(err, installer.ErrChanged):
		p.say("Another program changed a file; nothing was written. Please review again.")
		return p.write()
	case err != nil:
		return err
	}
	p.end.Review.Applied = !d.AllRefused()
	for _, h := range d.options.Harnesses {
		if p.Removal || d.Refuses(h.ID) {
			continue
		}
		p.say("testing %s", h.Name)
		proof := p.Prove(p.ctx, d.options, h)
		if p.ctx.Err() != nil {
			return ErrUnproven
		}
		proof.Harness, proof.made = h, true
		p.end.Proofs = append(p.end.Proofs, proof)
	}
	return nil
}

// settle shows a plan and asks the questions that depend on it. After each yes it shows a new plan.
func (p *plain) settle(o installer.Options) (draft, error) {
	d, err := p.plan(o, func(addresses []string) map[string]installer.Answer {
		p.say("Asking %s whether it requires a login.", visible(strings.Join(addresses, ", ")))
		return p.Ask(addresses)
	})
	if err != nil {
		return d, err
	}
	p.end.Review = d.Review
	p.shown(d.Review)
	for _, ask := range []struct {
		about    bool
		agreed   *bool
		question string
	}{
		{edited(d.Review), &d.options.Replace, "Replace the edited files? Backups are kept."},
		{d.trusts != "", &d.options.Trust, "Trust " + d.trusts + "? They run only then."},
	} {
		if *ask.agreed || !ask.about {
			continue
		}
		if *ask.agreed, err = p.confirm(false, "%s", ask.question); err != nil {
			return d, err
		}
		if *ask.agreed {
			return p.settle(d.options)
		}
	}
	return d, nil
}

// edited reports whether a file of wsi's own is refused because it was edited.
func edited(r installer.Review) bool {
	return slices.ContainsFunc(r.Refused, func(f installer.Refused) bool { return f.Diff != "" })
}

// trusts names the hooks that need the user's approval after the plan is applied, "" if none do.
func trusts(o installer.Options, plan installer.Plan) string {
	var names []string
	after := plan.Env(o.Env)
	for _, h := range o.Harnesses {
		gates := notes.Gates(notes.Setup{Env: after, Harness: h, Scope: o.Scope, Program: o.Program})
		left := slices.ContainsFunc(gates, func(n notes.Note) bool { return n.Kind == notes.Left })
		mode := plan.Modes[h.ID]
		if h.Hooks.TrustRecords != nil && mode != "" && mode != setup.ByRelay && (o.Trust || left) {
			names = append(names, h.Name+"'s hooks")
		}
	}
	return notes.List(names)
}

func (p *plain) shown(r installer.Review) {
	for _, c := range r.Changes {
		fmt.Fprint(p.out, c.Shown(p.Full))
	}
	for _, f := range r.Refused {
		p.advise("", f.Says(p.Options.NameOf(f.Harness)))
		if f.Hint != "" {
			p.advise("hint: ", f.Hint)
		}
		fmt.Fprint(p.out, f.Diff)
	}
	for _, s := range r.Remarks {
		p.advise(tui.Plain(p.ASCII).Symbol(tui.Attention)+" ", s.Text)
	}
	for _, id := range r.Same {
		p.say("%s: %s", p.Options.NameOf(id), visible(r.Unchanged(id)))
	}
	for _, w := range r.Wirings {
		p.say("%s: to be wired by %s (--wiring changes that)", p.Options.NameOf(w.Harness), w.Mode)
	}
}
