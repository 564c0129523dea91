package qwencode

import (
	"path/filepath"

	"wsi/harnesses/qwencode"
	"wsi/harnesses/setup"
)

// older returns the file in which an older wsi registered hooks.
func older(env setup.Env, scope setup.Scope) setup.Wiring {
	files := reads(env, scope)
	files[0].Harness = qwencode.ID
	return setup.Wiring{Hooks: files}
}

// reads returns the settings files with hooks: those in settings.local.json do not run (0.24.4).
func reads(env setup.Env, scope setup.Scope) []setup.HookFile {
	folder := dir(env)
	if scope == setup.Project {
		folder = filepath.Join(env.Cwd, ".qwen")
	}
	return []setup.HookFile{hookFile(filepath.Join(folder, "settings.json"))}
}

func hookFile(path string) setup.HookFile {
	return setup.HookFile{Path: path, Format: setup.JSONC, Shape: setup.Grouped}
}
