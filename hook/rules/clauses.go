package rules

import (
	"slices"
	"strings"

	"wsi/hook/carry"
	"wsi/internal/lists"
)

func (r *reader) inject(t *node) carry.Inject {
	r.only(t, "[[carry.inject]]", "tools", "except", "argument", "create", "when", "choose", "unless", "otherwise")
	out := carry.Inject{
		Tools:     r.tools(t, t.get("except") != nil),
		Except:    r.list(t, "except"),
		Create:    r.flag(t, "create", false),
		When:      r.choice(t, "when", "placeholder", "missing", "never"),
		Unless:    r.list(t, "unless"),
		Otherwise: r.choice(t, "otherwise", "leave", "tell", "deny"),
	}
	out.Argument = r.argument(t, "argument")
	r.need(t, "argument", `argument = "..."`, "the argument that takes the value is missing")
	argument := string(out.Argument)
	if slices.Contains(out.Unless, argument) {
		r.wrong(t.get("unless").at, "other arguments; for the argument itself, use when", "%q is the argument itself", argument)
	}
	if out.Create && argument != "" && !strings.Contains(argument, ".") {
		r.wrong(t.get("create").at, "argument = \"parent."+argument+"\", or no create", "%q has no parent to create", argument)
	}
	out.Choose, out.Key = r.choose(t)
	return out
}

func (r *reader) choose(t *node) (choose string, key carry.Path) {
	s, at := r.text(t, "choose")
	choose, named, keyed := strings.Cut(s, ":")
	switch {
	case s == "":
		return "only", ""
	case choose == "key" && named != "":
		return choose, r.path(word{named, at}, "")
	case keyed, !slices.Contains([]string{"only", "alone", "newest"}, choose):
		r.wrong(at, "only, alone, newest or key:ARGUMENT", "choose = %q is not valid", s)
		return "only", ""
	}
	return choose, ""
}

func (r *reader) repair(t *node) carry.RepairRule {
	r.only(t, "[[carry.repair]]", "tools", "arguments", "mode", "max", "margin")
	out := carry.RepairRule{Tools: r.tools(t, true), Mode: carry.By(r.choice(t, "mode", "off", "signed", "distance", "key"))}
	r.need(t, "mode", "mode = signed, distance, key or off, in quotes", "the mode is missing")
	r.need(t, "arguments", `arguments = ["..."]`, "the arguments to repair are missing")
	out.Arguments = lists.Map(r.words(t, "arguments"), func(w word) carry.Path { return r.path(w, "") })
	var limited, clear bool
	out.Max, limited = r.count(t, "max")
	out.Margin, clear = r.count(t, "margin")
	switch {
	case out.Mode == "distance" && !limited:
		r.wrong(t.at, "max = 2 (places that may differ) and margin = 12 (the next value must differ in 12 more)", "mode = \"distance\" needs a max")
	case out.Mode == "distance" && !clear:
		r.wrong(t.at, "margin = 12: the next value must differ in 12 more places", "mode = \"distance\" needs a margin")
	case out.Mode == "distance" && out.Margin <= out.Max:
		r.wrong(t.get("margin").at, "a margin larger than max", "two stored values could be equally near")
	case out.Mode != "distance" && t.get("mode") != nil && (limited || clear):
		r.wrong(t.get("mode").at, `mode = "distance", or neither max nor margin`, "max and margin have no effect with mode = %q", out.Mode)
	}
	return out
}

func (r *reader) agrees(t *node, rule Rule) {
	if len(rule.Capture.From) == 0 && t.get("capture") == nil && len(rule.Inject)+len(rule.Repair) > 0 {
		r.wrong(t.at, `[carry.capture] with from = ["..."]`, "the rule injects or repairs, but it captures nothing")
	} else if t.get("capture") == nil && t.get("collect") == nil && t.get("show") == nil && !rule.Off && !refers(t) && t.get("servers") != nil {
		r.wrong(t.at, `[carry.capture], [carry.collect] or [carry.show] with from = ["..."], or no servers, to switch the built-in rule with that name`, "the rule does nothing")
	}
	decodes := t.get("inside") != nil
	for _, k := range rule.Capture.Key {
		if k.Kind == carry.InsideOf && !decodes {
			r.wrong(t.get("capture").at, `[carry.inside] with decode = "base64url-json.sig"`, "wsi cannot read the key %s without decode", k)
		}
	}
	for i, n := range t.tables("repair") {
		switch mode := rule.Repair[i].Mode; {
		case mode == "signed" && !decodes:
			r.wrong(n.at, `[carry.inside] with decode = "base64url-json.sig", or mode = "distance"`, `mode = "signed" cannot read a signature without decode`)
		case mode == "key" && !rule.keyed(rule.Repair[i].Arguments):
			r.wrong(n.at, `an inject with choose = "key:ARGUMENT" for each of its arguments`, `mode = "key" does not say which argument names the chain`)
		}
	}
	for i, n := range t.tables("inject") {
		if rule.Inject[i].Choose == "key" && len(rule.Capture.Key) == 0 {
			r.wrong(n.at, `[carry.capture] with key = ["json:..."]`, "%q cannot name a chain, because the capture has no key", rule.Inject[i].Key)
		}
		if rule.Inject[i].Choose == "newest" && rule.Capture.Each {
			r.wrong(n.at, `choose = "only", "alone" or "key:ARGUMENT"`, "with each = true there is no newest value")
		}
	}
}

// keyed reports whether for every argument an inject table names the chain.
func (r *Rule) keyed(arguments []carry.Path) bool {
	return !slices.ContainsFunc(arguments, func(p carry.Path) bool {
		return !slices.ContainsFunc(r.Inject, func(i carry.Inject) bool { return i.Argument == p && i.Choose == "key" })
	})
}

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
		r.wrong(c.get("into").at, "the names of the tools that take the values", `"*" would put the values into calls of tools that refuse them`)
	}
	out.Argument = r.argument(c, "argument")
	r.need(c, "argument", `argument = "..."`, "the argument that takes the values is missing")
	switch {
	case len(out.Key) > 0:
		for _, w := range r.words(c, "by") {
			out.By = append(out.By, r.path(w, ""))
		}
		r.need(c, "by", `by = ["..."], the arguments that have the key`, "nothing says which values a call takes")
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
			r.wrong(w.at, "the name of the whole list", "%q is a part of a list", w.text)
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
			r.wrong(c.at, `[carry.inside] with decode = "base64url-json.sig"`, "wsi cannot read the key without decode")
		}
	}
	if s := t.get("show"); s != nil && s.kind == aTable {
		for _, shown := range exposed(rule.Show, &rule.Rule) {
			r.wrong(s.at, otherMembers, "the model must not read %s, because the rule captures or collects it", shown)
		}
	}
}

const otherMembers = "other members"

// exposed returns what a rule shows of what a rule of the same server captures or collects.
func exposed(show carry.Show, taker *carry.Rule) (all []carry.Source) {
	for _, shown := range show.From {
		for _, taken := range slices.Concat(taker.Capture.From, taker.Collect.From) {
			a, b := string(shown.Path), string(taken.Path) // one may lead to a part of the other
			if taken.Kind == carry.Meta && (a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")) {
				all = append(all, shown)
			}
		}
	}
	return all
}
