package setup

import (
	"cmp"
	"encoding/json"
	"errors"
	"path/filepath"

	"github.com/tidwall/jsonc"
)

// Registered returns the servers in those files that exist. A file that cannot be read or parsed is a [ConfigError]; the
// servers of the other files are returned as well.
func (e Env) Registered(files []ServerFile) (all []Server, err error) {
	for _, file := range files {
		content, failed := e.ReadIfThere(file.Path)
		if len(content) > 0 && failed == nil {
			var found []Server
			found, failed = file.servers(content)
			all = append(all, found...)
		}
		err = errors.Join(err, failed)
	}
	return all, err
}

// RegisteredIn returns the servers in the files of both scopes, the user's first. agreed is [Server.Agreed] of the
// project's. The error is that of [Env.Registered].
func (e Env) RegisteredIn(registers func(Env, Scope) []ServerFile, agreed bool) ([]Server, error) {
	users, err := e.Registered(registers(e, User))
	projects, err2 := e.Registered(registers(e, Project))
	for i := range projects {
		projects[i].Scope, projects[i].Agreed = Project, agreed
	}
	return append(users, projects...), errors.Join(err, err2)
}

func (f ServerFile) servers(content []byte) (all []Server, err error) {
	plain := jsonc.ToJSON(content)
	for _, keys := range f.Tables {
		raw := json.RawMessage(plain)
		for _, key := range keys {
			var table map[string]json.RawMessage
			if err := json.Unmarshal(raw, &table); err != nil {
				return all, ConfigError{Path: f.Path, Err: ExplainJSON(plain, err)}
			}
			if raw = table[key]; raw == nil {
				break
			}
		}
		found, invalid := MCPServers(f.Path, raw)
		err = errors.Join(err, invalid)
		var entries map[string]any
		if len(found) > 0 && json.Unmarshal(raw, &entries) == nil {
			for i, s := range found {
				entry, _ := entries[s.Name].(map[string]any)
				url, _ := entry[f.Form.URL].(string)
				found[i].URL = cmp.Or(url, s.URL)
			}
		}
		all = append(all, found...)
	}
	return all, err
}

// ByOS returns the value for the platform: windows, darwin, or linux for every other one.
func (e Env) ByOS(linux, darwin, windows string) string {
	switch e.GOOS {
	case "darwin":
		return darwin
	case "windows":
		return windows
	}
	return linux
}

// AppConfig returns the folder in which desktop programs keep their settings.
func (e Env) AppConfig() string {
	switch e.GOOS {
	case "darwin":
		return filepath.Join(e.Home, "Library", "Application Support")
	case "windows":
		return cmp.Or(e.Getenv("APPDATA"), filepath.Join(e.Home, "AppData", "Roaming"))
	}
	if dir := e.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) { // the convention says to ignore a relative one
		return dir
	}
	return filepath.Join(e.Home, ".config")
}
