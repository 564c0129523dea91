package cursor

import (
	"fmt"
	"path/filepath"
	"strings"

	"wsi/harnesses"
)

const timeout = 10 // seconds

// wiring registers hooks for three events that every build with hooks for MCP knows: Cursor rejects a file with an unknown
// event. Both events after a call occur. It is not known which of them shows the value.
func wiring(env harnesses.Env, scope harnesses.Scope, p harnesses.Program) (harnesses.Wiring, error) {
	if err := p.Check(env.GOOS); err != nil {
		return harnesses.Wiring{}, err
	}
	inject, capture := p.Command(env.GOOS, harnesses.Inject, ID), p.Command(env.GOOS, harnesses.Capture, ID)
	if strings.Contains(inject, "//") || strings.Contains(inject, "/*") {
		return harnesses.Wiring{}, fmt.Errorf("cursor treats // and /* as a comment even inside a command: %s", inject)
	}
	return harnesses.Wiring{Hooks: []harnesses.HookFile{{
		Path: filepath.Join(folder(env, scope), "hooks.json"), Format: harnesses.JSONC, Shape: harnesses.Flat,
		Preset: []harnesses.Preset{{Key: "version", Value: "1"}},
		Entries: []harnesses.Entry{
			{Event: "preToolUse", Matcher: "^MCP:", Command: inject, Timeout: timeout},
			{Event: "postToolUse", Matcher: "^MCP:", Command: capture, Timeout: timeout},
			{Event: "afterMCPExecution", Command: capture, Timeout: timeout},
		},
	}}}, nil
}
