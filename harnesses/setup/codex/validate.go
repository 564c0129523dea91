package codex

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"wsi/harnesses/setup"
)

// validate finds what keeps setup from writing into a file: text that is not JSON or TOML, and members because of which Codex
// ignores a whole hooks.json (0.171.0). What Codex accepts besides, its program says: see [ask] and [starts].
func validate(file setup.HookFile, content []byte) error {
	if file.Table != nil { // a plugin's manifest, of which only what is valid is listed
		return nil
	}
	if file.Format == setup.TOML {
		if _, err := parse(content); err != nil {
			return setup.InvalidConfigError{Effect: noStart, Fatal: true, Why: err.Error()}
		}
		return nil
	}
	if bytes.HasPrefix(content, []byte("\ufeff")) {
		return setup.InvalidConfigError{Effect: ignored, Why: "it begins with a byte order mark", Fix: "save it without one"}
	}
	root, err := setup.DecodeJSON[map[string]any](content)
	if err != nil {
		return setup.InvalidConfigError{Effect: ignored, Why: err.Error()}
	}
	return inRoot(root).With(ignored)
}

const ignored = "Codex ignores the whole file"

func inRoot(root map[string]any) *setup.InvalidConfigError {
	for _, key := range slices.Sorted(maps.Keys(root)) { // the same one each time
		if key != "hooks" && key != "description" {
			return &setup.InvalidConfigError{Place: key, Why: fmt.Sprintf("unknown top-level key %q", key), Fix: fmt.Sprintf("remove %q", key)}
		}
	}
	if setup.Table(root, "hooks") == nil {
		return &setup.InvalidConfigError{Why: "no object \"hooks\"", Fix: `put the events into an object named "hooks"`}
	}
	return nil
}
