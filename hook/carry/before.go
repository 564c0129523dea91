package carry

import (
	"slices"
	"strings"

	"wsi/internal/rawjson"
)

// Before decides what becomes of a call. It does not change the state. What the call carries is
// understood first: an alias stands for its value, a damaged value for the one it was copied from.
// Then the value is put where it is missing.
func Before(rule *Rule, state *State, call Call) Decision {
	in := rule.takes(call.Tool)
	known := leftFinally(takesNone)
	if in == nil && !rule.repairs(call.Tool) {
		return known
	}
	if _, err := rawjson.Object(call.Args); err != nil {
		return leftFinally("the arguments are no JSON object")
	}
	b := &before{rule: rule, state: state, call: call}
	if d, done := b.understand(); done {
		return d
	}
	d := known
	if in != nil {
		d = b.inject(in)
	}
	if b.read != nil {
		d = b.read.And(d)
	}
	return d
}

const takesNone = "the tool takes no value"

// before is a call that is looked at.
type before struct {
	rule   *Rule
	state  *State
	call   Call
	read   *Decision // what was made of the values that it carried, nil if there were none
	elsewh []State   // the user's other sessions, once they were asked for
	asked  bool
}

func leftFinally(why string) Decision { return Decision{Did: Left, Why: why, Final: true} }

// inject puts the value into the call, unless one is there.
func (b *before) inject(in *Inject) Decision {
	raw := in.Argument.in(b.call.Args)
	for _, name := range in.Unless {
		if other := Path(name).in(b.call.Args); other != nil && !placeholder(other) {
			return leftFinally(name + " is already there")
		}
	}
	if raw != nil && (in.When == whenMissing && string(raw) != "null" || !placeholder(raw)) {
		return leftFinally(string(in.Argument) + " is already there")
	}
	if why := HandsOff(b.call.Tool, string(in.Argument), b.call.Args); why != "" {
		return leftFinally(why)
	}
	c, why := b.choose(in)
	if c == nil {
		return b.otherwise(in, why)
	}
	if !b.rule.Shape.Matches(c.Value) {
		return leftFinally("the stored value is not of the rule's shape")
	}
	if b.call.Early { // the newest value is on its way
		return b.otherwise(in, "the call before it is still not answered")
	}
	args := in.Argument.put(b.call.Args, c.Value, in.Create)
	if args == nil {
		return leftFinally("the argument's parent is not there")
	}
	return Decision{Did: Injected, Change: change(args, in.Argument, c.Value)}
}

// choose returns the chain that the call goes on with, or why there is none.
func (b *before) choose(in *Inject) (c *Chain, why string) {
	switch in.Choose {
	case byAge:
		c = b.state.newest(b.rule.Server, b.call.Agent)
	case byKeyOf:
		key, _ := rawjson.Unquote(in.Key.in(b.call.Args))
		c = b.state.keyed(b.rule.Server, key)
	default:
		c, why = b.state.current(b.rule.Server, b.call.Agent)
		if why == nothingStored && b.rule.Scope == ScopeUser {
			return b.state.sole(b.rule.Server)
		}
		return c, why
	}
	if c == nil || c.Value == "" {
		return nil, nothingStored
	}
	return c, ""
}

// otherwise is for a call that should carry a value, when it is not known which.
func (b *before) otherwise(in *Inject, why string) Decision {
	d := Decision{Did: Left, Why: why}
	if why == nothingStored { // the server explains that best
		return d
	}
	switch in.Otherwise {
	case deny:
		d.Did = Denied
	case tell:
		d.Tell = "no " + string(in.Argument) + " was put into this call: " + why + "."
	}
	return d
}

// change is the change of one argument; value is its new value.
func change(args []byte, path Path, value string) Change {
	top, _, _ := strings.Cut(string(path), ".")
	return Change{Args: args, Set: []Argument{{top, Path(top).in(args)}}, Value: value}
}

// placeholder tells whether a raw argument stands for a value its writer did not have.
func placeholder(raw []byte) bool {
	if string(raw) == "null" {
		return true
	}
	s, ok := rawjson.Unquote(raw)
	return ok && placeholderText(s)
}

// maxPlaceholder is the length up to which something in brackets names a value instead of being one. All
// the words that do are shorter.
const maxPlaceholder = 64

func placeholderText(s string) bool {
	s = strings.TrimSpace(s)
	if len(s) > maxPlaceholder {
		return false
	}
	switch strings.ToLower(s) {
	case "", "auto", "token", "session_token", "placeholder", "...", "…", "null", "none":
		return true
	}
	return strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") ||
		strings.HasPrefix(s, "{{") && strings.HasSuffix(s, "}}") ||
		strings.HasPrefix(s, "${") && strings.HasSuffix(s, "}")
}

// repairs tells whether the rule looks at what calls of the tool carry.
func (r *Rule) repairs(tool string) bool {
	return slices.ContainsFunc(r.Repair, func(p Mending) bool { return p.Tools.Has(tool) })
}
