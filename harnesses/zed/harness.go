// Package zed is all that wsi knows of Zed, read in its documentation of 2026-11. Nothing of it was
// tried with the program. Its agent has no hooks.
package zed

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "zed"

// Harness returns what wsi knows of Zed. An older form of an entry, in which command is a table with path
// and args, wsi refuses.
func Harness() harnesses.Harness {
	return harnesses.Plain{
		ID: ID, Name: "Zed", Binary: "zed", Dir: dir,
		User: []string{"settings.json"}, Project: []string{".zed/settings.json"}, Format: harnesses.JSONC, Table: "context_servers",
		Form: harnesses.Form{Env: "env", URL: "url", Headers: "headers", Kept: []string{"oauth", "settings"}},
		Why:  "it has no hooks",
		Caveats: []string{
			"Not yet tried: what wsi knows of Zed comes from its documentation.",
			"Zed says nothing of who calls, so that all threads of a window are one to wsi.",
		},
	}.Harness()
}

// dir is the same on Linux and macOS.
func dir(env harnesses.Env) string {
	switch env.GOOS {
	case "darwin":
		return filepath.Join(env.Home, ".config", "zed")
	case "windows":
		return filepath.Join(env.AppConfig(), "Zed")
	}
	return filepath.Join(env.AppConfig(), "zed")
}
