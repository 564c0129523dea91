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

	"wsi/harnesses"
	"wsi/installer"
	"wsi/internal/tui"
)

// Plain asks the same as the screens, a line at a time: for screen readers, for terminals that can do
// no more, and for scripts that answer. Where the input ends, nothing more is agreed to.
func Plain(ctx context.Context, c Config, in io.Reader, out io.Writer) (Outcome, error) {
	p := &plain{Config: c, ctx: ctx, in: newReader(in), out: out}
	defer close(p.in.wanted)
	p.end.width = 80
	p.end.Err = p.ask()
	return p.end, nil
}

type plain struct {
	Config
	ctx context.Context //nolint:containedctx // of the one conversation
	in  reader
	out io.Writer
	end Outcome
}

// line is what was typed up to enter, or why there is nothing more.
type line struct {
	text string
	err  error
}

// reader reads lines for somebody who may leave before one is typed: reading itself cannot be
// interrupted. It reads no further than it is asked to.
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

// line returns the next one. When ctx ends first the error is ErrQuit, and the reader is of no use any
// more.
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

// answer reads one line, without spaces around it. Where the input has ended, or the user wants out,
// the error is ErrQuit.
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

// choice asks until the answer is one of those that are understood. An empty one is the first.
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
		p.say("That was not understood. Please answer %s.", strings.Join(understood, " or "))
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

// ask goes through the questions, and writes.
func (p *plain) ask() error {
	scope, err := p.scope()
	if err != nil {
		return err
	}
	standings := p.look(scope)
	ids, err := p.choose(standings)
	if err != nil {
		return err
	}
	servers, err := p.servers(ids, standings)
	if err != nil {
		return err
	}
	ways, err := p.ways(ids, scope, servers)
	if err != nil {
		return err
	}
	o := p.chosen(ids, scope, servers, ways, agreed{p.Options.Trust, p.Options.Replace})
	for {
		err := p.write(o)
		if !errors.Is(err, installer.ErrChanged) {
			return err
		}
		p.say("Another program changed a file meanwhile; nothing was written. Please look again.")
	}
}

func (p *plain) scope() (harnesses.Scope, error) {
	if p.ScopeSet {
		return p.Options.Scope, nil
	}
	understood := []string{string(p.Options.Scope), string(other(p.Options.Scope))}
	a, err := p.choice(understood, "For every project of yours (user), or for this folder only (project)? [%s]", p.Options.Scope)
	return harnesses.Scope(a), err
}

func (p *plain) look(scope harnesses.Scope) []installer.Status {
	all := make([]installer.Status, len(p.Options.Harnesses))
	for i, h := range p.Options.Harnesses {
		o := p.chosen([]string{h.ID}, scope, servers{p.Options.Program.Servers, p.ServersSet, nil}, nil, agreed{})
		s, version := lookAt(p.ctx, o, h, "")
		all[i] = s
		if p.Mends && !slices.Contains(p.Named, h.ID) {
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
			state = "wsi is wired, and to be updated: " + s.Why
		case installer.Unclear:
			state = s.Why
		}
		p.say("%s", visible(p.Show(strings.TrimSpace(h.Name+" "+version)+": "+state)))
	}
	return all
}

func (p *plain) choose(standings []installer.Status) (ids []string, err error) {
	if len(p.Named) > 0 {
		return p.Named, nil
	}
	for i, h := range p.Options.Harnesses {
		if !standings[i].Presence.Found {
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
		p.say("No harness was chosen. One that is not on this machine yet can be named with --harness.")
		return nil, ErrQuit
	}
	return ids, nil
}

// servers asks only if there is something to choose from.
func (p *plain) servers(ids []string, standings []installer.Status) (servers, error) {
	named := p.Options.Program.Servers
	own := p.proposed(ids, standings)
	all := slices.Concat(slices.Collect(maps.Values(own))...)
	if slices.Sort(all); !p.ServersSet && len(all) > 0 {
		named = slices.Compact(all)
	}
	offered := slices.DeleteFunc(installer.Offer(standings), func(s string) bool { return slices.Contains(named, s) })
	if p.ServersSet || p.Mends || len(offered) == 0 {
		return servers{named, p.ServersSet, own}, nil
	}
	a, err := p.answer("Which MCP servers' values are to be carried? The harnesses also know %s. Names, with commas between [%s]",
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

// proposed returns the servers that are proposed for each of the chosen harnesses, by their ids.
func (p *plain) proposed(ids []string, standings []installer.Status) map[string][]string {
	own := map[string][]string{}
	for i, h := range p.Options.Harnesses {
		if slices.Contains(ids, h.ID) {
			own[h.ID] = p.Options.Proposed(standings[i])
		}
	}
	return own
}

// ways asks for every harness to which more than one way is open, unless a flag has said it.
func (p *plain) ways(ids []string, scope harnesses.Scope, servers servers) (map[string]harnesses.Mode, error) {
	ways := map[string]harnesses.Mode{}
	if p.Options.Mode != "" || p.Mends {
		return ways, nil
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
			if p.say("  by %s: %s", c.Way, c.Why); c.Way != proposed {
				understood = append(understood, string(c.Way))
			}
		}
		question := "By %s? [%s]"
		if best, ok := stronger(h, open, proposed); ok {
			question = "By %s? The strongest, as far as it was tried, is " + string(best.Way) + ". [%s]"
		}
		a, err := p.choice(understood, question, strings.Join(understood, " or "), proposed)
		if err != nil {
			return nil, err
		}
		ways[h.ID] = harnesses.Mode(a)
	}
	return ways, nil
}

// write shows a plan and applies it if it is agreed to.
func (p *plain) write(o installer.Options) error {
	o, plan, err := p.settle(o)
	if err != nil {
		return err
	}
	r := p.end.Review
	if len(r.Changes) > 0 {
		ok, err := p.confirm(false, "Write %s?", count(len(r.Changes), "file"))
		if err != nil {
			return err
		}
		if !ok {
			return ErrQuit
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
	}
	p.end.Review.Applied = !r.AllRefused()
	return p.prove(o, r)
}

// settle shows a plan, and asks about it what can only be asked of who has seen it. With every yes
// there is another plan to be seen.
func (p *plain) settle(o installer.Options) (installer.Options, installer.Plan, error) {
	o, plan, err := installer.PlanAsking(o, func(addresses []string) map[string]installer.Answer {
		p.say("Asking %s whether a login is wanted there.", visible(strings.Join(addresses, ", ")))
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
		{edited(p.end.Review), &o.Replace, "Replace what was edited? It is kept among the backups."},
		{distrusted(o, plan), &o.Trust, "These hooks run only once you have said that you looked at them. Shall that be recorded, in your name?"},
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

// edited tells whether a file of wsi's own is not replaced because somebody edited it.
func edited(r installer.Review) bool {
	return slices.ContainsFunc(r.Refused, func(f installer.Refused) bool { return f.Diff != "" })
}

// distrusted tells whether a harness would wait for its user's approval once the plan is applied.
func distrusted(o installer.Options, plan installer.Plan) bool {
	after := plan.Env(o.Env)
	return slices.ContainsFunc(o.Harnesses, func(h harnesses.Harness) bool {
		return h.TrustRecords != nil && plan.Modes[h.ID] != harnesses.ByRelay && slices.ContainsFunc(installer.Gates(after, o, h), func(n installer.Note) bool { return n.Kind == installer.Left })
	})
}

func (p *plain) shown(r installer.Review) {
	for _, c := range r.Changes {
		fmt.Fprint(p.out, c.Diff)
	}
	for _, f := range r.Refused {
		p.say("%s stays as it is: %s", p.name(f.Harness), visible(strings.TrimPrefix(f.File+": ", ": ")+f.Error))
		if f.Hint != "" {
			p.say("  %s", visible(f.Hint))
		}
		fmt.Fprint(p.out, f.Diff)
	}
	for _, s := range r.Remarks {
		p.say("%s %s", tui.Plain(p.ASCII).Symbol(tui.Attention), visible(s.Text))
	}
	for _, id := range r.Same {
		p.say("%s: nothing to do", p.name(id))
	}
}

func (p *plain) prove(o installer.Options, r installer.Review) error {
	for _, h := range o.Harnesses {
		if slices.ContainsFunc(r.Refused, func(f installer.Refused) bool { return f.Harness == h.ID }) {
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
