// Package clinecli is all that wsi knows of Cline CLI besides its dialect, measured on 3.0.65.
package clinecli

import (
	"path/filepath"
	"strings"

	"wsi/harnesses/clients"
	"wsi/harnesses/setup"
)

func plain() setup.Plain {
	return setup.Plain{
		ID: clients.ClineCLI, Name: "Cline CLI", Binary: "cline", MovedBy: "CLINE_DIR", Measured: []string{"3.0.65"},
		Dir:  func(env setup.Env) string { return filepath.Join(env.Home, ".cline") },
		At:   moved,
		User: []string{"data/settings/cline_mcp_settings.json"}, Format: setup.JSON, Table: "mcpServers",
		Form:  setup.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "streamableHttp"},
		Why:   "the relay hides the value from the model; Cline CLI shows the model all of a result",
		Share: "all agents of a session",
	}
}

// moved returns the file with servers that a variable names, or that is below a folder of data that one names; relative paths,
// too, but not empty ones (`cline config mcp` of 3.0.65).
func moved(env setup.Env) (path string, adrift setup.Reason) {
	const file, data = "CLINE_MCP_SETTINGS_PATH", "CLINE_DATA_DIR"
	switch {
	case env.Getenv(file) != "":
		path, _, adrift = env.FolderFrom(file)
	case env.Getenv(data) != "":
		path, _, adrift = env.FolderFrom(data)
		path = filepath.Join(path, "settings", "cline_mcp_settings.json")
	}
	return path, adrift
}

// Harness returns what wsi knows of Cline CLI.
func Harness() setup.Harness {
	h := plain().Harness()
	h.Files.Modules, h.Hooks.Order = scripts, "Cline CLI runs the files of an event one after the other, in the order of their names."
	return h
}

// scripts returns the files in folders of hooks. Cline CLI runs those that have the name of an event.
func scripts(env setup.Env) (all []setup.Hook) {
	home := plain().Locate(env).ConfigHome
	for _, folder := range []struct {
		path   string
		origin setup.Origin
	}{
		{filepath.Join(home, "hooks"), setup.OfUser},
		{filepath.Join(env.Home, "Documents", "Cline", "Hooks"), setup.OfUser},
		{filepath.Join(env.Cwd, ".cline", "hooks"), setup.OfProject},
		{filepath.Join(env.Cwd, ".clinerules", "hooks"), setup.OfProject},
	} {
		for _, name := range env.Names(folder.path) {
			event := strings.TrimSuffix(name, filepath.Ext(name))
			path := filepath.Join(folder.path, name)
			if env.IsDir(path) {
				continue
			}
			all = append(all, setup.Hook{File: path, Origin: folder.origin, Event: event, Kind: setup.Script, Command: path, Unsure: "Cline CLI runs this file only if it has the name of an event"})
		}
	}
	return all
}
