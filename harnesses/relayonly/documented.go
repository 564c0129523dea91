package relayonly

import (
	"path/filepath"

	"wsi/harnesses"
)

// Hook files of harnesses that were not tried: what their documentation of 2026-11 says.

func windsurfHookFiles(env harnesses.Env) []harnesses.HookFile {
	file := func(origin harnesses.Origin, path string) harnesses.HookFile {
		return harnesses.HookFile{Path: path, Format: harnesses.JSON, Shape: harnesses.Flat, Origin: origin}
	}
	return []harnesses.HookFile{
		file(harnesses.OfManaged, env.ByOS("/etc/windsurf/hooks.json", "/Library/Application Support/Windsurf/hooks.json", `C:\ProgramData\Windsurf\hooks.json`)),
		file(harnesses.OfUser, filepath.Join(env.Home, ".codeium", "windsurf", "hooks.json")),
		file(harnesses.OfProject, filepath.Join(env.Cwd, ".windsurf", "hooks.json")),
	}
}

// vscodeHookFiles includes files of Copilot CLI and Claude Code. Matchers have no effect.
func vscodeHookFiles(env harnesses.Env) (files []harnesses.HookFile) {
	file := func(origin harnesses.Origin, owner, path string) {
		files = append(files, harnesses.HookFile{Path: path, Format: harnesses.JSON, Shape: harnesses.Either, Origin: origin, Owner: owner})
	}
	folder := func(origin harnesses.Origin, owner, dir string) {
		for _, name := range env.Names(dir) {
			if filepath.Ext(name) == ".json" {
				file(origin, owner, filepath.Join(dir, name))
			}
		}
	}
	folder(harnesses.OfProject, "", filepath.Join(env.Cwd, ".github", "hooks"))
	folder(harnesses.OfImport, "Copilot CLI", filepath.Join(env.Home, ".copilot", "hooks"))
	const claude = "Claude Code"
	for _, dir := range []string{env.Home, env.Cwd} {
		file(harnesses.OfImport, claude, filepath.Join(dir, ".claude", "settings.json"))
	}
	file(harnesses.OfImport, claude, filepath.Join(env.Cwd, ".claude", "settings.local.json"))
	return files
}
