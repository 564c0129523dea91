// Package cursor is all that wsi knows of Cursor besides its dialect, from its documentation of 2026-08-25 and from reports
// about builds up to 2026.09.26. Nothing was tried with the binary.
package cursor

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/jsonc"

	"wsi/harnesses"
	"wsi/harnesses/cursor"
	"wsi/harnesses/setup"
)

// Harness returns what wsi knows of Cursor. No variable moves its folder: CURSOR_CONFIG_DIR moves only cli-config.json.
func Harness() setup.Harness {
	h := setup.Plain{
		ID: cursor.ID, Name: "Cursor", Binary: "cursor", Dir: func(env setup.Env) string { return folder(env, setup.User) },
		User: []string{"mcp.json"}, Project: []string{".cursor/mcp.json"}, Format: setup.JSONC, Table: "mcpServers",
		Form: setup.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "http", Kept: []string{"auth", "envFile"}},
		Caveats: []string{
			"Cursor does not tell hooks the server of a tool: wsi recognizes a tool by its name and the form of its result.",
			"Cursor's cloud agents run on machines without this wsi: it does not work there.",
		},
	}.Harness()
	find := h.Find
	h.Find = func(env setup.Env) (setup.Presence, error) {
		p, err := find(env)
		if agent, missing := env.LookPath("cursor-agent"); p.Binary == "" && missing == nil {
			p.Binary, p.Found = agent, true
		}
		return p, err
	}
	h.Dialect, h.Flaws, h.Wiring = cursor.Dialect(), flaws, wiring
	h.Choices = []setup.Choice{ // not tried with the binary
		{Mode: setup.ByHooks, Why: "hooks know which conversation calls, so each conversation has its own value; but they see only the text of a result"},
		{Mode: setup.ByRelay, Why: "the relay sees all of a result, also of an error. Cursor may start one relay for several conversations: the relay leaves a call alone if it cannot tell which conversation makes it"},
	}
	h.Files.Reads, h.Files.Borrowed, h.Hooks.Validate = reads, borrowed, validate
	h.Proof = setup.Proof{Simulator: Simulator{}, Windowed: true}
	return h
}

func folder(env setup.Env, scope setup.Scope) string {
	return env.Folder(scope, filepath.Join(env.Home, ".cursor"), ".cursor")
}

func reads(env setup.Env, scope setup.Scope) []setup.HookFile {
	return []setup.HookFile{{Path: filepath.Join(folder(env, scope), "hooks.json"), Format: setup.JSONC, Shape: setup.Flat}}
}

// flaws are reported by others. The version of the command line tool is a date: before 2026.05.20, hooks may get the
// event in other ways than on standard input. The editor's error with changed arguments was fixed in 3.7.
var flaws = []setup.Flaw{
	{From: "2000.0", Before: "2026.05.20", Why: "does not always pass hooks their event on standard input", Fix: "update Cursor's command line tool"},
	{Before: "3.7", Why: "does not use the arguments that a hook changed for every tool", Fix: "update Cursor"},
}

// borrowed returns the files of Claude Code whose hooks Cursor runs, unless its settings switch that off, and that of the machine's
// administrator (documentation of 2026-08-25).
func borrowed(env setup.Env) (files []setup.HookFile) {
	for _, path := range []string{
		filepath.Join(env.Cwd, ".claude", "settings.local.json"), filepath.Join(env.Cwd, ".claude", "settings.json"),
		filepath.Join(env.Home, ".claude", "settings.json"),
	} {
		files = append(files, setup.HookFile{Path: path, Format: setup.JSON, Shape: setup.Grouped, Origin: setup.OfImport, Owner: "Claude Code"})
	}
	managed := env.ByOS("/etc/cursor/hooks.json", "/Library/Application Support/Cursor/hooks.json", `C:\ProgramData\Cursor\hooks.json`)
	return append(files, setup.HookFile{Path: managed, Format: setup.JSONC, Shape: setup.Flat, Origin: setup.OfManaged})
}

const timeout = 10 // seconds

// wiring registers hooks for three events that every build with hooks for MCP knows: Cursor rejects a file with an unknown
// event. Both events after a call occur. It is not known which of them shows the value.
func wiring(env setup.Env, scope setup.Scope, p setup.Program) (setup.Wiring, error) {
	if err := p.Check(env.GOOS); err != nil {
		return setup.Wiring{}, err
	}
	inject, capture := p.Command(env.GOOS, harnesses.Inject, cursor.ID), p.Command(env.GOOS, harnesses.Capture, cursor.ID)
	if strings.Contains(inject, "//") || strings.Contains(inject, "/*") {
		return setup.Wiring{}, fmt.Errorf("the command contains // or /*, which Cursor takes for the start of a comment: %s", inject)
	}
	files := reads(env, scope)
	files[0].Preset = []setup.Preset{{Key: "version", Value: "1"}}
	files[0].Entries = []setup.Entry{
		{Event: "preToolUse", Matcher: "^MCP:", Command: inject, Timeout: timeout},
		{Event: "postToolUse", Matcher: "^MCP:", Command: capture, Timeout: timeout},
		{Event: "afterMCPExecution", Command: capture, Timeout: timeout},
	}
	return setup.Wiring{Hooks: files}, nil
}

// validate finds the errors for which Cursor rejects or silently ignores a whole hooks.json.
func validate(_ setup.HookFile, content []byte) error {
	return faultIn(content).With("Cursor ignores the whole file")
}

func faultIn(content []byte) *setup.InvalidConfigError {
	root, err := setup.DecodeJSON[map[string]any](jsonc.ToJSON(content))
	if err != nil {
		return &setup.InvalidConfigError{Why: err.Error()}
	}
	version, _ := root["version"].(json.Number)
	if n, err := version.Float64(); err != nil || n < 1 || n != math.Trunc(n) {
		return &setup.InvalidConfigError{Place: "version", Why: "missing, or not a positive whole number", Fix: `write "version": 1`}
	}
	return noSlashes("", root)
}

// noSlashes returns an error for a string with // or /*: Cursor strips comments even inside strings, and silently ignores
// the file. The error names only the place: the string may hold a secret.
func noSlashes(place string, v any) *setup.InvalidConfigError {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "//") || strings.Contains(v, "/*") {
			return &setup.InvalidConfigError{
				Place: strings.TrimPrefix(place, "."), Why: "Cursor takes // or /* in it for a comment",
				Fix: "put the command into a script, and write the path of the script instead",
			}
		}
	case []any:
		for i, e := range v {
			if bad := noSlashes(fmt.Sprintf("%s[%d]", place, i), e); bad != nil {
				return bad
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if key == "$schema" {
				continue
			}
			if bad := noSlashes(place+"."+key, v[key]); bad != nil {
				return bad
			}
		}
	}
	return nil
}
