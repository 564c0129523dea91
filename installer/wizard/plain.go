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
	"wsi/installer/notes"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

// Plain prints the plan as text, and asks one question: for screen readers, simple terminals and scripts. What it sets up is
// what flags say. The end of the input is an answer of no.
func Plain(ctx context.Context, c Config, in io.Reader, out io.Writer) (Outcome, error) {
	p := &plain{Config: c, ctx: ctx, in: bufio.NewReader(in), out: out, choose: newChoose(c)}
	p.end.width = 80
	asks := []func() error{p.look, p.write}
	if c.Removal {
		asks = asks[1:]
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

// advise says a text, and the command to type.
func (p *plain) advise(lead string, fix phrase.Fix) {
	p.say("%s", strings.Join(tui.Fix(lead, fix.Map(visible), 80-len(lead)), "\n"))
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

// confirm asks a question; an empty answer is no.
func (p *plain) confirm(question string) (bool, error) {
	for {
		a, err := p.answer("%s [y/N]", question)
		switch strings.ToLower(a) {
		case "", "n", "no":
			return false, err
		case "y", "yes":
			return true, err
		}
		p.say("Please answer yes or no.")
	}
}

// look inspects the harnesses, and selects those that the flags name, else those that have something to carry for.
func (p *plain) look() error {
	var proposed []string
	for i := range p.rows {
		r := &p.rows[i]
		o := p.chosen(p.choose, []string{r.harness.ID}, agreed{})
		r.status, _ = installer.Inspect(o, r.harness) // the status says why it is unclear
		r.idle = o.Idle(r.harness)
		r.chosen = slices.Contains(p.Named, r.harness.ID) || len(p.Named) == 0 && r.status.Presence.Found && !r.idle
		if r.chosen {
			proposed = lists.AddUnique(proposed, p.Options.Proposed(r.status)...)
		}
	}
	if len(p.ids()) == 0 {
		p.say("No harness was chosen. Use --harness for one that is not on this machine yet.")
		return ErrQuit
	}
	if slices.Sort(proposed); !p.servers.settled && len(proposed) > 0 {
		p.servers.chosen = proposed
	}
	return nil
}

// write shows a plan, applies it if the user agrees, and proves it. If a file changed meanwhile, it begins again.
func (p *plain) write() error {
	d, err := p.plan(p.chosen(p.choose, p.ids(), agreed{p.Options.Trust, p.Options.Replace}), func(addresses []string) map[string]installer.Answer {
		p.say("Asking %s whether it requires a login.", visible(strings.Join(addresses, ", ")))
		return p.Ask(addresses)
	})
	if err != nil {
		return err
	}
	p.end.Review = d.Review
	p.shown(d.Review)
	if does := p.does(d.Review); does != "" {
		ok, err := p.confirm(strings.ToUpper(does[:1]) + does[1:] + "?")
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
		if h.Hooks.TrustRecords != nil && mode == setup.ByHooks && (o.Trust || left) {
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
		p.advise("", phrase.Fix{Text: f.Says(p.Options.NameOf(f.Harness))})
		if f.Fix != (phrase.Fix{}) {
			p.advise("hint: ", f.Fix)
		}
		fmt.Fprint(p.out, f.Diff)
	}
	for _, s := range r.Remarks {
		p.advise(tui.Plain(p.ASCII).Symbol(tui.Attention)+" ", s.ToDo())
	}
	for _, id := range r.Same {
		p.say("%s: %s", p.Options.NameOf(id), visible(r.Unchanged(id)))
	}
	for _, w := range r.Wirings {
		p.say("%s: to be wired by %s (--wiring changes that)", p.Options.NameOf(w.Harness), w.Mode)
	}
}
