package setup

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

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
		found, invalid := mcpServers(f.Path, raw, f.Form)
		err = errors.Join(err, invalid)
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
	return e.ByOS(
		cmp.Or(e.XDG("XDG_CONFIG_HOME"), filepath.Join(e.Home, ".config")),
		filepath.Join(e.Home, "Library", "Application Support"),
		cmp.Or(e.Getenv("APPDATA"), filepath.Join(e.Home, "AppData", "Roaming")),
	)
}

// XDG returns the folder that a variable of the XDG convention names. The convention says to ignore a relative one.
func (e Env) XDG(variable string) string {
	dir := e.Getenv(variable)
	if !filepath.IsAbs(dir) {
		return ""
	}
	return dir
}

// MCPServers parses the "mcpServers" object that several harnesses share. It maps a name to a command and arguments, or to a URL.
// raw may be nil: no servers. An invalid entry is returned as far as it was parsed, and the error names it.
func MCPServers(file string, raw []byte) (servers []Server, err error) {
	return mcpServers(file, raw, Form{})
}

// mcpServers also knows another form of an entry.
func mcpServers(file string, raw []byte, form Form) (servers []Server, err error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil, fmt.Errorf("mcpServers in %s: %w", file, ExplainJSON(nil, err))
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		type members struct {
			Args     []string `json:"args"`
			URL      string   `json:"url"`
			Disabled bool     `json:"disabled"`
			Enabled  *bool    `json:"enabled"`
		}
		var e struct {
			members
			Command string `json:"command"`
		}
		var joined struct {
			members
			Command []string `json:"command"`
		}
		into := any(&e)
		if form.Joined {
			into = &joined
		}
		if invalid := json.Unmarshal(entries[name], into); invalid != nil {
			err = errors.Join(err, fmt.Errorf("mcpServers in %s: %s: %w", file, name, ExplainJSON(nil, invalid)))
		}
		words := joined.Command
		if form.Joined {
			e.members = joined.members
		} else if e.Command != "" {
			words = append([]string{e.Command}, e.Args...)
		}
		var more map[string]any
		_ = json.Unmarshal(entries[name], &more) // the same error
		address, _ := more[form.URL].(string)
		s := Server{Name: name, File: file, URL: cmp.Or(address, e.URL), Disabled: e.Disabled || e.Enabled != nil && !*e.Enabled}
		if len(words) > 0 {
			s.Command = words
			s.Dir, _ = more["cwd"].(string)
			s.Env = Variables(more[cmp.Or(form.Env, "env")])
		}
		servers = append(servers, s)
	}
	return servers, err
}

// Variables returns the environment variables of a server's registration, nil if it has none. Other values become strings.
func Variables(decoded any) map[string]string {
	table, _ := decoded.(map[string]any)
	if len(table) == 0 {
		return nil
	}
	all := make(map[string]string, len(table))
	for name, value := range table {
		all[name] = fmt.Sprint(value)
	}
	return all
}

// ReadIfThere returns a configuration file without its byte order mark, nil and no error if the file does not
// exist. Other errors are a [ConfigError].
func (e Env) ReadIfThere(path string) ([]byte, error) {
	content, err := e.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return nil, ConfigError{Path: path, Err: failed.Err}
	}
	return bytes.TrimPrefix(content, []byte("\ufeff")), err
}

// Names returns the names in a folder, sorted; none if it cannot be listed.
func (e Env) Names(dir string) []string {
	if e.ReadDir == nil {
		return nil
	}
	names, _ := e.ReadDir(dir)
	return names
}

// Folder returns the folder of a scope's configuration: that of the user, or one below the project's folder.
func (e Env) Folder(scope Scope, users, below string) string {
	if scope == Project {
		return filepath.Join(e.Cwd, below)
	}
	return users
}

// IsDir reports whether there is a folder at a path.
func (e Env) IsDir(path string) bool {
	isDir, err := e.Stat(path)
	return err == nil && isDir
}

// Exists reports whether there is a file or a folder at a path.
func (e Env) Exists(path string) bool {
	_, err := e.Stat(path)
	return err == nil
}

// Locate returns what is found in the same way for every harness: the binary of that name on the PATH, and the
// configuration folder, which is dir unless the variable moves it.
func (e Env) Locate(binary, variable, dir string) Presence {
	p := Presence{ConfigHome: dir}
	if moved := e.Getenv(variable); variable != "" && moved != "" {
		if !filepath.IsAbs(moved) {
			moved = filepath.Join(e.Cwd, moved)
		}
		p.ConfigHome, p.MovedBy = filepath.Clean(moved), variable
	}
	if path, err := e.LookPath(binary); binary != "" && err == nil {
		p.Binary = path
	}
	p.Found = p.Binary != "" || e.IsDir(p.ConfigHome)
	return p
}
