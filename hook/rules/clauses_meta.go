package rules

import (
	"slices"
	"strings"

	"wsi/hook/carry"
)

func (r *reader) collect(t *node) carry.Collect {
	c := r.table(t, "collect", "from", "key", "tools", "into", "argument", "by")
	if c == nil {
		return carry.Collect{}
	}
	out := carry.Collect{
		Tools: r.tools(c, true), Into: r.list(c, "into"),
		From: r.sources(c, "from", carry.Meta, carry.Structured, carry.JSON, carry.Text),
		Key:  r.sources(c, "key", carry.InsideOf, carry.Meta, carry.Structured, carry.JSON),
	}
	r.need(c, "from", `from = ["meta:NAME"]`, "a collect without from collects nothing")
	r.need(c, "into", `into = ["..."]`, "the tools that take the values are missing")
	if slices.Contains(out.Into, "*") {
		r.wrong(c.get("into").at, "the names of the tools that take the values", `"*" would put them into calls of tools that refuse them`)
	}
	out.Argument = r.argument(c, "argument")
	r.need(c, "argument", `argument = "..."`, "the argument that takes the values is missing")
	switch {
	case len(out.Key) > 0:
		out.By = r.argument(c, "by")
		r.need(c, "by", `by = "...", the argument of the tools in into that has the same value as key`, "nothing says which values a call takes")
	case c.get("by") != nil:
		r.wrong(c.get("by").at, `key = ["inside:NAME"] or ["meta:NAME"], or no by`, "by has no effect without a key")
	}
	return out
}

// defaultMax is how many bytes of a member of _meta the model reads, unless a rule says otherwise.
const defaultMax = 2000

func (r *reader) show(t *node) carry.Show {
	s := r.table(t, "show", "from", "when", "tools", "max")
	if s == nil {
		return carry.Show{}
	}
	out := carry.Show{When: r.choice(s, "when", "notable", "always"), Tools: r.tools(s, true), Max: defaultMax}
	for _, w := range r.words(s, "from") {
		out.From = append(out.From, r.source(w, "from", carry.Meta))
		if strings.Contains(w.text, "[]") {
			r.wrong(w.at, "the name of the list, which is shown whole", "%q is a part of a list", w.text)
		}
	}
	r.need(s, "from", `from = ["meta:NAME"]`, "a show without from shows nothing")
	if v := r.take(s, "max", aNumber); v != nil {
		out.Max = r.within(v, "max", 100, 20000)
	}
	return out
}

func (r *reader) agreesOnMeta(t *node, rule Rule) {
	if c := t.get("collect"); c != nil && c.kind == aTable {
		if rule.Scope == carry.ScopeUser && len(rule.Collect.Key) == 0 {
			r.wrong(c.at, `key = ["..."], or scope = "session"`, "without a key the values of all sessions would be one collection")
		}
		if slices.ContainsFunc(rule.Collect.Key, func(k carry.Source) bool { return k.Kind == carry.InsideOf }) && t.get("inside") == nil {
			r.wrong(c.at, `[carry.inside] with decode = "base64url-json.sig"`, "the key cannot be seen without decode")
		}
	}
	if s := t.get("show"); s != nil && s.kind == aTable {
		for _, shown := range exposed(rule.Show, &rule.Rule) {
			r.wrong(s.at, otherMembers, "%s is what the rule captures or collects, which the model must not read", shown)
		}
	}
}

const otherMembers = "other members"

// exposed returns what a rule shows of what a rule of the same server captures or collects.
func exposed(show carry.Show, taker *carry.Rule) (all []carry.Source) {
	for _, shown := range show.From {
		for _, taken := range slices.Concat(taker.Capture.From, taker.Collect.From) {
			if taken.Kind == carry.Meta && overlap(string(shown.Path), string(taken.Path)) {
				all = append(all, shown)
			}
		}
	}
	return all
}

// overlap reports whether one path leads to the other's value or to a part of it.
func overlap(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
}
