package carry

import (
	"slices"
	"strings"
)

// Rule says which value of a server is carried where. Choices are strings as in a rule file (docs/rules.md),
// with the defaults filled in. Package rules decodes the file into it: a tag says the choices of a text, the default first, and of which
// kinds a source may be.
type Rule struct {
	Server  string `toml:"-"` // the owner of the chains that the rule works on; set by the caller for each call
	Name    string
	Tools   Tools   // all known tools of the server, for harnesses that name a tool without its server
	Shape   Pattern // a value that does not match is neither stored nor injected
	Secret  bool    // the relay removes it from _meta, because harnesses store that
	Scope   string  `one:"agent session user"`
	Capture Capture
	Inside  Reading
	Flow    Flow
	Inject  []Inject
	Repair  []RepairRule
	Collect Collect
	Show    []Source `from:"meta"` // members of a result's _meta that the model gets to read: most harnesses show it only the content
}

// Capture says where a value is found in a result.
type Capture struct {
	From  []Source `from:"meta structured json text"` // tried in this order
	Tools Tools
	Key   []Source `from:"inside meta structured json self"` // the name of the chain; empty if all values are of one chain
	Each  bool     // a path may match several values: all are stored, none is the newest
}

// Reading says what a value's payload has next to the name of its chain.
type Reading struct {
	Order   string // member that orders the values of a chain
	ChildOf string `toml:"child_of"` // member that names the parent's chain
}

// Flow says what the server's tools do with a value.
type Flow struct {
	Opens   Tools    // their results start a new chain, and they are never injected; default: tools that return a value and take none
	Parent  string   // argument of an opening call that makes the new chain a child
	Changes Tools    // they change the server's session, so their value must not be skipped
	Keeps   Tools    // after them the previous value is equivalent to the one they return
	Lost    []Source `from:"meta structured json text"` // members that are true if the server rejected the value of an opening call and started a new session
}

// Inject says into which argument a value is injected.
type Inject struct {
	Tools     Tools
	Except    Tools
	Argument  Path
	Choose    string   // ChooseOnly | ChooseAlone | ChooseKey
	Key       Path     `toml:"-"` // choose = "key:ARG": the argument that names the chain
	Unless    []string // arguments that replace it
	Otherwise string   `one:"leave tell deny"`
}

// RepairRule says which arguments are repaired.
type RepairRule struct {
	Tools     Tools
	Arguments []Path
}

// Tools is a list of tools by the server's own names; "*" is all of them.
type Tools []string

// Has reports whether the list has a tool.
func (t Tools) Has(tool string) bool {
	return slices.ContainsFunc(t, func(name string) bool { return name == "*" || Same(name, tool) })
}

// Same reports whether two names are equal once every character outside [A-Za-z0-9] is replaced by "_".
// Claude Code, Codex and OpenCode write names in such ways (2026-11).
func Same(a, b string) bool { return normalized(a) == normalized(b) }

func normalized(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, name)
}

// Kind is the kind of a Source.
type Kind string

// The kinds of sources. Self is the value itself, InsideOf a member of its payload.
const (
	Meta       Kind = "meta"
	Structured Kind = "structured"
	JSON       Kind = "json"
	Text       Kind = "text"
	InsideOf   Kind = "inside"
	Self       Kind = "self"
)

// Source says where to read a value or the name of a chain.
type Source struct {
	Kind    Kind    `toml:"-"`
	Path    Path    `toml:"-"` // for meta, structured, json and inside
	Pattern Pattern `toml:"-"` // for text, with one group
}

// UnmarshalText reads a source as written in a rule file.
func (s *Source) UnmarshalText(text []byte) error {
	kind, rest, _ := strings.Cut(string(text), ":")
	if *s = (Source{Kind: Kind(kind), Path: Path(rest)}); s.Kind == Text {
		s.Path, s.Pattern = "", Pattern(rest)
	}
	return nil
}

// String returns the source as written in a rule file.
func (s Source) String() string {
	switch {
	case s.Kind == Self && s.Path == "":
		return string(Self)
	case s.Kind == Text:
		return string(Text) + ":" + string(s.Pattern)
	}
	return string(s.Kind) + ":" + string(s.Path)
}

// The choices that the engine distinguishes.
const (
	ScopeUser   = "user"
	ScopeAgent  = "agent"
	tell        = "tell"
	deny        = "deny"
	ChooseKey   = "key"
	ChooseOnly  = "only"
	ChooseAlone = "alone"
)

func (r *Rule) injectionFor(tool string) *Inject {
	if r.Flow.Opens.Has(tool) {
		return nil
	}
	return first(r.Inject, func(in *Inject) bool { return r.includes(in.Tools, tool) && !in.Except.Has(tool) })
}

// Takes returns the argument of the tool into which the rule injects a value, "" if there is none.
func (r *Rule) Takes(tool string) (argument string) {
	if in := r.injectionFor(tool); in != nil {
		return string(in.Argument)
	}
	return ""
}

func (r *Rule) opens(tool string) bool {
	if len(r.Flow.Opens) > 0 {
		return r.Flow.Opens.Has(tool)
	}
	return r.capturesFrom(tool) && r.injectionFor(tool) == nil
}

func (r *Rule) capturesFrom(tool string) bool {
	return len(r.Capture.From) > 0 && r.includes(r.Capture.Tools, tool)
}

// includes reports whether a list of the rule has the tool. If the rule names the server's tools, "*" means only
// these.
func (r *Rule) includes(list Tools, tool string) bool {
	return list.Has(tool) && (len(r.Tools) == 0 || !slices.Contains(list, "*") || r.Tools.Has(tool))
}

// decodes reports whether a value of the rule has a payload and a signature: its payload names its chain.
func (r *Rule) decodes() bool { return r.session() != "" }

// Knows reports whether the rule names the tool.
func (r *Rule) Knows(tool string) bool {
	named := func(t Tools) bool { return len(t) > 0 && t[0] != "*" && t.Has(tool) }
	if len(r.Tools) > 0 {
		return named(r.Tools)
	}
	return named(r.Capture.Tools) || named(r.Flow.Opens) || named(r.Flow.Changes) || named(r.Flow.Keeps) ||
		named(r.Collect.Tools) || named(r.Collect.Into) ||
		slices.ContainsFunc(r.Inject, func(i Inject) bool { return named(i.Tools) || named(i.Except) }) ||
		slices.ContainsFunc(r.Repair, func(p RepairRule) bool { return named(p.Tools) })
}

// Admit returns a server's rules with a tool that none of them names among the tools of those that inject into all, if
// it takes their argument: the call has it, or requires says that the tool's schema requires it. An argument that a
// schema allows may be left out on purpose. requires is called only if needed; nil: no schema is known. admitted reports
// whether a rule has taken the tool; if not, the rules are those that were passed.
func Admit(all []Rule, tool string, args []byte, requires func(argument string) bool) (with []Rule, admitted bool) {
	if slices.ContainsFunc(all, func(r Rule) bool { return r.Knows(tool) }) {
		return all, false
	}
	for i := range all {
		if !all[i].admits(tool, args, requires) {
			continue
		}
		if !admitted {
			all, admitted = slices.Clone(all), true
		}
		all[i].Tools = append(slices.Clip(all[i].Tools), tool)
	}
	return all, admitted
}

func (r *Rule) admits(tool string, args []byte, requires func(argument string) bool) bool {
	return len(r.Tools) > 0 && slices.ContainsFunc(r.Inject, func(in Inject) bool {
		return slices.Contains(in.Tools, "*") && !in.Except.Has(tool) &&
			(in.Argument.in(args) != nil || requires != nil && requires(string(in.Argument)))
	})
}

// Concerns reports whether a call of the tool, or its result, may matter to the rule.
func (r *Rule) Concerns(tool string) bool {
	inMeta := func(s Source) bool { return s.Kind == Meta }
	return r.Secret && slices.ContainsFunc(r.Capture.From, inMeta) || // which must not stay in the _meta of any result
		r.Collects(tool) || r.Gathers(tool) || len(r.Show) > 0 || r.capturesFrom(tool) || r.opens(tool) || r.injectionFor(tool) != nil || r.repairs(tool)
}

// isKeyed reports whether a chain has a key that is not a member of the value's payload.
func (r *Rule) isKeyed() bool {
	return len(r.Capture.Key) > 0 && r.Capture.Key[0].Kind != InsideOf
}

// isNamedByValue reports whether a chain is named by its only value. If the server accepts such a value and repeats it,
// that is the name of a session, seen before or not. It proves nothing for a rule with Capture.Each, which is for
// servers that may accept and repeat a damaged one.
func (r *Rule) isNamedByValue() bool {
	return len(r.Capture.Key) == 1 && r.Capture.Key[0].Kind == Self && !r.Capture.Each
}

// OnlyByKey reports whether the rule injects a value only into calls that name its chain.
func (r *Rule) OnlyByKey() bool {
	return r.isKeyed() && !slices.ContainsFunc(r.Inject, func(i Inject) bool { return i.Choose != ChooseKey })
}

// session returns the member of the payload that names the server's session, "" if there is none.
func (r *Rule) session() string {
	if len(r.Capture.Key) > 0 && r.Capture.Key[0].Kind == InsideOf {
		return string(r.Capture.Key[0].Path)
	}
	return ""
}

// Path names a member of a JSON object; "a.b" is member b of member a. A part that ends in "[]" is an array
// and means all of its elements. "[]" as the first part means that the document is an array.
type Path string

// Parts returns the names, the outermost first.
func (p Path) Parts() []string { return strings.Split(string(p), ".") }
