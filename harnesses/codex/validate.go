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
		if bad := optionalText("description").Check(root); bad != nil {
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
	accepted := groups()
	for _, event := range events {
		groups, there := hooks[event]
		list, ok := groups.([]any)
		if there && !ok {
			return harnesses.Wrong("hooks."+event, groups, "a list")
		}
		if bad := accepted.Check("hooks."+event, list); bad != nil {
			return bad
		}
	}
	return nil
}

// groups returns what Codex accepts under an event. Of the optional fields, only async must not be null.
func groups() harnesses.HookGroups {
	optional := []harnesses.Field{
		optionalText("commandWindows"),
		optionalText("statusMessage"),
		{Name: "timeout", Want: aCount, Null: true},
		{Name: "additionalContextLimit", Want: aCount, Null: true},
		{Name: "async", Want: harnesses.AFlag},
	}
	return harnesses.HookGroups{
		Name: "Codex", Matcher: optionalText("matcher"),
		Types: map[string]harnesses.HookType{
			"command":  {Required: []string{"command"}, Optional: optional},
			"mcp_tool": {Required: []string{"server", "tool"}, Optional: optional},
			"prompt":   {},
			"agent":    {},
		},
	}
}

// text is a string that may be null.
func optionalText(name string) harnesses.Field {
	return harnesses.Field{Name: name, Want: harnesses.AString, Null: true}
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
