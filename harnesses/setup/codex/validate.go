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
	"wsi/internal/jsonraw"
	"wsi/internal/lists"
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
	effect, read := "Codex ignores the whole file", parseJSON
	if file.Format == setup.TOML {
		effect, read = noStart, parse
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
			Effect: "Codex starts no session with this file", Fatal: true, Place: place, Why: "the number is too large", Fix: "make it smaller",
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
	root, _ := jsonraw.Object(content)
	if name := repeated(root, []string{"description"}, []string{"hooks"}); name != "" {
		return name
	}
	all, _ := jsonraw.ObjectIn(root.Get("hooks"))
	for _, event := range events {
		if repeated(all, []string{event}) != "" {
			return "hooks." + event
		}
		groups, _ := jsonraw.ArrayIn(all.Get(event))
		for g, raw := range groups {
			group, _ := jsonraw.ObjectIn(raw)
			place := fmt.Sprintf("hooks.%s[%d]", event, g)
			if name := repeated(group, []string{"matcher"}, []string{"hooks"}); name != "" {
				return place + "." + name
			}
			hooks, _ := jsonraw.ArrayIn(group.Get("hooks"))
			for i, raw := range hooks {
				hook, _ := jsonraw.ObjectIn(raw)
				if name := repeated(hook, knownFields(hook.String("type"))...); name != "" {
					return fmt.Sprintf("%s.hooks[%d].%s", place, i, name)
				}
			}
		}
	}
	return ""
}

// repeated returns a member that is there twice, under any of its names.
func repeated(in jsonraw.Members, fields ...[]string) string {
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

// Values that a setting must have, whatever else is true of it.
var (
	aTable   = setup.Want{Name: "a table", Is: setup.AnObject.Is}
	aNumber  = setup.Want{Name: "a number", Is: func(v any) bool { _, i := v.(int64); _, f := v.(float64); return i || f }}
	aFeature = setup.Want{Name: "true or false", Is: func(v any) bool { return setup.AFlag.Is(v) || setup.AnObject.Is(v) }} // some are tables
)

func fields(want setup.Want, names ...string) []setup.Field {
	return lists.Map(names, func(name string) setup.Field { return setup.Field{Name: name, Want: want} })
}

// misfit returns a value in the merged configuration with which Codex does not start (`features list` of 0.169.0), nil if it knows of
// none. It knows types of settings that users set often. Codex knows all, and the doctor asks it.
func misfit(config map[string]any) *setup.InvalidConfigError {
	texts := fields(setup.AString, "model", "model_provider", "model_reasoning_effort", "instructions", "developer_instructions")
	flags := fields(setup.AFlag, "hide_agent_reasoning", "check_for_update_on_startup")
	tables := fields(aTable, "mcp_servers", "features", "profiles", "projects", "tui", "history", "model_providers", "sandbox_workspace_write", "shell_environment_policy")
	for _, f := range slices.Concat(texts, flags, tables, fields(setup.AList, "notify")) {
		if bad := f.Check(config); bad != nil {
			return bad
		}
	}
	features := setup.Table(config, "features")
	for _, f := range fields(aFeature, slices.Sorted(maps.Keys(features))...) {
		if bad := f.Check(features); bad != nil {
			return bad.In("features")
		}
	}
	servers := setup.Table(config, "mcp_servers")
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		if bad := misfitServer(servers[name]); bad != nil {
			return bad.In("mcp_servers." + name)
		}
	}
	return nil
}

func misfitServer(v any) *setup.InvalidConfigError {
	entry := setup.Table(v)
	if entry == nil {
		return setup.Wrong("", v, "a table")
	}
	local, remote := []string{"args", "env", "cwd"}, []string{"http_headers", "bearer_token_env_var"}
	one := slices.Concat(fields(setup.AString, "command", "url", "cwd", "bearer_token_env_var"), fields(setup.AList, "args", "enabled_tools", "disabled_tools"),
		fields(aTable, "env", "http_headers"), fields(setup.AFlag, "enabled"), fields(aNumber, "startup_timeout_sec", "tool_timeout_sec"))
	for _, f := range one {
		if bad := f.Check(entry); bad != nil {
			return bad
		}
	}
	with, without := "url", local
	if entry["command"] != nil {
		with, without = "command", append(remote, "url")
	} else if entry["url"] == nil {
		return &setup.InvalidConfigError{Why: "it has neither a command nor a url", Fix: "add one, or remove the table"}
	}
	for _, name := range without {
		if entry[name] != nil {
			return &setup.InvalidConfigError{Place: name, Why: fmt.Sprintf("a server with a %s cannot have it", with), Fix: "remove it"}
		}
	}
	return nil
}
