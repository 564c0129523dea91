// Package opencode is all that wsi knows of OpenCode besides its dialect, measured on 1.18.33 and 2.0.15.
package opencode

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/tidwall/jsonc"

	"wsi/harnesses"
	"wsi/harnesses/opencode"
	"wsi/harnesses/setup"
)

// Harness returns what wsi knows of OpenCode.
func Harness() setup.Harness {
	return setup.Harness{
		ID: opencode.ID, Name: "OpenCode", Dialect: opencode.Dialect(),
		Measured: []string{"1.18.33", "2.0.15"}, Flaws: []setup.Flaw{{
			From: "2.0", Before: "3.0", HidesMeta: true, Why: "hides a result's _meta from its plugins",
			Fix: "run wsi setup --harness opencode --wiring relay, or have the server put the value into the text as well",
		}},
		Find: find, Registers: registers, CallLog: callLog, Choices: choices, Wiring: wiring,
		Files: setup.HookFiles{Modules: modules, Below: true},
		Hooks: setup.HookFacts{Policy: policy, Dedupes: func(_, _ string) bool { return true }},
		// Where npm is out of reach, each of two starts takes more than a minute (1.18.33).
		Proof: setup.Proof{Simulator: Simulator{}, Time: 3 * time.Minute, Starts: starts},
		Texts: setup.Texts{
			Restart: "OpenCode loads plugins when it starts: restart running instances.",
			Afterwards: []string{
				"When OpenCode first starts with a plugin, npm installs a library for it: 64 MB in a folder such as ~/.config/opencode. wsi remove leaves it there. If npm cannot reach its registry, each start takes a minute or more.",
			},
			HookCaveats: []string{
				"If a result is an error, OpenCode shows plugins only its text: a value that is only in _meta is lost.",
			},
		},
	}
}

// locate returns the folder that setup writes to. OpenCode reads OPENCODE_CONFIG_DIR in addition to the user's own folder,
// which follows the XDG convention on every system.
func locate(env setup.Env) setup.Presence {
	p := env.Locate("opencode", "OPENCODE_CONFIG_DIR", own(env))
	if p.MovedBy == "" && env.Getenv(xdg) != "" {
		p.MovedBy = xdg
		_, _, p.Adrift = env.FolderFrom(xdg)
	}
	return p
}

const xdg = "XDG_CONFIG_HOME"

// own returns the user's own folder. OpenCode uses a relative XDG_CONFIG_HOME as it is (1.18.33), though the convention says to
// ignore it.
func own(env setup.Env) string {
	dir, set, _ := env.FolderFrom(xdg)
	if !set || env.Getenv(xdg) == "" {
		dir = filepath.Join(env.Home, ".config")
	}
	return filepath.Join(dir, "opencode")
}

// inline is the variable that holds a configuration, which overrides all files.
const inline = "OPENCODE_CONFIG_CONTENT"

// source is a file or folder of the configuration and its scope.
type source struct {
	path  string
	scope setup.Scope
}

// sources returns the configuration files, each overridden by later ones. OpenCode merges all of them, those of every folder from
// the root of the repository to the current one included, unless projects is false. A file in the home folder is the user's.
func sources(env setup.Env, projects bool) (all []source) {
	scope := setup.User
	add := func(dir string, names ...string) {
		for _, name := range names {
			all = append(all, source{filepath.Join(dir, name), scope})
		}
	}
	const plain, comments = "opencode.json", "opencode.jsonc"
	add(own(env), "config.json", plain, comments)
	if file := env.Getenv("OPENCODE_CONFIG"); file != "" {
		all = append(all, source{file, setup.User})
	}
	if dirs := append([]string{env.Cwd}, above(env)...); projects {
		slices.Reverse(dirs)
		for _, below := range []string{"", ".opencode"} {
			for _, dir := range dirs {
				if scope = setup.Project; dir == env.Home {
					scope = setup.User
				}
				add(filepath.Join(dir, below), plain, comments)
			}
		}
		scope = setup.User
	}
	add(filepath.Join(env.Home, ".opencode"), plain, comments)
	if dir := env.Getenv("OPENCODE_CONFIG_DIR"); dir != "" {
		add(dir, plain, comments)
	}
	return all
}

// above returns the folders above the current one from which OpenCode reads a project's files: up to the root of the
// repository, outside of one all (`opencode debug info` and `run` of 1.18.33).
func above(env setup.Env) (dirs []string) {
	if _, ok := env.Repository(); ok {
		return env.Above()
	}
	for dir := env.Cwd; dir != filepath.Dir(dir); {
		dir = filepath.Dir(dir)
		dirs = append(dirs, dir)
	}
	return dirs
}

// alone reports whether OpenCode reads nothing of the project (1.18.33).
func alone(env setup.Env) bool {
	return slices.Contains([]string{"1", "true"}, env.Getenv(disableProject))
}

// find merges all files and, separately, the user's. OpenCode starts the servers of a project's file without asking.
func find(env setup.Env) (setup.Presence, error) {
	p := locate(env)
	all, users := servers{}, servers{}
	var err error
	for _, file := range sources(env, !alone(env)) {
		content, e := env.ReadIfThere(file.path)
		if e == nil {
			e = all.merge(file, content)
		}
		if e == nil && file.scope == setup.User {
			e = users.merge(file, content)
		}
		err = errors.Join(err, e)
	}
	variable, content := source{inline, setup.User}, []byte(env.Getenv(inline))
	err = errors.Join(err, all.merge(variable, content), users.merge(variable, content))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		if s.Scope == setup.Project {
			s.Own = users[name]
		}
		p.Servers = append(p.Servers, *s)
	}
	return p, err
}

// servers are the servers of merged files, by name.
type servers map[string]*setup.Server

// rejected returns the error of a file with which OpenCode 1.18.33 does not start: one with bad syntax, with null in place of an
// object, with a server without a type, or with a string as a command or as the list of plugins. OpenCode knows more, and is asked.
func rejected(file string, why error) error {
	return setup.ConfigError{Path: file, Err: setup.InvalidConfigError{Effect: "OpenCode does not start with this file", Fatal: true, Why: why.Error()}}
}

// merge adds the servers of a file, which override those of earlier files. Any file may have comments and trailing
// commas, whatever its name, and may be empty.
func (all servers) merge(file source, content []byte) error {
	if len(content) == 0 {
		return nil
	}
	plain := jsonc.ToJSON(content)
	said, err := entriesOf(plain)
	if err != nil {
		return rejected(file.path, setup.ExplainJSON(plain, err))
	}
	for _, name := range slices.Sorted(maps.Keys(said)) {
		all.add(file, name, said[name])
		if of := said[name]; of.Type == "" && (of.Command != nil || of.URL != "") && err == nil {
			err = rejected(file.path, fmt.Errorf("the server %s has no type", name))
		}
	}
	return err
}

// said is what a file says of a server.
type said struct {
	Type     string   `json:"type"`
	Command  []string `json:"command"`
	URL      string   `json:"url"`
	Enabled  *bool    `json:"enabled"`
	Disabled *bool    `json:"disabled"` // in OpenCode 2

	Environment any `json:"environment"`
	Cwd         any `json:"cwd"`
}

// entriesOf returns the servers of a file: those under mcp, or under mcp.servers in a file for OpenCode 2 (2.0.15). In a file for
// OpenCode 1 the latter is a server, whose members are not all objects.
func entriesOf(plain []byte) (map[string]said, error) {
	var root map[string]json.RawMessage
	if err := json.Unmarshal(plain, &root); err == nil && (root == nil || string(root["mcp"]) == "null") {
		return nil, errors.New("null is in place of an object")
	}
	var grouped struct {
		MCP struct {
			Servers map[string]map[string]json.RawMessage `json:"servers"`
		} `json:"mcp"`
	}
	if json.Unmarshal(plain, &grouped) == nil && grouped.MCP.Servers != nil {
		var two struct {
			MCP struct {
				Servers map[string]said `json:"servers"`
			} `json:"mcp"`
		}
		err := json.Unmarshal(plain, &two)
		return two.MCP.Servers, err
	}
	var one struct {
		MCP    map[string]said `json:"mcp"`
		Plugin []any           `json:"plugin"`
	}
	err := json.Unmarshal(plain, &one)
	return one.MCP, err
}

// add adds a server, which overrides the members of an earlier entry.
func (all servers) add(file source, name string, said said) {
	s := all[name]
	if s == nil {
		s = &setup.Server{}
		all[name] = s
	}
	s.Name, s.File = name, file.path
	if file.scope == setup.Project {
		s.Scope = setup.Project
	}
	if said.Command != nil {
		s.Command = said.Command
	}
	if dir, ok := said.Cwd.(string); ok {
		s.Dir = dir
	}
	for name, value := range setup.Variables(said.Environment) {
		if s.Env == nil {
			s.Env = map[string]string{}
		}
		s.Env[name] = value
	}
	s.URL = cmp.Or(said.URL, s.URL)
	if said.Enabled != nil {
		s.Disabled = !*said.Enabled
	}
	if said.Disabled != nil {
		s.Disabled = *said.Disabled
	}
}

// choices were measured with a relay in front of a server, 1.18.33.
var choices = []setup.Choice{
	{Mode: setup.ByRelay, Why: "wsi's plugin tells the relay who calls, the relay also sees results that are errors, and no other plugin sees the value"},
	{Mode: setup.ByHooks, Why: "the server stays registered as it is; the plugin does not see the value in a result that is an error"},
}

// registers returns the files of a scope: OpenCode merges all files, so a server may be in any of them.
func registers(env setup.Env, scope setup.Scope) []setup.ServerFile {
	dirs := []string{own(env)}
	if dir := locate(env).ConfigHome; dir != dirs[0] {
		dirs = append(dirs, dir)
	}
	names := []string{"config.json", "opencode.json", "opencode.jsonc"}
	if scope == setup.Project {
		dirs, names = []string{env.Cwd, filepath.Join(env.Cwd, ".opencode")}, names[1:]
	}
	var all []setup.ServerFile
	for _, dir := range dirs {
		for _, name := range names {
			all = append(all, setup.ServerFile{
				Path: filepath.Join(dir, name), Format: setup.JSONC, Tables: [][]string{{"mcp"}, {"mcp", "servers"}}, // the latter in OpenCode 2
				Form: setup.Form{
					Joined: true, Env: "environment", URL: "url", Headers: "headers", Local: "local", Remote: "remote", Kept: []string{"oauth"},
				},
			})
		}
	}
	return all
}

// callLog returns OpenCode's log, which has a line for the permission of each call (1.18.33).
func callLog(env setup.Env, server string) setup.CallLog {
	return setup.CallLog{
		Files: []string{filepath.Join(cmp.Or(env.XDG("XDG_DATA_HOME"), filepath.Join(env.Home, ".local", "share")), "opencode", "log", "*.log")},
		Marks: []string{"message=evaluated permission=" + harnesses.SafeName(server, harnesses.WordOrHyphen) + "_"},
	}
}
