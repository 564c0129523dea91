package codex

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"

	"wsi/harnesses/setup"
	"wsi/internal/lists"
	"wsi/internal/rawjson"
)

var events = []string{
	"PreModelRequest", "PostModelRequest", "PreToolUse", "PermissionRequest", "PostToolUse", "PreCompact",
	"PostCompact", "SessionStart", "SessionEnd", "UserPromptSubmit", "SubagentStart", "SubagentStop", "Stop", "Interrupt",
}

// validate finds the errors for which Codex ignores a whole hooks.json, with only a warning at its start, or does not
// start with a config.toml (both tried with 0.169.0).
func validate(file setup.HookFile, content []byte) error {
	if file.Table != nil { // a plugin's manifest, of which only what is valid is listed
		return nil
	}
	effect, read := "codex ignores the whole file", parseJSON
	if file.Format == setup.TOML {
		effect, read = "codex does not start with this file", parse
	}
	root, err := read(content)
	bad := new(setup.InvalidConfigError)
	if err == nil {
		bad = inRoot(root, file.Format)
	} else if !errors.As(err, bad) {
		bad.Why = err.Error()
	}
	if bad != nil {
		bad.Fatal = file.Format == setup.TOML
		return bad.With(effect)
	}
	if place := unhashable(root); place != "" {
		return setup.InvalidConfigError{
			Effect: "codex starts no session with this file", Fatal: true, Place: place, Why: "the number is too large", Fix: "make it smaller",
		}
	}
	return nil
}

func parseJSON(content []byte) (map[string]any, error) {
	if bytes.HasPrefix(content, []byte("\ufeff")) {
		return nil, setup.InvalidConfigError{Why: "it begins with a byte order mark", Fix: "save it without one"}
	}
	d := json.NewDecoder(bytes.NewReader(content))
	d.UseNumber()
	var root map[string]any
	err := d.Decode(&root)
	if _, more := d.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = json.Unmarshal(content, &root)
	}
	if bad := inText(content); err == nil && bad != nil {
		return nil, *bad
	}
	return root, setup.ExplainJSON(content, err)
}

func inRoot(root map[string]any, format setup.Format) *setup.InvalidConfigError {
	if format != setup.TOML {
		for _, key := range slices.Sorted(maps.Keys(root)) { // the same one each time
			if key != "hooks" && key != "description" {
				return &setup.InvalidConfigError{Place: key, Why: fmt.Sprintf("unknown top-level key %q", key), Fix: "remove it"}
			}
		}
		if bad := optionalText("description").Check(root); bad != nil {
			return bad
		}
		if setup.Table(root, "hooks") == nil {
			return &setup.InvalidConfigError{Why: "no object \"hooks\"", Fix: `put the events into an object named "hooks"`}
		}
	}
	if profile, there := root["profile"]; there && format == setup.TOML {
		return &setup.InvalidConfigError{Place: "profile", Why: setup.Shown(profile) + " is no longer supported", Fix: "remove it; put the profile into a file NAME.config.toml, for codex --profile NAME"}
	}
	hooks := setup.Table(root, "hooks")
	accepted := groups()
	for _, event := range events {
		groups, there := hooks[event]
		list, ok := groups.([]any)
		if there && !ok {
			return setup.Wrong("hooks."+event, groups, "a list")
		}
		if bad := accepted.Check("hooks."+event, list); bad != nil {
			return bad
		}
	}
	return nil
}

// groups returns what Codex accepts under an event. Of the optional fields, only async and input must not be null.
func groups() setup.HookGroups {
	statusMessage, timeout := optionalText("statusMessage"), setup.Field{Name: "timeout", Want: aCount, Null: true}
	return setup.HookGroups{
		Name: "Codex", Matcher: optionalText("matcher"),
		Types: map[string]setup.HookType{
			"command": {Required: []string{"command"}, Optional: []setup.Field{
				optionalText("commandWindows"), optionalText("command_windows"), statusMessage, timeout,
				{Name: "additionalContextLimit", Want: aCount, Null: true},
				{Name: "async", Want: setup.AFlag},
			}},
			"mcp_tool": {Required: []string{"server", "tool"}, Optional: []setup.Field{
				statusMessage, timeout,
				{Name: "input", Want: setup.Want{Name: "an object without null", Is: func(v any) bool { return setup.Table(v) != nil && !hasNull(v) }}},
			}},
			"prompt": {},
			"agent":  {},
		},
	}
}

func hasNull(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		for _, one := range v {
			if hasNull(one) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, hasNull)
	}
	return false
}

func optionalText(name string) setup.Field {
	return setup.Field{Name: name, Want: setup.AString, Null: true}
}

// aCount is a u64 of Codex.
var aCount = setup.Want{Name: "a whole number from 0", Is: func(v any) bool {
	switch n := v.(type) {
	case int64:
		return n >= 0
	case json.Number:
		_, err := strconv.ParseUint(n.String(), 10, 64)
		return err == nil || n == "-0"
	}
	return false
}}

// unhashable returns the place of a number from which Codex 0.169.0 cannot make a hash: its start then fails, "normalized
// hook identity should serialize to TOML".
func unhashable(root map[string]any) (place string) {
	for _, h := range hooksIn(root) {
		fields := []string{"timeout"}
		if slices.Contains(shortened, h.event) {
			fields = nil
		}
		if slices.Contains(withContextSize, h.event) && h.handler["type"] == "command" {
			fields = append(fields, "additionalContextLimit")
		}
		for _, name := range fields {
			n, ok := h.handler[name].(json.Number)
			if _, err := n.Int64(); ok && err != nil && slices.Contains([]any{"command", "mcp_tool"}, h.handler["type"]) {
				return fmt.Sprintf("hooks.%s[%d].hooks[%d].%s", h.event, h.group, h.index, name)
			}
		}
	}
	return ""
}

// inText returns what Codex refuses in a valid JSON text, though package json does not: a member that it knows and that is
// there twice, and text that is not Unicode (0.169.0).
func inText(content []byte) *setup.InvalidConfigError {
	if !utf8.Valid(content) || halfCharacter(content) {
		return &setup.InvalidConfigError{Why: "it contains text that is not valid Unicode", Fix: "save it as UTF-8"}
	}
	if place := twice(content); place != "" {
		return &setup.InvalidConfigError{Place: place, Why: "it is there twice", Fix: "remove one of the two"}
	}
	return nil
}

// halfCharacter reports whether a text has the escape of one half of a surrogate pair without the other.
func halfCharacter(content []byte) bool {
	const first, second = `\\u[dD][89abAB][[:xdigit:]]{2}`, `\\u[dD][c-fC-F][[:xdigit:]]{2}`
	escapes := regexp.MustCompile(first+`(`+second+`)?|`+second+`|\\.`).FindAll(content, -1)
	return slices.ContainsFunc(escapes, func(e []byte) bool { return len(e) == len(`\uD800`) })
}

// knownFields returns the members of a hook of a type, each with its names. Others may be there twice.
func knownFields(kind string) (all [][]string) {
	of, known := groups().Types[kind]
	if known {
		all = append(all, []string{"type"})
	}
	if kind == "command" {
		all = append(all, []string{"commandWindows", "command_windows"})
	}
	names := append(slices.Clone(of.Required), lists.Map(of.Optional, func(f setup.Field) string { return f.Name })...)
	return append(all, lists.Map(names, func(name string) []string { return []string{name} })...)
}

func twice(content []byte) (place string) {
	root, _ := rawjson.Object(content)
	if name := repeated(root, []string{"description"}, []string{"hooks"}); name != "" {
		return name
	}
	all, _ := rawjson.ObjectIn(root.Get("hooks"))
	for _, event := range events {
		if repeated(all, []string{event}) != "" {
			return "hooks." + event
		}
		groups, _ := rawjson.ArrayIn(all.Get(event))
		for g, raw := range groups {
			group, _ := rawjson.ObjectIn(raw)
			place := fmt.Sprintf("hooks.%s[%d]", event, g)
			if name := repeated(group, []string{"matcher"}, []string{"hooks"}); name != "" {
				return place + "." + name
			}
			hooks, _ := rawjson.ArrayIn(group.Get("hooks"))
			for i, raw := range hooks {
				hook, _ := rawjson.ObjectIn(raw)
				if name := repeated(hook, knownFields(hook.String("type"))...); name != "" {
					return fmt.Sprintf("%s.hooks[%d].%s", place, i, name)
				}
			}
		}
	}
	return ""
}

// repeated returns a member that is there twice, under any of its names.
func repeated(in rawjson.Members, fields ...[]string) string {
	for _, names := range fields {
		n := 0
		for _, m := range in {
			if slices.ContainsFunc(names, m.Is) {
				n++
			}
		}
		if n > 1 {
			return names[0]
		}
	}
	return ""
}
