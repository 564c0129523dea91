// Package rules says which value of which server is carried where: the rule file, the built-in rules,
// how they are merged, and the compiled form in which a hook reads them quickly. It is pure but for
// Load: bytes in, rules out.
//
// It must not know harnesses, calls, results or what the engine does with a rule.
package rules

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Set is what is in force.
type Set struct {
	Rules  []Rule
	Leave  []string // names of tools, as harnesses have them, that wsi leaves alone whatever the rules say
	Single bool     // keying = "single": one value for all sessions, as the specification has it
}

// Rule says what is carried for some servers. Strings of choices are as in the rule file, with the
// default filled in.
type Rule struct {
	Name    string
	Off     bool     // enabled = false
	Servers []string // names as registered
	Shape   Pattern  // what does not match is neither kept nor injected
	Secret  bool     // never shown
	Scope   string   // agent | session | user
	Capture Capture
	Inside  Inside
	Inject  []Inject
	Repair  []Repair
	Alias   bool

	Origin Origin // not part of the compiled form
}

// Origin says where a rule was written; the zero Origin is a built-in rule read from its compiled form.
type Origin struct {
	File string
	Line int
}

// Capture says where a value is found in a result.
type Capture struct {
	From   []Source // tried in this order
	Tools  Tools
	Key    []Source // what names the chain; none: all values are of one chain
	Each   bool     // a path may hit several values: all are known, none is the newest
	Errors bool     // results that are errors count, too
}

// Inside says how to look into a value, for key and order only.
type Inside struct {
	Decode  string // "" | base64url-json.sig
	Order   string // member that orders the values of a chain
	ChildOf string // member that names the parent's chain
}

// Inject says into which argument a value is put.
type Inject struct {
	Tools     Tools
	Argument  Path
	Create    bool     // make parents that are missing
	When      string   // missing | placeholder | never
	Choose    string   // only | newest | key
	Key       string   // choose = "key:ARG": the argument that names the chain
	Unless    []string // arguments that make it unnecessary
	Otherwise string   // leave | tell | deny
}

// Repair says which arguments are replaced by the value they are nearly.
type Repair struct {
	Tools     Tools
	Arguments []Path
	Mode      string // signed | distance | key | off
	Max       int    // distance: in so many places a value may differ
	Margin    int    // distance: the next candidate is that much further away
}

// Tools is a list of tools by the server's own names; "*" is all of them.
type Tools []string

// Has tells whether a tool is one of them.
func (t Tools) Has(tool string) bool {
	return slices.ContainsFunc(t, func(name string) bool { return name == "*" || Same(name, tool) })
}

// Path names a member of a JSON object, "a.b" one of an object in it. A part that ends in "[]" is an
// array, all of its elements.
type Path string

// Parts are the names from the outside in.
func (p Path) Parts() []string { return strings.Split(string(p), ".") }

// Kind is what kind of place a Source names.
type Kind string

// The kinds of sources. Self is the value itself; Inside a member of what it decodes to.
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
		return string(Text) + ":" + s.Pattern.String()
	}
	return string(s.Kind) + ":" + string(s.Path)
}

// Pattern is a regular expression that is compiled when it is first needed: most runs of the hook need
// none. The zero Pattern matches everything.
type Pattern struct{ lazy *lazy }

type lazy struct {
	text string
	once sync.Once
	runs []run // instead of re, where they do
	re   *regexp.Regexp
}

// NewPattern returns the pattern of an expression, which package regexp is known to accept.
func NewPattern(text string) Pattern {
	if text == "" {
		return Pattern{}
	}
	return Pattern{&lazy{text: text}}
}

// String is the expression.
func (p Pattern) String() string {
	if p.lazy == nil {
		return ""
	}
	return p.lazy.text
}

// Equal tells whether two patterns are the same expression.
func (p Pattern) Equal(o Pattern) bool { return p.String() == o.String() }

func (l *lazy) compile() {
	l.once.Do(func() {
		var ok bool
		if l.runs, ok = runsOf(l.text); !ok {
			l.re = regexp.MustCompile(l.text)
		}
	})
}

// Matches tells whether a value is of this shape.
func (p Pattern) Matches(value string) bool {
	if p.lazy == nil {
		return true
	}
	if p.lazy.compile(); p.lazy.re == nil {
		return fits(p.lazy.runs, value)
	}
	return p.lazy.re.MatchString(value)
}

// Find returns what the pattern's group matches first.
func (p Pattern) Find(text string) (value string, ok bool) {
	if p.lazy == nil {
		return "", false
	}
	if p.lazy.compile(); p.lazy.re == nil {
		return "", false
	}
	m := p.lazy.re.FindStringSubmatch(text)
	if len(m) < 2 {
		return "", false
	}
	return m[1], true
}

// For returns the rules in force for a server, by the name it is registered with or the one a harness
// makes of it.
func (s *Set) For(server string) []*Rule {
	var out []*Rule
	for i := range s.Rules {
		r := &s.Rules[i]
		if !r.Off && slices.ContainsFunc(r.Servers, func(name string) bool { return Same(name, server) }) {
			out = append(out, r)
		}
	}
	return out
}

// Leaves tells whether a tool is to be left alone: by the name a harness calls it, or by its server's
// name and its own.
func (s *Set) Leaves(called, server, tool string) bool {
	return slices.ContainsFunc(s.Leave, func(name string) bool {
		return Same(name, called) || server != "" && Same(name, "mcp__"+server+"__"+tool)
	})
}

// Same tells whether two names are one after every character outside [A-Za-z0-9_-] became "_", with
// "-" and "_" equal. Claude Code, Codex and OpenCode write names in these ways (2026-11).
func Same(a, b string) bool {
	return slices.EqualFunc([]rune(a), []rune(b), func(x, y rune) bool { return plain(x) == plain(y) })
}

func plain(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return r
	}
	return '_'
}
