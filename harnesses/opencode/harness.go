// Package opencode is all that wsi knows of OpenCode, measured on 1.18.33.
package opencode

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/tidwall/jsonc"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "opencode"

// Harness returns what wsi knows of OpenCode.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID: ID, Name: "OpenCode",
		Choices: choices, Registers: registers,
		Find: find, Wiring: wiring, Below: true, Gate: gate, Once: func(_, _ string) bool { return true }, Dialect: Dialect{}, Twin: Twin{},
		Waits: waits, Measured: []string{"1.18.33"},
		Restart: "OpenCode loads plugins when it starts: restart running instances.",
		Afterwards: []string{
			"With any plugin, OpenCode waits at its start until npm has installed its own plugin library; where npm is out of reach that takes a minute or more.",
		},
		HookCaveats: []string{
			"OpenCode shows plugins of a result that is an error its text alone: a value that only its _meta holds is lost.",
		},
	}
}

// locate finds the folder that setup writes to. OpenCode reads OPENCODE_CONFIG_DIR in addition to
// the user's own folder, on every system the one of the XDG convention.
func locate(env harnesses.Env) harnesses.Presence {
	p := env.Locate("opencode", "OPENCODE_CONFIG_DIR", own(env))
	if p.MovedBy == "" && xdg(env) != "" {
		p.MovedBy = "XDG_CONFIG_HOME"
	}
	return p
}

func own(env harnesses.Env) string {
	return filepath.Join(cmp.Or(xdg(env), filepath.Join(env.Home, ".config")), "opencode")
}

// xdg is the folder of the XDG convention, which says to ignore a relative one.
func xdg(env harnesses.Env) string {
	dir := env.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		return ""
	}
	return dir
}

// inline is the variable that holds a configuration, stronger than all files.
const inline = "OPENCODE_CONFIG_CONTENT"

// files are the configuration files, the weakest first. OpenCode merges them all, those of every
// folder from the root of the repository to the current one included.
func files(env harnesses.Env) []string {
	all := []string{filepath.Join(own(env), "config.json")}
	add := func(dir string) {
		all = append(all, filepath.Join(dir, "opencode.json"), filepath.Join(dir, "opencode.jsonc"))
	}
	add(own(env))
	if file := env.Getenv("OPENCODE_CONFIG"); file != "" {
		all = append(all, file)
	}
	dirs := append([]string{env.Cwd}, env.Above()...)
	slices.Reverse(dirs)
	for _, dir := range dirs {
		add(dir)
	}
	for _, dir := range dirs {
		add(filepath.Join(dir, ".opencode"))
	}
	add(filepath.Join(env.Home, ".opencode"))
	if dir := env.Getenv("OPENCODE_CONFIG_DIR"); dir != "" {
		add(dir)
	}
	return all
}

func find(env harnesses.Env) (harnesses.Presence, error) {
	p := locate(env)
	merged := map[string]harnesses.Server{}
	var err error
	typed := map[string]bool{}
	for _, file := range files(env) {
		content, e := env.ReadIfThere(file)
		if e == nil {
			e = merge(file, content, merged, typed)
		}
		err = errors.Join(err, e)
	}
	err = errors.Join(err, merge(inline, []byte(env.Getenv(inline)), merged, typed))
	for name, s := range merged {
		p.Servers = append(p.Servers, s)
		if !typed[name] {
			err = errors.Join(err, rejected(s.File, fmt.Errorf("the server %s has no type", name)))
		}
	}
	slices.SortFunc(p.Servers, func(a, b harnesses.Server) int { return cmp.Compare(a.Name, b.Name) })
	return p, err
}

// rejected: OpenCode 1.18.33 does not start with a file of bad syntax, with a server without a type, nor
// with a command or a list of plugins that is a string.
func rejected(file string, why error) error {
	return harnesses.Unreadable{Path: file, Err: harnesses.Rejected{Effect: "opencode does not start with this file", Fatal: true, Why: why.Error()}}
}

// merge adds the servers of a file to those of weaker files. Every such file may have comments and
// trailing commas, whatever its name, and may be empty.
func merge(file string, content []byte, into map[string]harnesses.Server, typed map[string]bool) error {
	if len(content) == 0 {
		return nil
	}
	var config struct {
		MCP map[string]struct {
			Type    string   `json:"type"`
			Command []string `json:"command"`
			URL     string   `json:"url"`
			Enabled *bool    `json:"enabled"`

			Environment any `json:"environment"`
			Cwd         any `json:"cwd"`
		} `json:"mcp"`
		Plugin []any `json:"plugin"`
	}
	plain := jsonc.ToJSON(content)
	if err := json.Unmarshal(plain, &config); err != nil {
		return rejected(file, harnesses.ExplainJSON(plain, err))
	}
	for name, entry := range config.MCP {
		s := into[name]
		s.Name, s.File = name, file
		typed[name] = typed[name] || entry.Type != "" || entry.Command == nil && entry.URL == ""
		if entry.Command != nil {
			s.Command = entry.Command
		}
		if dir, ok := entry.Cwd.(string); ok {
			s.Dir = dir
		}
		for name, value := range harnesses.Variables(entry.Environment) {
			if s.Env == nil {
				s.Env = map[string]string{}
			}
			s.Env[name] = value
		}
		s.URL = cmp.Or(entry.URL, s.URL)
		if entry.Enabled != nil {
			s.Disabled = !*entry.Enabled
		}
		into[name] = s
	}
	return nil
}
