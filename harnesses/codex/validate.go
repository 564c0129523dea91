package codex

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"wsi/harnesses"
)

var events = []string{
	"PreModelRequest", "PostModelRequest", "PreToolUse", "PermissionRequest", "PostToolUse", "PreCompact",
	"PostCompact", "SessionStart", "SessionEnd", "UserPromptSubmit", "SubagentStart", "SubagentStop", "Stop", "Interrupt",
}

// validate finds the errors for which Codex ignores a whole hooks.json, with only a warning at its start, or does not
// start with a config.toml (both tried with 0.169.0).
func validate(file harnesses.HookFile, content []byte) error {
	effect := "codex ignores the whole file"
	read := parseJSON
	if file.Format == harnesses.TOML {
		effect, read = "codex does not start with this file", parse
	}
	root, err := read(content)
	bad := new(harnesses.InvalidConfigError)
	switch {
	case err == nil:
		bad = inRoot(root, file.Format)
	case !errors.As(err, bad):
		bad = &harnesses.InvalidConfigError{Why: err.Error()}
	}
	if bad == nil {
		return nil
	}
	bad.Effect, bad.Fatal = effect, file.Format == harnesses.TOML
	return *bad
}

func parseJSON(content []byte) (map[string]any, error) {
	if bytes.HasPrefix(content, []byte("\ufeff")) {
		return nil, harnesses.InvalidConfigError{Why: "it begins with a byte order mark", Fix: "save it without one"}
	}
	d := json.NewDecoder(bytes.NewReader(content))
	d.UseNumber()
	var root map[string]any
	err := d.Decode(&root)
	if _, more := d.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = json.Unmarshal(content, &root)
	}
	return root, harnesses.ExplainJSON(content, err)
}

// inRoot returns the first error in a document, nil if there is none.
func inRoot(root map[string]any, format harnesses.Format) *harnesses.InvalidConfigError {
	if format != harnesses.TOML {
		for key := range root {
			if key != "hooks" && key != "description" {
				return &harnesses.InvalidConfigError{Place: key, Why: fmt.Sprintf("unknown top-level key %q", key), Fix: "remove it"}
			}
		}
		if bad := harnesses.AString.Check("description", root["description"]); bad != nil {
			return bad
		}
		if table(root["hooks"]) == nil {
			return &harnesses.InvalidConfigError{Why: "no object \"hooks\"", Fix: `put the events into an object named "hooks"`}
		}
	}
	if profile, there := root["profile"]; there && format == harnesses.TOML {
		return &harnesses.InvalidConfigError{Place: "profile", Why: harnesses.Shown(profile) + " is no longer supported", Fix: "remove it; put the profile into a file NAME.config.toml, for codex --profile NAME"}
	}
	hooks := table(root["hooks"])
	for _, event := range events {
		groups, ok := hooks[event]
		if !ok {
			continue
		}
		list, ok := groups.([]any)
		if !ok {
			return harnesses.Wrong("hooks."+event, groups, "a list")
		}
		for g, group := range list {
			if bad := inGroup(group); bad != nil {
				at := bad.In(fmt.Sprintf("hooks.%s[%d]", event, g))
				return &at
			}
		}
	}
	return nil
}

func inGroup(v any) *harnesses.InvalidConfigError {
	group, ok := v.(map[string]any)
	if !ok {
		return harnesses.Wrong("", v, "an object")
	}
	if bad := harnesses.AString.Check("matcher", group["matcher"]); bad != nil {
		return bad
	}
	hooks, there := group["hooks"]
	list, ok := hooks.([]any)
	if there && !ok {
		return harnesses.Wrong("hooks", hooks, "a list")
	}
	for h, hook := range list {
		if bad := inHook(hook); bad != nil {
			at := bad.In(fmt.Sprintf("hooks[%d]", h))
			return &at
		}
	}
	return nil
}

// required are the fields that a hook of a type must have.
var required = map[string][]string{"command": {"command"}, "mcp_tool": {"server", "tool"}, "prompt": nil, "agent": nil}

// optional are fields that may be missing and, except for async, null.
var optional = []struct {
	name string
	want harnesses.Want
}{
	{"commandWindows", harnesses.AString},
	{"statusMessage", harnesses.AString},
	{"timeout", aCount},
	{"additionalContextLimit", aCount},
	{"async", harnesses.AFlag},
}

func inHook(v any) *harnesses.InvalidConfigError {
	hook, ok := v.(map[string]any)
	if !ok {
		return harnesses.Wrong("", v, "an object")
	}
	kind, _ := hook["type"].(string)
	needs, known := required[kind]
	if !known {
		return &harnesses.InvalidConfigError{Place: "type", Why: "unknown type " + harnesses.Shown(hook["type"]), Fix: "make it one that Codex knows, such as command, or remove the entry"}
	}
	for _, name := range needs {
		if _, ok := hook[name].(string); !ok {
			return harnesses.Wrong(name, hook[name], "a string")
		}
	}
	if kind == "prompt" || kind == "agent" {
		return nil
	}
	for _, field := range optional {
		v, there := hook[field.name]
		if bad := field.want.Check(field.name, v); bad != nil {
			return bad
		}
		if there && v == nil && field.name == "async" {
			return harnesses.Wrong(field.name, v, field.want.Name)
		}
	}
	return nil
}

// aCount is a u64 of Codex.
var aCount = harnesses.Want{Name: "a whole number from 0", Is: func(v any) bool {
	switch n := v.(type) {
	case int64:
		return n >= 0
	case json.Number:
		_, err := strconv.ParseUint(n.String(), 10, 64)
		return err == nil
	}
	return false
}}
