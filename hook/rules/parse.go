package rules

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"wsi/hook/carry"
	"wsi/internal/plainfile"
)

// document is a rule file. The tags of its types say which choices a text has and of which kinds a source may be.
type document struct {
	Carry []table
	Leave []struct{ Tools []string }
}

// table is a [[carry]] table.
type table struct {
	carry.Rule
	Servers []string
	Enabled *bool
	Secret  *bool // instead of the rule's, because it is true if it is missing
}

// reader reads a rule file and collects its errors.
type reader struct {
	name string
	errs Errors
}

func (r *reader) wrong(path, write, format string, args ...any) {
	r.add(Error{Path: path, What: fmt.Sprintf(format, args...), Write: write})
}

func (r *reader) add(e Error) {
	if e.File = r.name; len(r.errs) < maxErrors {
		r.errs = append(r.errs, &e)
	}
}

func (r *reader) need(ok bool, path, write, missing string) {
	if !ok {
		r.wrong(path, write, "%s", missing)
	}
}

// Parse parses a rule file; name is its name in errors. It finds all errors at once, but for a value of a wrong type. If there is any,
// the set is empty: a typing error must not silently switch a rule off.
func Parse(name string, file []byte) (Set, Errors) {
	r := &reader{name: name}
	var doc document
	if !r.decode(bytes.TrimPrefix(file, []byte("\ufeff")), &doc) {
		return Set{}, r.errs
	}
	var s Set
	for i, l := range doc.Leave {
		at := item("leave", i, "")
		r.check(reflect.ValueOf(&doc.Leave[i]).Elem(), at, "")
		r.need(l.Tools != nil, at, `tools = ["mcp__SERVER__TOOL"]`, "this [[leave]] names no tools")
		for _, tool := range l.Tools {
			if strings.Contains(tool, "*") {
				r.wrong(member(at, "tools"), "each tool by its name, or switch a rule off with enabled = false", "%q is not the name of a tool", tool)
			}
		}
		s.Leave = append(s.Leave, l.Tools...)
	}
	for i := range doc.Carry {
		at := item("carry", i, doc.Carry[i].Name)
		rule := r.rule(&doc.Carry[i], at)
		rule.Origin = Origin{File: name, Number: i + 1}
		if rule.Name != "" && slices.ContainsFunc(s.Rules, func(o Rule) bool { return o.Name == rule.Name }) {
			r.wrong(at, "another name", "there are two rules %q", rule.Name)
		}
		s.Rules = append(s.Rules, rule)
	}
	if len(r.errs) > 0 {
		return Set{}, r.errs
	}
	return s, nil
}

func (r *reader) rule(t *table, at string) Rule {
	switches := t.switches()
	r.check(reflect.ValueOf(t).Elem(), at, "")
	out := Rule{Rule: t.Rule, Off: t.Enabled != nil && !*t.Enabled, Servers: t.Servers}
	out.Secret = t.Secret == nil || *t.Secret
	r.need(out.Name != "", at, `name = "..."`, "this rule has no name")
	r.need(out.Servers != nil || switches, at, `servers = ["..."], the names under which the server is registered`, "the rule names no servers")
	if slices.Contains(out.Servers, "*") {
		r.wrong(member(at, "servers"), "the names of the servers", "a rule must name its servers, because wsi never gives a value of one server to another")
	}
	if given(out.Capture) {
		r.need(out.Capture.From != nil, member(at, "capture"), `from = ["meta:NAME", "json:NAME"]`, "a capture without from captures nothing")
		r.tools(&out.Capture.Tools, member(at, "capture"), true)
	}
	for i := range out.Inject {
		r.inject(&out.Inject[i], item(member(at, "inject"), i, ""), out.Capture)
	}
	for i := range out.Repair {
		at := item(member(at, "repair"), i, "")
		r.need(out.Repair[i].Arguments != nil, at, `arguments = ["..."]`, "the arguments to repair are missing")
		r.tools(&out.Repair[i].Tools, at, true)
	}
	if given(out.Collect) {
		r.collect(&out.Collect, member(at, "collect"), out.Scope)
	}
	for _, shown := range out.Show {
		if strings.Contains(string(shown.Path), "[]") {
			r.wrong(member(at, "show"), "the name of the whole list", "%q is a part of a list", shown)
		}
	}
	for _, shown := range exposed(out.Show, &out.Rule) {
		r.wrong(member(at, "show"), otherMembers, "the model must not read %s, because the rule captures or collects it", shown)
	}
	if given(out.Inside) && !slices.ContainsFunc(out.Capture.Key, func(s carry.Source) bool { return s.Kind == carry.InsideOf }) {
		r.wrong(member(at, "inside"), `[carry.capture] with key = ["inside:NAME"]`, "this table has no effect without a key that is inside the value")
	}
	switch captures := given(out.Capture); {
	case !captures && len(out.Inject)+len(out.Repair) > 0:
		r.wrong(at, `[carry.capture] with from = ["..."]`, "the rule injects or repairs, but it captures nothing")
	case !captures && !given(out.Collect) && out.Show == nil && !switches && !out.Off && out.Servers != nil:
		r.wrong(at, `show = ["meta:..."], [carry.capture] or [carry.collect]; to switch a built-in rule on or off, write only name = "..." and enabled = ...`, "the rule does nothing")
	}
	return out
}

// switches reports whether a table only switches the rule of its name on or off.
func (t *table) switches() bool {
	rule := t.Rule
	rule.Name = ""
	return t.Enabled != nil && t.Servers == nil && t.Secret == nil && reflect.ValueOf(rule).IsZero()
}

// tools looks at the tools of a table. Without any they are all, if all is set.
func (r *reader) tools(tools *carry.Tools, at string, all bool) {
	star := slices.Contains(*tools, "*")
	switch {
	case star && len(*tools) > 1:
		r.wrong(member(at, "tools"), `tools = ["*"], or the names alone`, `"*" is all tools, so the other names have no effect`)
	case star && !all:
		r.wrong(member(at, "tools"), "the names of the tools that take the argument", `"*" would put the argument into calls of tools that refuse it`)
	case *tools == nil && !all:
		r.wrong(at, `tools = ["..."]`, "the tools are missing")
	case *tools == nil:
		*tools = carry.Tools{"*"}
	}
}

func (r *reader) inject(in *carry.Inject, at string, from carry.Capture) {
	r.tools(&in.Tools, at, in.Except != nil)
	r.need(in.Argument != "", at, `argument = "..."`, "the argument that takes the value is missing")
	if slices.Contains(in.Unless, string(in.Argument)) {
		r.wrong(member(at, "unless"), "other arguments", "%q is the argument itself", in.Argument)
	}
	choose, key, keyed := strings.Cut(in.Choose, ":")
	switch {
	case choose == carry.ChooseKey && key != "":
		in.Choose, in.Key = choose, carry.Path(key)
		r.path(key, member(at, "choose"), "")
		r.need(len(from.Key) > 0, at, `[carry.capture] with key = ["json:..."]`, fmt.Sprintf("%q has no effect, because the capture has no key", in.Choose+":"+key))
	case in.Choose == "":
		in.Choose = carry.ChooseOnly
	case keyed, choose != carry.ChooseOnly && choose != carry.ChooseAlone:
		r.wrong(member(at, "choose"), `"only", "alone" or "key:ARGUMENT"`, "%q is not valid", in.Choose)
	}
}

func (r *reader) collect(c *carry.Collect, at, scope string) {
	r.need(c.From != nil, at, `from = ["meta:NAME"]`, "a collect without from collects nothing")
	r.need(c.Into != nil, at, `into = ["..."]`, "the tools that take the values are missing")
	r.need(c.Argument != "", at, `argument = "..."`, "the argument that takes the values is missing")
	r.tools(&c.Tools, at, true)
	if slices.Contains(c.Into, "*") {
		r.wrong(member(at, "into"), "the names of the tools that take the values", `"*" would put the values into calls of tools that refuse them`)
	}
	switch keyed := len(c.Key) > 0; {
	case keyed:
		r.need(c.By != nil, at, `by = ["..."] with the arguments that have the key`, "the collect has a key but no by")
	case c.By != nil:
		r.wrong(member(at, "by"), `key = ["inside:NAME"] or key = ["meta:NAME"], or delete "by"`, `"by" has no effect without "key"`)
	case scope == carry.ScopeUser:
		r.wrong(at, `key = ["..."], or scope = "session"`, "without a key the values of all sessions would be one collection")
	}
}

const otherMembers = "other members"

// exposed returns what a rule shows of what a rule of the same server captures or collects.
func exposed(show []carry.Source, taker *carry.Rule) (all []carry.Source) {
	for _, shown := range show {
		for _, taken := range slices.Concat(taker.Capture.From, taker.Collect.From) {
			a, b := string(shown.Path), string(taken.Path) // one may lead to a part of the other
			if taken.Kind == carry.Meta && (a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")) {
				all = append(all, shown)
			}
		}
	}
	return all
}

// given reports whether a table is in the file, and not empty.
func given(table any) bool { return !reflect.ValueOf(table).IsZero() }

const (
	maxErrors = 100

	// maxFile bounds a rule file, so that a huge one cannot block the hook: the strict decoder takes half a second for 16 KiB of
	// unknown keys. Ten long rules are 12 KiB.
	maxFile = 16 << 10
)

// decode reports whether the file has only values of the right types. It reports unknown keys, but they can be ignored.
func (r *reader) decode(file []byte, doc *document) bool {
	if len(file) > maxFile {
		r.wrong("", "", "this file cannot be read: %v", plainfile.TooLargeError{Size: int64(len(file)), Most: maxFile})
		return false
	}
	err := toml.NewDecoder(bytes.NewReader(file)).DisallowUnknownFields().Decode(doc)
	if unknown, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		for i := range unknown.Errors {
			r.wrongAt(&unknown.Errors[i], "a key that docs/rules.md lists", "unknown key "+strconv.Quote(strings.Join(unknown.Errors[i].Key(), ".")))
		}
		return true
	}
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		what, write := strings.TrimPrefix(at.Error(), "toml: "), "name = value, each name once, with strings in quotes and lists in [ ]"
		if toml.Unmarshal(file, new(map[string]any)) == nil { // it is TOML
			what, write = strconv.Quote(strings.Join(at.Key(), "."))+" has a value of a wrong type", "it as docs/rules.md does"
		}
		r.wrongAt(at, write, what)
	} else if err != nil {
		r.wrong("", "", "this file cannot be read: %v", err)
	}
	return err == nil
}

func (r *reader) wrongAt(at *toml.DecodeError, write, what string) {
	line, column := at.Position()
	r.add(Error{Line: line, Column: column, What: what, Write: write})
}
