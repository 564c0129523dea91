package qwencode

import (
	"errors"
	"path/filepath"

	"wsi/harnesses"
)

const timeout = 10 // seconds

// wiring registers hooks for compactions and sub-agents in settings.json, which holds the servers as well. No hook could
// carry a value.
func wiring(env harnesses.Env, scope harnesses.Scope, p harnesses.Program) (harnesses.Wiring, error) {
	if err := p.Check(env.GOOS); err != nil {
		return harnesses.Wiring{}, err
	}
	file := reads(env, scope)[0]
	for _, event := range []string{compacted, spawned} {
		file.Entries = append(file.Entries, harnesses.Entry{Event: event, Command: p.Command(env.GOOS, harnesses.Capture, ID), Timeout: timeout, Compaction: true})
	}
	return harnesses.Wiring{Hooks: []harnesses.HookFile{file}}, nil
}

// reads returns the settings files with hooks: those in settings.local.json do not run (0.24.4).
func reads(env harnesses.Env, scope harnesses.Scope) []harnesses.HookFile {
	folder := dir(env)
	if scope == harnesses.Project {
		folder = filepath.Join(env.Cwd, ".qwen")
	}
	return []harnesses.HookFile{hookFile(filepath.Join(folder, "settings.json"))}
}

func hookFile(path string) harnesses.HookFile {
	return harnesses.HookFile{Path: path, Format: harnesses.JSONC, Shape: harnesses.Grouped}
}

// policy returns the switch that is off.
func policy(env harnesses.Env, _ harnesses.HookFile, _ []byte) (all error) {
	for _, off := range switches(env) {
		all = errors.Join(all, off)
	}
	return all
}
