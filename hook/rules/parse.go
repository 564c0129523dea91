package rules

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"

	"wsi/hook/carry"
	"wsi/internal/lists"
)

// Parse parses a rule file; name is its name in errors. It finds all errors at once. If there is any, the set
// is empty: a typing error must not silently switch a rule off.
func Parse(name string, file []byte) (Set, Errors) {
	r := &reader{name: name, file: bytes.TrimPrefix(file, []byte("\ufeff"))}
	root, err := parse(r.file)
	if err != nil {
		r.broken(err)
		return Set{}, r.errs
	}
	r.only(root, "the file", "carry", "leave")
	var s Set
	for _, t := range r.tables(root, "leave", "[[leave]]") {
		s.Leave = append(s.Leave, r.leave(t)...)
	}
	for _, t := range r.tables(root, "carry", "[[carry]]") {
		rule := r.rule(t)
		if rule.Name != "" && slices.ContainsFunc(s.Rules, func(o Rule) bool { return o.Name == rule.Name }) {
			r.wrong(t.at, "another name", "there are two rules %q", rule.Name)
		}
		s.Rules = append(s.Rules, rule)
	}
	slices.SortStableFunc(r.errs, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if len(r.errs) > 0 {
		return Set{}, r.errs
	}
	return s, nil
}

func (r *reader) leave(t *node) []string {
	r.only(t, "[[leave]]", "tools")
	r.need(t, "tools", `tools = ["mcp__SERVER__TOOL"]`, "this [[leave]] names no tools")
	var out []string
	for _, w := range r.words(t, "tools") {
		out = append(out, w.text)
		if strings.Contains(w.text, "*") {
			r.wrong(w.at, "each tool by its name, or switch a rule off with enabled = false", "%q is not the name of a tool", w.text)
		}
	}
	return out
}

func (r *reader) rule(t *node) Rule {
	r.only(t, "[[carry]]", "name", "enabled", "servers", "tools", "shape", "secret", "scope", "capture", "inside", "flow", "inject", "repair", "collect", "show")
	line, _ := position(r.file, t.at)
	out := Rule{Origin: Origin{File: r.name, Line: line}}
	out.Name, _ = r.text(t, "name")
	r.need(t, "name", `name = "..."`, "this rule has no name")
	out.Off = !r.flag(t, "enabled", true)
	out.Servers = r.list(t, "servers")
	if t.get("servers") == nil && !refers(t) {
		r.wrong(t.at, `servers = ["..."], the names under which the server is registered`, "the rule names no servers")
	}
	if slices.Contains(out.Servers, "*") {
		r.wrong(t.get("servers").at, "the names of the servers", "a rule must name its servers, because wsi never gives a value of one server to another")
	}
	out.Tools = r.list(t, "tools")
	out.Shape = r.shape(t)
	out.Secret = r.flag(t, "secret", true)
	out.Scope = r.choice(t, "scope", "agent", "session", "user")
	out.Inside = r.inside(t)
	out.Capture = r.capture(t)
	out.Flow = r.flow(t)
	out.Inject = lists.Map(r.tables(t, "inject", "[[carry.inject]]"), r.inject)
	out.Repair = lists.Map(r.tables(t, "repair", "[[carry.repair]]"), r.repair)
	out.Collect = r.collect(t)
	out.Show = r.show(t)
	r.agrees(t, out)
	r.agreesOnMeta(t, out)
	return out
}

// refers reports whether a table only switches the rule of its name on or off.
func refers(t *node) bool {
	return len(t.members) > 1 && !slices.ContainsFunc(t.members, func(m member) bool {
		return m.name != "name" && m.name != "enabled"
	})
}

func (r *reader) shape(t *node) carry.Pattern {
	s, at := r.text(t, "shape")
	if s == "" {
		return ""
	}
	if _, err := regexp.Compile(s); err != nil {
		r.wrong(at, "a regular expression of Go (RE2: no lookahead, no back references)", "the shape is not a valid pattern: %s", patternFault(err))
		return ""
	}
	if _, ok := carry.Whole(s); !ok {
		r.wrong(at, "'^(?:"+s+")$'", "the shape must fit the whole value")
	}
	return carry.Pattern(s)
}

func patternFault(err error) string { return strings.TrimPrefix(err.Error(), "error parsing regexp: ") }

func (r *reader) inside(t *node) carry.Reading {
	in := r.table(t, "inside", "decode", "order", "child_of")
	if in == nil {
		return carry.Reading{}
	}
	r.need(in, "decode", `decode = "base64url-json.sig"`, "decode is missing")
	out := carry.Reading{Decode: r.choice(in, "decode", "base64url-json.sig")}
	out.Order, _ = r.text(in, "order")
	out.ChildOf, _ = r.text(in, "child_of")
	return out
}

func (r *reader) capture(t *node) carry.Capture {
	c := r.table(t, "capture", "from", "tools", "key", "each", "errors")
	if c == nil {
		return carry.Capture{}
	}
	r.need(c, "from", `from = ["meta:NAME", "json:NAME"]`, "a capture without from captures nothing")
	return carry.Capture{
		Tools: r.tools(c, true), Each: r.flag(c, "each", false), Errors: r.flag(c, "errors", false),
		From: r.sources(c, "from", carry.Meta, carry.Structured, carry.JSON, carry.Text),
		Key:  r.sources(c, "key", carry.InsideOf, carry.Meta, carry.Structured, carry.JSON, carry.Self),
	}
}

func (r *reader) flow(t *node) carry.Flow {
	f := r.table(t, "flow", "opens", "parent", "changes", "keeps", "lost")
	if f == nil {
		return carry.Flow{}
	}
	out := carry.Flow{Opens: r.list(f, "opens"), Changes: r.list(f, "changes"), Keeps: r.list(f, "keeps")}
	out.Parent, _ = r.text(f, "parent")
	out.Lost = r.sources(f, "lost", carry.Meta, carry.Structured, carry.JSON, carry.Text)
	return out
}

// tools returns the tools of a table; "*" if it has none and all is set.
func (r *reader) tools(t *node, all bool) carry.Tools {
	tools := r.list(t, "tools")
	star := slices.Contains(tools, "*")
	switch {
	case star && len(tools) > 1:
		r.wrong(t.get("tools").at, `tools = ["*"], or the names alone`, `"*" is all tools, so the other names have no effect`)
	case star && !all:
		r.wrong(t.get("tools").at, "the names of the tools that take the argument", `"*" would put the argument into calls of tools that refuse it`)
	case t.get("tools") == nil && !all:
		r.wrong(t.at, `tools = ["..."]`, "the tools are missing")
	case t.get("tools") == nil:
		return carry.Tools{"*"}
	}
	return tools
}

func (r *reader) sources(t *node, name string, kinds ...carry.Kind) []carry.Source {
	return lists.Map(r.words(t, name), func(w word) carry.Source { return r.source(w, name, kinds...) })
}

func (r *reader) source(w word, name string, kinds ...carry.Kind) carry.Source {
	kind, rest, _ := strings.Cut(w.text, ":")
	if !slices.Contains(kinds, carry.Kind(kind)) {
		may := lists.Map(kinds, func(k carry.Kind) string {
			return map[bool]string{true: string(k), false: string(k) + ":..."}[k == carry.Self]
		})
		r.wrong(w.at, oneOf(may), "%s = %q is not a valid source", name, w.text)
		return carry.Source{}
	}
	s := carry.Source{Kind: carry.Kind(kind)}
	switch s.Kind {
	case carry.Self:
		if w.text != string(carry.Self) {
			r.wrong(w.at, "self", "self is the value itself: nothing can follow it")
		}
	case carry.Text:
		switch re, err := regexp.Compile(rest); {
		case err != nil:
			r.wrong(w.at, "a regular expression of Go (RE2: no lookahead, no back references)", "the text is not a valid pattern: %s", patternFault(err))
		case re.NumSubexp() != 1:
			r.wrong(w.at, `one group for the value, and (?:...) for others`, "the pattern has %d groups and must have one", re.NumSubexp())
		default:
			s.Pattern = carry.Pattern(rest)
		}
	default:
		s.Path = r.path(word{rest, w.at}, s.Kind)
	}
	return s
}

// path parses a path in a source of this kind, "" for an argument's path. Only the text of a block may itself be an array.
func (r *reader) path(w word, in carry.Kind) carry.Path {
	p := carry.Path(w.text)
	arrays := in != "" && in != carry.InsideOf
	for i, part := range p.Parts() {
		if i == 0 && part == "[]" && in == carry.JSON {
			continue
		}
		name := strings.TrimSuffix(part, "[]")
		if name == "" || strings.ContainsAny(name, "[]") || name != part && !arrays {
			r.wrong(w.at, "names with dots between them, such as a.b", "%q is not a valid path", w.text)
			break
		}
	}
	return p
}
