package carry

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Rule says which value of a server is carried where. Strings of choices are as in a rule file
// (docs/rules.md), with the defaults filled in; package rules reads them.
type Rule struct {
	Server  string // whose chains the rule works on; the port's to set for the call at hand
	Name    string
	Tools   Tools   // all that the server is known to have, for harnesses that name a tool without its server
	Shape   Pattern // what does not match is neither kept nor injected
	Secret  bool    // never shown
	Scope   string  // agent | session | user
	Capture Capture
	Inside  Reading
	Flow    Flow
	Inject  []Inject
	Repair  []RepairRule
	Alias   bool
	Single  bool // one value for everybody, as the specification has it: to show what that leads to

	// Presumed is set if no rule names the server and its user did not say whose rules it has. It may be any
	// server: only a call that opens a session, or carries a value of one, may hand out a value.
	Presumed bool
}

// Capture says where a value is found in a result.
type Capture struct {
	From   []Source // tried in this order
	Tools  Tools
	Key    []Source // what names the chain; none: all values are of one chain
	Each   bool     // a path may hit several values: all are known, none is the newest
	Errors bool     // the _meta of a result that is an error counts, too
}

// Reading says how to look into a value, for key and order only.
type Reading struct {
	Decode  string // "" | base64url-json.sig
	Order   string // member that orders the values of a chain
	ChildOf string // member that names the parent's chain
}

// Flow says what the server's tools do with a value.
type Flow struct {
	Opens   Tools    // their results begin a chain of their own; never injected. None named: those that hand a value out and take none
	Parent  string   // argument of an opening call that makes the new chain a child's
	Changes Tools    // they change the server's session, so that their value must not be passed over
	Keeps   Tools    // after them the value from before is as good as the one they hand out
	Lost    []Source // true there: the server did not accept the value of an opening call and began a new session
}

// Inject says into which argument a value is put.
type Inject struct {
	Tools     Tools
	Except    Tools
	Argument  Path
	Create    bool     // make parents that are missing
	When      string   // placeholder | missing | never
	Choose    string   // only | newest | key
	Key       Path     // choose = "key:ARG": the argument that names the chain
	Unless    []string // arguments that make it unnecessary
	Otherwise string   // leave | tell | deny
}

// RepairRule says which arguments are replaced by the value they are nearly.
type RepairRule struct {
	Tools     Tools
	Arguments []Path
	Mode      By
	Max       int // ByDistance: in so many places a value may differ
	Margin    int // ByDistance: the next candidate is that much further away
}

// Tools is a list of tools by the server's own names; "*" is all of them.
type Tools []string

// Has tells whether a tool is one of them.
func (t Tools) Has(tool string) bool {
	return slices.ContainsFunc(t, func(name string) bool { return name == "*" || Same(name, tool) })
}

// Same tells whether two names are one after every character outside [A-Za-z0-9_-] became "_", with
// "-" and "_" equal. Claude Code, Codex and OpenCode write names in these ways (2026-11).
func Same(a, b string) bool {
	for a != "" && b != "" {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		if plain(x) != plain(y) {
			return false
		}
		a, b = a[n:], b[m:]
	}
	return a == b
}

func plain(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return r
	}
	return '_'
}

// Kind is what kind of place a Source names.
type Kind string

// The kinds of sources. Self is the value itself; InsideOf a member of what it decodes to.
const (
	Meta       Kind = "meta"
	Structured Kind = "structured"
	JSON       Kind = "json"
	Text       Kind = "text"
	InsideOf   Kind = "inside"
	Self       Kind = "self"
)

// Source is a place from which a value or the name of a chain is read.
type Source struct {
	Kind    Kind
	Path    Path    // of meta, structured, json and inside
	Pattern Pattern // of text, with one group
}

// String is the source as a rule file has it.
func (s Source) String() string {
	switch s.Kind {
	case Self:
		return string(Self)
	case Text:
		return string(Text) + ":" + string(s.Pattern)
	}
	return string(s.Kind) + ":" + string(s.Path)
}

// The choices that the engine asks about.
const (
	ScopeUser       = "user"
	ScopeAgent      = "agent"
	whenPlaceholder = "placeholder"
	whenMissing     = "missing"
	whenNever       = "never"
	tell            = "tell"
	deny            = "deny"
	byKeyOf         = "key"
	byAge           = "newest"
	byAgent         = "only"
)

// takes returns how a value is put into calls of the tool, nil if it takes none.
func (r *Rule) takes(tool string) *Inject {
	if r.Flow.Opens.Has(tool) {
		return nil
	}
	for i := range r.Inject {
		if in := &r.Inject[i]; r.among(in.Tools, tool) && !in.Except.Has(tool) && in.When != whenNever {
			return in
		}
	}
	return nil
}

// Takes returns the argument of the tool that the rule puts a value into, "" if it takes none.
func (r *Rule) Takes(tool string) (argument string) {
	if in := r.takes(tool); in != nil {
		return string(in.Argument)
	}
	return ""
}

func (r *Rule) opens(tool string) bool {
	if len(r.Flow.Opens) > 0 {
		return r.Flow.Opens.Has(tool)
	}
	return r.hands(tool) && r.takes(tool) == nil
}

// hands tells whether the tool's results are looked at.
func (r *Rule) hands(tool string) bool {
	return len(r.Capture.From) > 0 && r.among(r.Capture.Tools, tool)
}

// among reports whether a list of the rule's has the tool. "*" is all tools that the rule names, if it names
// them.
func (r *Rule) among(list Tools, tool string) bool {
	return list.Has(tool) && (len(r.Tools) == 0 || !slices.Contains(list, "*") || r.Tools.Has(tool))
}

// decodes reports whether a value must say something to be the rule's.
func (r *Rule) decodes() bool { return r.Inside.Decode != "" }

// Knows tells whether the rule names the tool.
func (r *Rule) Knows(tool string) bool {
	named := func(t Tools) bool { return len(t) > 0 && t[0] != "*" && t.Has(tool) }
	if len(r.Tools) > 0 {
		return named(r.Tools)
	}
	return named(r.Capture.Tools) || named(r.Flow.Opens) || named(r.Flow.Changes) || named(r.Flow.Keeps) ||
		slices.ContainsFunc(r.Inject, func(i Inject) bool { return named(i.Tools) || named(i.Except) }) ||
		slices.ContainsFunc(r.Repair, func(p RepairRule) bool { return named(p.Tools) })
}

// Concerns reports whether a call of the tool, or its result, may matter to the rule.
func (r *Rule) Concerns(tool string) bool {
	if r.Presumed && !r.Knows(tool) {
		return false
	}
	return r.Alias || r.hidesMeta() || r.hands(tool) || r.opens(tool) || r.takes(tool) != nil ||
		slices.ContainsFunc(r.Repair, func(p RepairRule) bool { return r.among(p.Tools, tool) })
}

// hidesMeta reports whether a value of the rule must not stay in the _meta of any tool's result.
func (r *Rule) hidesMeta() bool {
	return r.Secret && slices.ContainsFunc(r.Capture.From, func(s Source) bool { return s.Kind == Meta })
}

// keyed tells whether something outside a value names its chain.
func (r *Rule) keyed() bool {
	return len(r.Capture.Key) > 0 && r.Capture.Key[0].Kind != InsideOf
}

// constant tells whether a value stays the same from call to call, so that a call may carry it anywhere.
func (r *Rule) constant() bool { return r.keyed() || r.Capture.Each }

// OnlyByKey tells whether every value of the rule's is put only where a call names its chain.
func (r *Rule) OnlyByKey() bool {
	return r.keyed() && !slices.ContainsFunc(r.Inject, func(i Inject) bool { return i.Choose != byKeyOf })
}

// session is the member of a value that names the server's session, "" if there is none.
func (r *Rule) session() string {
	if len(r.Capture.Key) > 0 && r.Capture.Key[0].Kind == InsideOf {
		return string(r.Capture.Key[0].Path)
	}
	return ""
}

// keeps is how many values of a chain are kept. An alias may stand for any that the model was shown.
func (r *Rule) keeps() int {
	if r.Alias {
		return 4 * maxValues
	}
	return maxValues
}

// arguments are those in which a call may carry a value, and those that make one unnecessary.
func (r *Rule) arguments() (carrying []Path, instead []string) {
	for i := range r.Inject {
		if a := r.Inject[i].Argument; !slices.Contains(carrying, a) {
			carrying = append(carrying, a)
		}
		for _, name := range r.Inject[i].Unless {
			if !slices.Contains(instead, name) {
				instead = append(instead, name)
			}
		}
	}
	return carrying, instead
}

// Path names a member of a JSON object, "a.b" one of an object in it. A part that ends in "[]" is an
// array, all of its elements; "[]" alone, at the beginning, is what the path leads into.
type Path string

// Parts are the names from the outside in.
func (p Path) Parts() []string { return strings.Split(string(p), ".") }
