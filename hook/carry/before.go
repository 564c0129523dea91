package carry

import (
	"fmt"
	"slices"
	"strings"

	"wsi/internal/rawjson"
)

// Before decides about a call before it is made. It does not change the state. It first replaces aliases
// by their values and repairs damaged values, denies a call with values that do not belong together, then injects
// the value where it is missing.
func Before(rule *Rule, state *State, call Call) Decision {
	in := rule.injectionFor(call.Tool)
	known := leftFinally(takesNone)
	if !rule.Acts(call.Tool) {
		return known
	}
	if _, err := rawjson.Object(call.Args); err != nil {
		return leftFinally("the arguments are no JSON object")
	}
	if in != nil && call.Lacks != nil && call.Lacks(string(in.Argument)) {
		in, known = nil, leftFinally("the tool has no "+string(in.Argument))
	}
	b := &before{rule: rule, state: state, call: call}
	if d, done := b.understand(); done {
		return d
	}
	if d, done := b.together(); done {
		return d
	}
	d := b.fillPlaceholders(known)
	if d.Action == Denied {
		return d
	}
	if in != nil {
		d = b.inject(in)
	}
	if b.supplied != nil {
		d = b.supplied.And(d)
	}
	d.Carries = d.Carries || d.Changes()
	d.NeverHad = d.Action == Left && !state.hasHad(rule.Server)
	return d
}

// The reasons why a rule does not concern a call or its result.
const (
	takesNone = "the tool takes no value"
	handsNone = "the tool hands out no value"
)

// before is the work of Before on one call.
type before struct {
	rule          *Rule
	state         *State
	call          Call
	supplied      *Decision // the decision about the values in the call, nil if there are none
	otherSessions []State   // the user's other sessions, once loaded
	loaded        bool      // otherSessions is loaded
}

func leftFinally(why string) Decision { return Decision{Action: Left, Why: why, Final: true} }

// inject puts the value into the call, unless the call has one.
func (b *before) inject(in *Inject) Decision {
	raw := in.Argument.in(b.call.Args)
	for _, name := range in.Unless {
		if other := Path(name).in(b.call.Args); other != nil && !isPlaceholder(other) {
			return b.alreadyThere(name, other)
		}
	}
	if raw != nil && (in.When == whenMissing && string(raw) != "null" || !isPlaceholder(raw)) {
		return b.alreadyThere(string(in.Argument), raw)
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
	if b.call.Early { // the newest value has not arrived yet
		return b.otherwise(in, early)
	}
	args := in.Argument.put(b.call.Args, c.Value, in.Create)
	if args == nil {
		return leftFinally("the argument's parent is not there")
	}
	return Decision{Action: Injected, Change: change(args, in.Argument, c.Value)}
}

// choose returns the chain that the call continues, or why there is none.
func (b *before) choose(in *Inject) (c *Chain, why string) {
	switch in.Choose {
	case byAge:
		c = b.state.newest(b.rule.Server, b.call.Agent)
	case byItself:
		return b.state.onlyChain(b.rule.Server)
	case byKeyOf:
		key, _ := rawjson.Unquote(in.Key.in(b.call.Args))
		c = b.state.chainByKey(b.rule.Server, key)
	default:
		c, why = b.state.current(b.rule.Server, b.call.Agent)
		if why == nothingStored && b.rule.Scope == ScopeUser {
			return b.state.onlyChain(b.rule.Server)
		}
		return c, why
	}
	if c == nil || c.Value == "" {
		return nil, nothingStored
	}
	return c, ""
}

// alreadyThere is the decision about a value that the call already carries. An older value passes, because the
// model may mean it; the reason mentions its age.
func (b *before) alreadyThere(argument string, raw []byte) Decision {
	d := leftFinally(argument + " is already there")
	if s, ok := rawjson.Unquote(raw); ok {
		if n := b.state.newerThan(b.rule.Server, digest(s)); n == 1 {
			d.Why += ", 1 value older than the newest"
		} else if n > 1 {
			d.Why += fmt.Sprintf(", %d values older than the newest", n)
		}
	}
	d.Carries = true
	return d
}

// otherwise decides about a call that should carry a value if the engine does not know which one.
func (b *before) otherwise(in *Inject, why string) Decision {
	d := left(why)
	if why == nothingStored { // the server's own error explains that best
		return d
	}
	switch in.Otherwise {
	case deny:
		d.Action, d.ModelNotice = Denied, advice(string(in.Argument), why)
	case tell:
		d.ModelNotice = "no " + string(in.Argument) + " was put into this call: " + advice(string(in.Argument), why) + "."
	}
	return d
}

// advice tells the model why no value was chosen for an argument, and what to do.
func advice(argument, why string) string {
	switch why {
	case nothingStored:
		return "no session is open here; leave " + argument + " out, or pass the whole value"
	case severalAlive:
		return "several sessions are open; pass the " + argument + " of the session you mean, as shown in the answer that created it"
	case ofElsewhere:
		return "the last call was about another session; pass the " + argument + " of the session you mean"
	case unseen:
		return "the newest value was handed out where wsi cannot see it; pass the " + argument + " of the last answer, if it shows one"
	case manyEnds:
		return "several values of this conversation have these ends; pass the whole " + argument
	case otherEnds:
		return "it is not short for the value that this conversation works with; pass the whole " + argument
	case early:
		return why + "; make this one again when it is"
	}
	return why
}

// fillPlaceholders replaces placeholders in a call that opens a session, in the arguments that name an existing
// session: the parent, or the one to continue. If a placeholder cannot be replaced the call is denied,
// because the workflow-server silently starts an empty session, or one without a parent (main branch of
// 2026-05-13).
func (b *before) fillPlaceholders(d Decision) Decision {
	if !b.rule.Flow.Opens.Has(b.call.Tool) {
		return d
	}
	for _, path := range b.rule.sessionArguments() {
		raw := path.in(b.call.Args)
		s, ok := rawjson.Unquote(raw)
		head, tail, short := abbreviated(s)
		if !ok || s == "" || !short && !isPlaceholderText(s) {
			continue
		}
		c, why := b.state.current(b.rule.Server, b.call.Agent)
		switch {
		case b.call.Early:
			c, why = nil, early
		case c != nil && (!strings.HasPrefix(c.Value, head) || !strings.HasSuffix(c.Value, tail)):
			c, why = nil, otherEnds
		case c != nil && short && b.fitsOlder(head, tail, c.Value):
			c, why = nil, manyEnds
		}
		if c == nil {
			return Decision{
				Action: Denied, Why: string(path) + " is a placeholder: " + why,
				ModelNotice: string(path) + " is a placeholder, and " + advice(string(path), why),
			}
		}
		args := path.put(b.call.Args, c.Value, false)
		b.call.Args = args
		d = d.And(Decision{Action: Injected, Change: change(args, path, c.Value)})
	}
	return d
}

// Waits is the decision about a call whose injected value may be outdated, because the previous result has
// not been seen yet. An older value would rewind the server's session.
func (r *Rule) Waits(call Call) Decision {
	d := Decision{Action: Left, Why: "the last result is not in the transcript yet"}
	if r.Flow.Opens.Has(call.Tool) { // without a value it would open another session
		d.Action = Denied
		d.ModelNotice = "the result of the call before is not known yet; make this call again, or pass the whole value"
	}
	return d
}

// abbreviated splits a value written as its two ends with an ellipsis between them. It needs the last part,
// since all values begin alike.
func abbreviated(s string) (head, tail string, ok bool) {
	for _, ellipsis := range []string{"...", "…"} {
		if head, tail, ok = strings.Cut(s, ellipsis); ok && tail != "" && len(s) <= maxPlaceholder {
			return head, tail, true
		}
	}
	return "", "", false
}

// fitsOlder reports whether a stored value other than the newest also has these ends. The last digits of two
// signatures can be equal.
func (b *before) fitsOlder(head, tail, newest string) bool {
	return slices.ContainsFunc(b.state.values(b.rule.Server), func(c Candidate) bool {
		return c.Value != newest && strings.HasPrefix(c.Value, head) && strings.HasSuffix(c.Value, tail)
	})
}

// sessionArguments returns the arguments of an opening call that name an existing session. It returns none for a
// rule that does not replace placeholders.
func (r *Rule) sessionArguments() (all []Path) {
	for i := range r.Inject {
		if in := &r.Inject[i]; in.When == whenPlaceholder && in.Choose == byAgent && !slices.Contains(all, in.Argument) {
			all = append(all, in.Argument)
		}
	}
	if len(all) > 0 && r.Flow.Parent != "" && !slices.Contains(all, Path(r.Flow.Parent)) {
		all = append(all, Path(r.Flow.Parent))
	}
	return all
}

// change returns the Change of one argument to value.
func change(args []byte, path Path, value string) Change {
	top, _, _ := strings.Cut(string(path), ".")
	return Change{Args: args, Set: []Argument{{top, Path(top).in(args)}}, Value: value}
}

// isPlaceholder reports whether a raw argument is null or a isPlaceholder text.
func isPlaceholder(raw []byte) bool {
	if string(raw) == "null" {
		return true
	}
	s, ok := rawjson.Unquote(raw)
	return ok && isPlaceholderText(s)
}

// maxPlaceholder is the length up to which a text in brackets counts as a placeholder. Real values are longer.
const maxPlaceholder = 64

func isPlaceholderText(s string) bool {
	s = strings.TrimSpace(s)
	if len(s) > maxPlaceholder {
		return false
	}
	switch strings.ToLower(s) {
	case "", "auto", "token", "session_token", "placeholder", "null", "none", "undefined", "nil", "n/a", "current":
		return true
	}
	return strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") ||
		strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}") ||
		strings.HasPrefix(s, "${") && strings.HasSuffix(s, "}") ||
		strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") ||
		strings.HasSuffix(s, "...") || strings.HasSuffix(s, "…") || // only the beginning, and all values begin alike
		len(s) > len(your) && strings.EqualFold(strings.ReplaceAll(s[:len(your)], "-", "_"), your)
}

// your is the prefix of placeholders such as YOUR_SESSION_TOKEN and your-session-token.
const your = "your_"

// Acts reports whether the rule injects into, repairs or compares arguments of the tool.
func (r *Rule) Acts(tool string) bool {
	return r.injectionFor(tool) != nil || r.repairs(tool) || r.checks(tool)
}

// repairs reports whether the rule repairs arguments of the tool.
func (r *Rule) repairs(tool string) bool {
	return slices.ContainsFunc(r.Repair, func(p RepairRule) bool { return r.includes(p.Tools, tool) })
}
