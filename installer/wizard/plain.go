package wizard

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/installer"
	"wsi/installer/inspect"
	"wsi/installer/notes"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

// Plain asks the same questions as the screens, line by line: for screen readers, simple terminals and scripts. The
// end of the input is an answer of no.
func Plain(ctx context.Context, c Config, in io.Reader, out io.Writer) (Outcome, error) {
	p := &plain{Config: c, ctx: ctx, in: newReader(in), out: out}
	defer close(p.in.wanted)
	p.end.width = 80
	p.end.Err = p.ask()
	return p.end, nil
}

type plain struct {
	Config
	ctx context.Context //nolint:containedctx // of the only run
	in  reader
	out io.Writer
	end Outcome
}

// line is a line of input, or the error that ended it.
type line struct {
	text string
	err  error
}

// reader reads lines for a caller that may stop waiting, because a read cannot be interrupted. It reads only the lines
// that are requested.
type reader struct {
	wanted chan bool
	lines  chan line
}

func newReader(in io.Reader) reader {
	r := reader{make(chan bool), make(chan line, 1)}
	go func() {
		b := bufio.NewReader(in)
		for range r.wanted {
			text, err := b.ReadString('\n')
			r.lines <- line{text, err}
		}
	}()
	return r
}

// line returns the next line. If ctx ends first, the error is ErrQuit and the reader cannot be used any more.
func (r reader) line(ctx context.Context) (string, error) {
	select {
	case r.wanted <- true:
	case <-ctx.Done():
		return "", ErrQuit
	}
	select {
	case l := <-r.lines:
		return l.text, l.err
	case <-ctx.Done():
		return "", ErrQuit
	}
}

func (p *plain) say(format string, args ...any) { fmt.Fprintf(p.out, format+"\n", args...) }

// answer reads one line and trims it. At the end of the input, or if the user leaves, the error is ErrQuit.
func (p *plain) answer(format string, args ...any) (string, error) {
	fmt.Fprintf(p.out, format+" ", args...)
	text, err := p.in.line(p.ctx)
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

// ask asks all questions, and writes.
func (p *plain) ask() error {
	scope, err := p.scope()
	if err != nil {
		return err
	}
	statuses := p.look(scope)
	ids, err := p.choose(statuses)
	if err != nil {
		return err
	}
	servers, err := p.servers(ids, statuses)
	if err != nil {
		return err
	}
	modes, err := p.modes(ids, scope, servers)
	if err != nil {
		return err
	}
	o := p.chosen(ids, scope, servers, modes, agreed{p.Options.Trust, p.Options.Replace})
	for {
		err := p.write(o)
		if !errors.Is(err, installer.ErrChanged) {
			return err
		}
		p.say("Another program changed a file; nothing was written. Please review again.")
	}
}

func (p *plain) scope() (setup.Scope, error) {
	if p.ScopeSet {
		return p.Options.Scope, nil
	}
	understood := []string{string(p.Options.Scope), string(p.Options.Scope.Other())}
	a, err := p.choice(understood, "For every project of yours (user), or for this folder only (project)? [%s]", p.Options.Scope)
	return setup.Scope(a), err
}

func (p *plain) look(scope setup.Scope) []installer.Status {
	all := make([]installer.Status, len(p.Options.Harnesses))
	for i, h := range p.Options.Harnesses {
		o := p.chosen([]string{h.ID}, scope, servers{p.Options.Program.Servers, p.ServersSet, nil}, nil, agreed{})
		s, version := lookAt(p.ctx, o, h, "")
		all[i] = s
		if p.RepairOnly && !slices.Contains(p.Named, h.ID) {
			continue
		}
		if !s.Presence.Found {
			p.say("%s: not found", h.Name)
			continue
		}
		state := strings.Join(s.Files, ", ") + ": wsi is not wired"
		switch s.State {
		case installer.Current:
			state = "wsi is wired"
		case installer.Stale:
			state = "wsi is wired, but must be updated: " + s.Why
		case installer.Unclear:
			state = s.Why
		}
		p.say("%s", visible(p.Show(strings.TrimSpace(h.Name+" "+version)+": "+state)))
	}
	return all
}

func (p *plain) choose(statuses []installer.Status) (ids []string, err error) {
	if len(p.Named) > 0 {
		return p.Named, nil
	}
	for i, h := range p.Options.Harnesses {
		if !statuses[i].Presence.Found {
			continue
		}
		ok, err := p.confirm(true, "Set up %s?", h.Name)
		if err != nil {
			return nil, err
		}
		if ok {
			ids = append(ids, h.ID)
		}
	}
	if len(ids) == 0 {
		p.say("No harness was chosen. Use --harness for one that is not on this machine yet.")
		return nil, ErrQuit
	}
	return ids, nil
}

// servers asks only if the user has a choice.
func (p *plain) servers(ids []string, statuses []installer.Status) (servers, error) {
	named := p.Options.Program.Servers
	own := p.proposed(ids, statuses)
	all := slices.Concat(slices.Collect(maps.Values(own))...)
	if slices.Sort(all); !p.ServersSet && len(all) > 0 {
		named = slices.Compact(all)
	}
	var found []setup.Presence
	for _, s := range statuses {
		found = append(found, s.Presence)
	}
	offered := slices.DeleteFunc(inspect.Offer(found...), func(s string) bool { return slices.Contains(named, s) })
	if p.ServersSet || p.RepairOnly || len(offered) == 0 {
		return servers{named, p.ServersSet, own}, nil
	}
	a, err := p.answer(carryQuestion+" The harnesses also have %s. Names, separated by commas [%s]",
		visible(strings.Join(offered, ", ")), visible(strings.Join(named, ", ")))
	var names []string
	for name := range strings.SplitSeq(a, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return servers{named, false, own}, err
	}
	return servers{names, true, nil}, err
}

// proposed returns the proposed servers of the chosen harnesses, by id.
func (p *plain) proposed(ids []string, statuses []installer.Status) map[string][]string {
	own := map[string][]string{}
	for i, h := range p.Options.Harnesses {
		if slices.Contains(ids, h.ID) {
			own[h.ID] = p.Options.Proposed(statuses[i])
		}
	}
	return own
}

// modes asks for the mode of every harness with several possible ones, unless a flag sets it.
func (p *plain) modes(ids []string, scope setup.Scope, servers servers) (map[string]setup.Mode, error) {
	modes := map[string]setup.Mode{}
	if p.Options.Mode != "" || p.RepairOnly {
		return modes, nil
	}
	o := p.chosen(ids, scope, servers, nil, agreed{})
	for _, h := range o.Harnesses {
		open, proposed := installer.Modes(o, h)
		if len(open) < 2 {
			continue
		}
		understood := []string{string(proposed)} // an empty answer is the first
		p.say("%s can be wired", h.Name)
		for _, c := range open {
			if p.say("  by %s: %s", c.Mode, c.Why); c.Mode != proposed {
				understood = append(understood, string(c.Mode))
			}
		}
		question := "By %s? [%s]"
		if best, ok := stronger(h, open, proposed); ok {
			question = "By %s? The most reliable is " + string(best.Mode) + ". [%s]"
		}
		a, err := p.choice(understood, question, strings.Join(understood, " or "), proposed)
		if err != nil {
			return nil, err
		}
		modes[h.ID] = setup.Mode(a)
	}
	return modes, nil
}

// write shows a plan and applies it if the user agrees.
func (p *plain) write(o installer.Options) error {
	o, plan, err := p.settle(o)
	if err != nil {
		return err
	}
	r := p.end.Review
	if len(r.Changes) > 0 {
		ok, err := p.confirm(false, "Write %s?", phrase.Count(len(r.Changes), "file"))
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
	err = installer.Apply(p.ctx, o.FS, plan, func(c installer.Change) { p.say("written: %s", visible(p.Show(c.Path))) })
	unlock()
	if err != nil {
		return err
	}
	p.end.Review.Applied = !r.AllRefused()
	return p.prove(o, r)
}

// settle shows a plan and asks the questions that depend on it. After each yes it shows a new plan.
func (p *plain) settle(o installer.Options) (installer.Options, installer.Plan, error) {
	o, plan, err := installer.PlanAsking(o, func(addresses []string) map[string]installer.Answer {
		p.say("Asking %s whether it requires a login.", visible(strings.Join(addresses, ", ")))
		return p.Ask(addresses)
	})
	if err != nil {
		return o, plan, err
	}
	p.end.Review, p.end.Planned = plan.Review(o, p.Show), true
	p.shown(p.end.Review)
	for _, ask := range []struct {
		about    bool
		agreed   *bool
		question string
	}{
		{edited(p.end.Review), &o.Replace, "Replace the edited files? Backups are kept."},
		{distrusted(o, plan), &o.Trust, "These hooks run only after you have approved them. Record your approval?"},
	} {
		if *ask.agreed || !ask.about {
			continue
		}
		if *ask.agreed, err = p.confirm(false, "%s", ask.question); err != nil {
			return o, plan, err
		}
		if *ask.agreed {
			return p.settle(o)
		}
	}
	return o, plan, nil
}

// edited reports whether a file of wsi's own is refused because it was edited.
func edited(r installer.Review) bool {
	return slices.ContainsFunc(r.Refused, func(f installer.Refused) bool { return f.Diff != "" })
}

// distrusted reports whether a harness needs the user's approval of hooks after the plan is applied.
func distrusted(o installer.Options, plan installer.Plan) bool {
	after := plan.Env(o.Env)
	return slices.ContainsFunc(o.Harnesses, func(h setup.Harness) bool {
		gates := func() []notes.Note {
			return notes.Gates(notes.Setup{Env: after, Harness: h, Scope: o.Scope, Program: o.Program})
		}
		return h.Hooks.TrustRecords != nil && plan.Modes[h.ID] != setup.ByRelay && slices.ContainsFunc(gates(), func(n notes.Note) bool { return n.Kind == notes.Left })
	})
}

func (p *plain) shown(r installer.Review) {
	for _, c := range r.Changes {
		fmt.Fprint(p.out, c.Diff)
	}
	for _, f := range r.Refused {
		p.say("%s stays as it is: %s", p.Options.NameOf(f.Harness), visible(strings.TrimPrefix(f.File+": ", ": ")+f.Error))
		if f.Hint != "" {
			p.say("  %s", visible(f.Hint))
		}
		fmt.Fprint(p.out, f.Diff)
	}
	for _, s := range r.Remarks {
		p.say("%s %s", tui.Plain(p.ASCII).Symbol(tui.Attention), visible(s.Text))
	}
	for _, id := range r.Same {
		p.say("%s: nothing to do", p.Options.NameOf(id))
	}
}

func (p *plain) prove(o installer.Options, r installer.Review) error {
	for _, h := range o.Harnesses {
		if r.Refuses(h.ID) {
			continue
		}
		proof := p.Prove(p.ctx, o, h)
		if p.ctx.Err() != nil {
			return ErrUnproven
		}
		p.end.Proofs, p.end.Names = append(p.end.Proofs, proof), append(p.end.Names, h.Name)
	}
	return nil
}
