package carry

import (
	"bytes"
	"slices"
	"strings"

	"wsi/internal/jsonraw"
)

// Before decides about a call before it is made. It does not change the state. It first repairs
// damaged values, then injects the value where it is missing.
func Before(rule *Rule, state *State, call Call) Decision {
	in := rule.injectionFor(call.Tool)
	known := leftFinally(rule.unrelated(call.Tool, TakesNone))
	if in == nil && !rule.repairs(call.Tool) && !(rule.Flow.Opens.Has(call.Tool) && len(rule.sessionArguments()) > 0) {
		return known
	}
	if !bytes.HasPrefix(bytes.TrimSpace(call.Args), []byte("{")) {
		return leftFinally("the arguments are no JSON object")
	}
	if in != nil && call.Lacks != nil && call.Lacks(string(in.Argument)) {
		in, known = nil, leftFinally("the tool has no "+string(in.Argument))
	}
	b := &before{rule: rule, state: state, call: call}
	if d, done := b.understand(); done {
		return d
	}
	d := b.fillPlaceholders(known)
	if d.Action == Denied {
		return d
	}
	if in != nil {
		d = b.inject(in)
	}
	d = b.supplied.And(d)
	d.Carries = d.Carries || d.Changes()
	d.NeverHad = d.Action == Left && !state.hasHad(rule.Server)
	return d
}

// The reasons why a rule does not concern a call or its result.
const (
	TakesNone = "the tool takes no value"
	handsNone = "the tool hands out no value"
	notNamed  = "no rule names this tool"
	showsNone = "the result shows no value"
	noResult  = "the result is an error without a value"
)

// Idle are the reasons that are normal: a call or a result has no value.
var Idle = []string{TakesNone, handsNone, notNamed, showsNone, noResult}

// unrelated returns why the rule does not concern a tool: why, if it names the tool.
func (r *Rule) unrelated(tool, why string) string {
	if !r.Knows(tool) {
		return notNamed
	}
	return why
}

type before struct {
	rule     *Rule
	state    *State
	call     Call
	supplied Decision // the decision about the values in the call, without an action if there are none
	others   []State  // the user's other sessions, once loaded
}

// at returns the raw value at a path in the call's arguments, nil if there is none.
func (b *before) at(p Path) []byte { return p.in(b.call.Args) }

// put puts a value into the call. ok is false if the argument's parent is not there.
func (b *before) put(value string, path Path) (c Change, ok bool) {
	args := path.set(b.call.Args, jsonraw.Quote(value))
	if args == nil {
		return c, false
	}
	b.call.Args = args
	return path.change(args, value), true
}

// change returns the change that set the path in a call's arguments, which are as args now.
func (p Path) change(args []byte, value string) Change {
	top := Path(p.Parts()[0])
	return Change{Args: args, Set: []Argument{{string(top), top.in(args)}}, Value: value}
}

func leftFinally(why string) Decision { return Decision{Action: Left, Why: why, Final: true} }

func (b *before) inject(in *Inject) Decision {
	raw := b.at(in.Argument)
	for _, name := range in.Unless {
		if other := b.at(Path(name)); other != nil && !isPlaceholder(other) {
			return b.alreadyThere(name, other)
		}
	}
	if raw != nil && !isPlaceholder(raw) {
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
	if !strings.HasPrefix(c.Value, b.rule.beginning(raw)) {
		return b.otherwise(in, otherEnds)
	}
	if b.call.Early { // the newest value has not arrived yet, and without it the call would be another one
		return Decision{Action: Denied, Why: early, ModelNotice: b.advice(string(in.Argument), early)}
	}
	change, ok := b.put(c.Value, in.Argument)
	if !ok {
		return leftFinally("the object around the argument is missing")
	}
	return Decision{Action: Injected, Change: change}
}

func (b *before) choose(in *Inject) (c *Chain, why string) {
	switch in.Choose {
	case ChooseAlone:
		if _, why := b.state.current(b.rule.Server, b.call.Agent); why != "" && why != nothingStored {
			return nil, why
		}
		return b.state.onlyChain(b.rule.Server)
	case ChooseKey:
		key, _ := jsonraw.Unquote(b.at(in.Key))
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
	if s, ok := jsonraw.Unquote(raw); ok {
		if c := b.state.chainWith(b.rule.Server, digest(s)); c != nil && !c.isHead(digest(s)) && slices.Contains(c.Seen, digest(s)) {
			d.Why += ", older than the newest"
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
		d.Action, d.ModelNotice = Denied, b.advice(string(in.Argument), why)
	case tell:
		d.ModelNotice = "no " + string(in.Argument) + " was put into this call, because " + b.advice(string(in.Argument), why) + "."
	}
	return d
}

// maxListed bounds the values in a message to the model.
const maxListed = 4

// sessions returns the values that the calling agent may mean, as " (A, B)", for a message to it: those of the chains that
// it has opened or named. It returns "" for a secret, and for values that may not be safe in a sentence.
func (b *before) sessions() string {
	u := b.state.use(b.rule.Server, b.call.Agent)
	if b.rule.Secret || b.rule.Shape == "" || u == nil {
		return ""
	}
	var all []string
	for _, id := range append([]int{u.Chain}, u.Met...) {
		if c := b.state.chain(id); c != nil && b.rule.Shape.Matches(c.Value) && len(c.Value) <= maxPlaceholder && !strings.ContainsAny(c.Value, "<>&") && !slices.Contains(all, c.Value) {
			all = append(all, c.Value)
		}
	}
	if len(all) == 0 || len(all) > maxListed {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

// advice tells the model why no value was chosen for an argument, and what to do.
func (b *before) advice(argument, why string) string {
	switch why {
	case nothingStored:
		return "no session is open here; leave " + argument + " out, or pass the whole value"
	case severalAlive:
		return "several sessions are open" + b.sessions() + "; pass the " + argument + " of the session you mean, as you last saw it"
	case ofElsewhere:
		return "an earlier call passed a " + argument + " that no result has shown; pass the " + argument + " of the session you mean" + b.sessions()
	case unseen:
		return "wsi could not see the newest value; pass the " + argument + " of the last answer, if it shows one"
	case twoEnds:
		return why + "; pass the whole " + argument
	case otherEnds:
		return "the abbreviated value is not this conversation's; pass the whole " + argument
	case early:
		return why + "; repeat this call after that answer"
	}
	return why
}

// fillPlaceholders replaces placeholders in a call that opens a session, in the arguments that name an existing
// session: the parent, or the one to continue. If a placeholder cannot be replaced the call is denied,
// because the workflow-server silently starts an empty session, or one without a parent (main branch of
// 2026-05-13). If the rule injects the parent into calls of this tool, it is also put in where it is missing.
func (b *before) fillPlaceholders(d Decision) Decision {
	if !b.rule.Flow.Opens.Has(b.call.Tool) {
		return d
	}
	required := b.rule.parentFor(b.call.Tool)
	for _, path := range b.rule.sessionArguments() {
		raw := b.at(path)
		s, _ := jsonraw.Unquote(raw)
		short := isAbbreviated(s)
		switch empty := s == "" || string(raw) == "null"; { // or missing
		case empty && !b.rule.requiresParent(), raw != nil && !short && !isPlaceholder(raw):
			continue
		case raw == nil && (required == nil || path != required.Argument || b.call.Lacks != nil && b.call.Lacks(string(path))):
			continue
		}
		c, why := b.state.current(b.rule.Server, b.call.Agent)
		switch {
		case b.call.Early:
			c, why = nil, early
		case short:
			c, why = nil, twoEnds
		case c != nil && !strings.HasPrefix(c.Value, b.rule.beginning(raw)):
			c, why = nil, otherEnds
		}
		if c == nil && raw == nil {
			return b.otherwise(required, why)
		}
		if c == nil {
			return Decision{
				Action: Denied, Why: string(path) + " is a placeholder: " + why,
				ModelNotice: string(path) + " is a placeholder, and " + b.advice(string(path), why),
			}
		}
		if change, ok := b.put(c.Value, path); ok {
			d = d.And(Decision{Action: Injected, Change: change})
		}
	}
	return d
}

// Waits is the decision about a call whose injected value may be outdated, because the previous result has
// not been seen yet. An older value would rewind the server's session.
func (r *Rule) Waits(call Call) Decision {
	d := Decision{Action: Left, Why: "the last result is not in the transcript yet"}
	if r.Flow.Opens.Has(call.Tool) { // without a value it would open another session
		d.Action = Denied
		d.ModelNotice = "the result of the previous call is not known yet; make this call again, or pass the whole value"
	}
	return d
}

// isAbbreviated reports whether a text is the two ends of a value with an ellipsis between them.
func isAbbreviated(s string) bool {
	_, tail, ok := strings.Cut(strings.ReplaceAll(s, "…", "..."), "...")
	return ok && tail != "" && len(s) <= maxPlaceholder
}

// beginning returns what a raw argument shows of a value that it abbreviates to its beginning, "" if it shows nothing.
// All values with a payload begin alike.
func (r *Rule) beginning(raw []byte) string {
	s, _ := jsonraw.Unquote(raw)
	head := strings.TrimRight(s, ".…")
	if head == s || r.decodes() {
		return ""
	}
	return head
}

// requiresParent reports whether a call that opens a child must name its parent, because the argument for it is the one
// in which all calls name their session. Elsewhere an empty one means that the session has no parent.
func (r *Rule) requiresParent() bool {
	return slices.ContainsFunc(r.Inject, func(in Inject) bool { return string(in.Argument) == r.Flow.Parent })
}

// parentFor returns the injection of the parent into calls of a tool that opens a child, nil if the rule has none. "*" is
// not enough: another tool may open a session without a parent.
func (r *Rule) parentFor(tool string) *Inject {
	return first(r.Inject, func(in *Inject) bool {
		return string(in.Argument) == r.Flow.Parent && !slices.Contains(in.Tools, "*") && in.Tools.Has(tool)
	})
}

// sessionArguments returns the arguments of an opening call that name an existing session.
func (r *Rule) sessionArguments() (all []Path) {
	for i := range r.Inject {
		if in := &r.Inject[i]; in.Choose == ChooseOnly && !slices.Contains(all, in.Argument) {
			all = append(all, in.Argument)
		}
	}
	if len(all) > 0 && r.Flow.Parent != "" && !slices.Contains(all, Path(r.Flow.Parent)) {
		all = append(all, Path(r.Flow.Parent))
	}
	return all
}

func isPlaceholder(raw []byte) bool {
	if string(raw) == "null" {
		return true
	}
	s, ok := jsonraw.Unquote(raw)
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
	case "", "auto", "token", "session_token", "session_index", "placeholder", "null", "none", "undefined", "nil", "n/a", "current":
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

func (r *Rule) repairs(tool string) bool {
	return slices.ContainsFunc(r.Repair, func(p RepairRule) bool { return r.includes(p.Tools, tool) })
}
