package harnesses

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
)

// MCPServers reads the "mcpServers" object that several harnesses share: name -> command and
// arguments, or URL. raw may be nil: no servers. Each entry is read by itself: one with something odd in it
// is returned as far as it was understood, and is an error that names it.
func MCPServers(file string, raw []byte) (servers []Server, err error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil, fmt.Errorf("mcpServers in %s: %w", file, ExplainJSON(nil, err))
	}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		var e struct {
			Command  string   `json:"command"`
			Args     []string `json:"args"`
			URL      string   `json:"url"`
			Disabled bool     `json:"disabled"`

			Env any `json:"env"`
			Cwd any `json:"cwd"`
		}
		if odd := json.Unmarshal(entries[name], &e); odd != nil {
			err = errors.Join(err, fmt.Errorf("mcpServers in %s: %s: %w", file, name, ExplainJSON(nil, odd)))
		}
		s := Server{Name: name, File: file, URL: e.URL, Disabled: e.Disabled}
		if e.Command != "" {
			s.Command = append([]string{e.Command}, e.Args...)
			s.Dir, _ = e.Cwd.(string)
			s.Env = Variables(e.Env)
		}
		servers = append(servers, s)
	}
	return servers, err
}

// Variables are the environment variables of a server's registration, nil if it has none. What is no
// string becomes one.
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

// ReadIfThere reads a configuration file without its byte order mark; one that does not exist is nil
// without an error. Any other error is an Unreadable.
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

// Locate fills in what is found the same way for every harness: the binary of that name on the
// PATH, and the configuration folder, moved by a variable or at its place under the home folder.
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
	isDir, err := e.Stat(p.ConfigHome)
	p.Found = p.Binary != "" || err == nil && isDir
	return p
}
