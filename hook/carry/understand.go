package carry

import (
	"slices"

	"wsi/internal/jsonraw"
)

// understand replaces each damaged value in a call by the stored one that it is a copy of. done is true if the call must not be made.
func (b *before) understand() (d Decision, done bool) {
	for _, a := range b.arguments() {
		raw := b.at(a.path)
		s, ok := jsonraw.Unquote(raw)
		if !ok || s == "" {
			continue
		}
		d := b.decide(a, s)
		if d.Action == Denied {
			return d, true
		}
		if d.Action == Repaired {
			if d.Change, ok = b.put(d.Value, a.path); !ok {
				continue
			}
			d.Value = ""
		}
		if d.Why != noValue {
			b.supplied = b.supplied.And(d)
		}
	}
	return Decision{}, false
}

// Sent returns a call with the arguments that it was made with. After a call, some harnesses may show the
// arguments that the model wrote instead.
func (r *Rule) Sent(state *State, call Call) Call {
	if n := r.Note(call); n.Carried == "" || state.carriedChain(n) != nil { // nothing was repaired
		return call
	}
	b := &before{rule: r, state: state, call: call}
	b.understand()
	return b.call
}

type argument struct {
	path     Path
	repaired bool // if its value is damaged
}

// arguments returns the arguments of this call that may carry a value, each once.
func (b *before) arguments() []argument {
	var all []argument
	add := func(a argument) {
		if !slices.ContainsFunc(all, func(o argument) bool { return o.path == a.path }) {
			all = append(all, a)
		}
	}
	for i := range b.rule.Repair {
		if r := &b.rule.Repair[i]; b.rule.includes(r.Tools, b.call.Tool) {
			for _, path := range r.Arguments {
				add(argument{path, true})
			}
		}
	}
	if in := b.rule.injectionFor(b.call.Tool); in != nil {
		add(argument{in.Argument, false})
		for _, name := range in.Unless {
			add(argument{Path(name), false})
		}
	}
	return all
}

// noValue is the reason to leave an argument that contains no value, such as a placeholder.
const noValue = "stands for no value"

func (b *before) decide(a argument, s string) Decision {
	if !a.repaired {
		if isPlaceholderText(s) {
			return left(noValue)
		}
		return leftFinally(string(a.path) + " is already there")
	}
	mode := b.mode(a.path)
	if c := b.state.chainWith(b.rule.Server, digest(s)); c != nil && (!mode.Keyed || c.Key == mode.Key) {
		return b.alreadyThere(string(a.path), b.at(a.path))
	}
	if why := HandsOff(b.call.Tool, string(a.path), b.call.Args); why != "" {
		return left(why)
	}
	candidates := b.state.values(b.rule.Server)
	if b.rule.Flow.Opens.Has(b.call.Tool) && b.rule.Scope != ScopeUser && !isPlaceholderText(s) {
		if b.call.Others != nil {
			b.others, b.call.Others = b.call.Others(b.rule.Server), nil
		}
		for _, other := range b.others {
			if other.chainWith(b.rule.Server, digest(s)) != nil {
				return leftFinally(string(a.path) + " is of another session")
			}
			candidates = append(candidates, other.values(b.rule.Server)...)
		}
	}
	return Repair(s, candidates, mode)
}

// mode returns how a damaged value of an argument is repaired: by its signature if it has one, else by the key if the call names the
// value's chain, else by distance.
func (b *before) mode(p Path) Mode {
	if b.rule.decodes() {
		m := Mode{Signed: true}
		if b.rule.Flow.Opens.Has(b.call.Tool) {
			m.Session = b.rule.session()
		}
		return m
	}
	if in := first(b.rule.Inject, func(in *Inject) bool { return in.Choose == ChooseKey && in.Argument == p }); in != nil {
		key, _ := jsonraw.Unquote(b.at(in.Key))
		return Mode{Keyed: true, Key: key}
	}
	return Mode{}
}
