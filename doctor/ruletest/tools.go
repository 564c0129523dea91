package ruletest

import (
	"encoding/hex"
	"slices"
	"strings"

	"wsi/hook/carry"
	"wsi/internal/lists"
)

// Tool returns a tool that a rule names, "" if it names none.
func Tool(r carry.Rule) string {
	m := maker{rule: &r}
	return m.first(r.Knows)
}

// first returns the first tool for which is reports true, or "".
func (m *maker) first(is func(name string) bool) string {
	name, _ := lists.Find(m.tools(), is)
	return name
}

// tools returns all tools that a rule names, starting with those that are likely to issue a value.
func (m *maker) tools() (names []string) {
	r := m.rule
	all := []carry.Tools{r.Flow.Opens, r.Capture.Tools, r.Tools, r.Show.Tools}
	for _, by := range r.Repair {
		all = append(all, by.Tools)
	}
	for _, in := range r.Inject {
		all = append(all, in.Except, in.Tools)
	}
	for _, list := range all {
		names = lists.AddUnique(names, list...)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "*" })
	if len(r.Tools) == 0 { // the server may have others
		names = append(names, "begin", "use")
	}
	return names
}

// among reports whether a list in the rule contains a tool; "*" means all tools that the rule names, if it names any.
func (m *maker) among(list carry.Tools, tool string) bool {
	return list.Has(tool) && (len(m.rule.Tools) == 0 || m.rule.Tools.Has(tool))
}

// findOpener returns a tool that issues a value, if possible one that takes none.
func (m *maker) findOpener() (tool string) {
	for _, name := range m.tools() {
		if !m.among(m.rule.Capture.Tools, name) {
			continue
		}
		if m.rule.Takes(name) == "" {
			return name
		}
		if tool == "" {
			tool = name
		}
	}
	return tool
}

func (m *maker) takes(in *carry.Inject) string {
	return m.first(func(name string) bool {
		return m.among(in.Tools, name) && m.rule.Takes(name) == string(in.Argument) && carry.HandsOff(name, string(in.Argument), nil) == ""
	})
}

// repairing returns a tool in the calls of which a value is repaired, or "".
func (m *maker) repairing(by *carry.RepairRule) string {
	if by.Mode != carry.ByKey && by.Mode != carry.BySignature && by.Mode != carry.ByDistance || len(by.Arguments) == 0 {
		return ""
	}
	return m.first(func(name string) bool {
		return m.among(by.Tools, name) && carry.HandsOff(name, string(by.Arguments[0]), nil) == ""
	})
}

// keyed returns how a rule fills in an argument of a tool by a key.
func (m *maker) keyed(tool string, argument carry.Path) *carry.Inject {
	for i := range m.rule.Inject {
		if in := &m.rule.Inject[i]; in.Choose == "key" && in.Argument == argument && m.among(in.Tools, tool) {
			return in
		}
	}
	return nil
}

// OfShow returns a case for what a rule shows the model: two calls with the same warnings in _meta. Without a step there
// is nothing to show. The first step gets a given number.
func OfShow(r carry.Rule, from int) (c Case, err error) {
	m := maker{rule: &r, n: from}
	tool := m.showing()
	if tool == "" {
		return c, nil
	}
	if len(r.Capture.From) > 0 {
		if m.opener = m.findOpener(); m.opener != "" {
			_, err = m.open(session1)
		}
	}
	meta := object{}
	for _, from := range r.Show.From {
		notice := "notice " + hex.EncodeToString(random(8))
		meta.put(from.Path+".status", "warning")
		meta.put(from.Path+".warnings[]", notice)
		c.Notices = append(c.Notices, notice)
	}
	result := object{"content": []any{object{"type": "text", "text": "done"}}, "_meta": meta}.raw()
	for range 2 {
		m.add(Step{What: "a warning in _meta", Session: session1, Tool: tool, Result: result}, object{}, nil)
	}
	c.Rule, c.Place, c.Steps = r.Name, carry.Meta, m.steps
	return c, err
}

// showing returns a tool with results of which members of _meta are shown, if possible one that takes a value, or "".
func (m *maker) showing() string {
	tools := slices.DeleteFunc(m.tools(), func(name string) bool { return !m.rule.Shows(name) || !m.among(m.rule.Show.Tools, name) })
	if len(tools) == 0 {
		return ""
	}
	return tools[max(0, slices.IndexFunc(tools, func(name string) bool { return m.rule.Takes(name) != "" }))]
}

// Told reports whether the model reads each notice once, as the server's words. read are the texts with the results, in
// the order of the calls.
func (c Case) Told(server string, read []string) bool {
	all := strings.Join(read, "\n")
	_, marked, _ := strings.Cut(all, server+" adds (from _meta):\n")
	return !slices.ContainsFunc(c.Notices, func(notice string) bool {
		return strings.Count(all, notice) != 1 || !strings.Contains(marked, notice)
	})
}
