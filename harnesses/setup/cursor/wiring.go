package cursor

import (
	"fmt"
	"path/filepath"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/cursor"
	"wsi/harnesses/setup"
)

const timeout = 10 // seconds

// wiring registers hooks for three events that every build with hooks for MCP knows: Cursor rejects a file with an unknown
// event. Both events after a call occur. It is not known which of them shows the value.
func wiring(env setup.Env, scope setup.Scope, p setup.Program) (setup.Wiring, error) {
	if err := p.Check(env.GOOS); err != nil {
		return setup.Wiring{}, err
	}
	inject, capture := p.Command(env.GOOS, harnesses.Inject, cursor.ID), p.Command(env.GOOS, harnesses.Capture, cursor.ID)
	if strings.Contains(inject, "//") || strings.Contains(inject, "/*") {
		return setup.Wiring{}, fmt.Errorf("cursor treats // and /* as a comment even inside a command: %s", inject)
	}
	return setup.Wiring{Hooks: []setup.HookFile{{
		Path: filepath.Join(folder(env, scope), "hooks.json"), Format: setup.JSONC, Shape: setup.Flat,
		Preset: []setup.Preset{{Key: "version", Value: "1"}},
		Entries: []setup.Entry{
			{Event: "preToolUse", Matcher: "^MCP:", Command: inject, Timeout: timeout},
			{Event: "postToolUse", Matcher: "^MCP:", Command: capture, Timeout: timeout},
			{Event: "afterMCPExecution", Command: capture, Timeout: timeout},
		},
	}}}, nil
}
