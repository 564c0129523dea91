package ruletest

import (
	"encoding/hex"
	"slices"
	"strings"

	"wsi/hook/carry"
)

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
