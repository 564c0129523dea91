package relayonly

import (
	"path/filepath"

	"wsi/harnesses/setup"
)

// Hook files of harnesses that were not tried: what their documentation of 2026-11 says.

func windsurfHookFiles(env setup.Env) []setup.HookFile {
	file := func(origin setup.Origin, path string) setup.HookFile {
		return setup.HookFile{Path: path, Format: setup.JSON, Shape: setup.Flat, Origin: origin}
	}
	return []setup.HookFile{
		file(setup.OfManaged, env.ByOS("/etc/windsurf/hooks.json", "/Library/Application Support/Windsurf/hooks.json", `C:\ProgramData\Windsurf\hooks.json`)),
		file(setup.OfUser, filepath.Join(env.Home, ".codeium", "windsurf", "hooks.json")),
		file(setup.OfProject, filepath.Join(env.Cwd, ".windsurf", "hooks.json")),
	}
}

// vscodeHookFiles includes files of Copilot CLI and Claude Code. Matchers have no effect.
func vscodeHookFiles(env setup.Env) (files []setup.HookFile) {
	file := func(origin setup.Origin, owner, path string) {
		files = append(files, setup.HookFile{Path: path, Format: setup.JSON, Shape: setup.Either, Origin: origin, Owner: owner})
	}
	folder := func(origin setup.Origin, owner, dir string) {
		for _, name := range env.Names(dir) {
			if filepath.Ext(name) == ".json" {
				file(origin, owner, filepath.Join(dir, name))
			}
		}
	}
	folder(setup.OfProject, "", filepath.Join(env.Cwd, ".github", "hooks"))
	folder(setup.OfImport, "Copilot CLI", filepath.Join(env.Home, ".copilot", "hooks"))
	const claude = "Claude Code"
	for _, dir := range []string{env.Home, env.Cwd} {
		file(setup.OfImport, claude, filepath.Join(dir, ".claude", "settings.json"))
	}
	file(setup.OfImport, claude, filepath.Join(env.Cwd, ".claude", "settings.local.json"))
	return files
}
