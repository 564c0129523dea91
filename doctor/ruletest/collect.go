package ruletest

import (
	"slices"

	"wsi/hook/carry"
)

// collect adds results with values that a tool takes all together, and calls of that tool: each gets the values of its own
// session, in order.
func (m *maker) collect() error {
	c := &m.rule.Collect
	if len(c.From) == 0 || len(c.Into) == 0 || !m.rule.Gathers(c.Into[0]) {
		return nil
	}
	rule := *m.rule
	rule.Capture = carry.Capture{From: c.From, Key: c.Key, Tools: c.Tools}
	issuer := maker{rule: &rule, n: m.n}
	tool := issuer.findOpener()
	keys := map[string]string{session1: uuid(), session2: uuid()}
	values := map[string][]any{}
	for _, session := range []string{session1, session2, session1} {
		issuer.key = keys[session]
		h, err := issuer.newValue()
		if err != nil {
			return err
		}
		result, err := issuer.result(h)
		if err != nil {
			return err
		}
		values[session] = append(values[session], h.value)
		issuer.add(Step{What: "a value to be kept", Session: session, Tool: tool, Result: result, Value: h.value}, object{}, nil)
	}
	for _, session := range []string{session1, session2} {
		for _, typed := range []object{{}, listAt(c.Argument, []any{})} {
			if c.By != "" {
				typed.put(c.By, keys[session])
			}
			want := listAt(c.Argument, slices.Clone(values[session]))
			if c.By != "" {
				want.put(c.By, keys[session])
			}
			issuer.add(Step{What: "a call that takes all values of its session", Session: session, Tool: c.Into[0], All: true}, typed, want)
		}
	}
	m.steps, m.n = append(m.steps, issuer.steps...), issuer.n
	return nil
}

func listAt(path carry.Path, list []any) object {
	o := object{}
	parts := path.Parts()
	at := o
	for _, part := range parts[:len(parts)-1] {
		at = at.inner(part)
	}
	at[parts[len(parts)-1]] = list
	return o
}
