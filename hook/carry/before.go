package carry

import (
	"bytes"
	"strings"

	"wsi/internal/rawjson"
)

// Before decides what becomes of a call. It does not change the state.
func Before(rule *Rule, state *State, call Call) Decision {
	if !rule.Takes(call.Tool) {
		return Decision{Did: Left, Why: "the tool takes no value", Final: true}
	}
	args, err := rawjson.Object(call.Args)
	if err != nil {
		return Decision{Did: Left, Why: "the arguments are no JSON object", Final: true}
	}
	for _, name := range append([]string{rule.Argument}, rule.Unless...) {
		if raw := args.Get(name); raw != nil && !placeholder(raw) {
			return Decision{Did: Left, Why: name + " is already there", Final: true}
		}
	}
	c, why := state.current(rule.Server, call.Agent)
	if c == nil {
		return Decision{Did: Left, Why: why}
	}
	return Decision{Did: Injected, Change: Change{
		Args:     put(call.Args, args, rule.Argument, c.Value),
		Argument: rule.Argument,
		Value:    c.Value,
	}}
}

// placeholder tells whether a raw argument stands for a value its writer did not have.
func placeholder(raw []byte) bool {
	if string(raw) == "null" {
		return true
	}
	s, ok := rawjson.Unquote(raw)
	return ok && placeholderText(s)
}

func placeholderText(s string) bool {
	s = strings.TrimSpace(s)
	switch strings.ToLower(s) {
	case "", "auto", "token", "session_token", "placeholder", "...", "…", "null", "none":
		return true
	}
	return strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") ||
		strings.HasPrefix(s, "{{") && strings.HasSuffix(s, "}}") ||
		strings.HasPrefix(s, "${") && strings.HasSuffix(s, "}")
}

// put returns the arguments with one of them set, all other bytes as they are. Every duplicate of
// the argument is set, so that it does not matter which of them a parser takes.
func put(doc []byte, args rawjson.Members, name, value string) []byte {
	quoted := rawjson.Quote(value)
	out := make([]byte, 0, len(doc)+len(quoted)+len(name)+8)
	done := 0
	for _, m := range args {
		if m.Is(name) {
			out = append(append(out, doc[done:m.Start]...), quoted...)
			done = m.End
		}
	}
	if done > 0 {
		return append(out, doc[done:]...)
	}
	end := bytes.LastIndexByte(doc, '}')
	if len(args) > 0 {
		end = args[len(args)-1].End
	}
	out = append(out, doc[:end]...)
	if len(args) > 0 {
		out = append(out, ',')
	}
	out = append(append(append(out, rawjson.Quote(name)...), ':'), quoted...)
	return append(out, doc[end:]...)
}
