// Package codex is all that wsi knows of Codex, measured on codex-cli 0.169.0.
package codex

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "codex"

// Harness returns what wsi knows of Codex.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID: ID, Name: "Codex",
		Choices: choices, Registers: registers,
		Find: find, Wiring: wiring, Accepts: accepts, Consent: consent, Dialect: Dialect{}, Twin: Twin{}, Meta: meta,
		Reads: reads, Above: above, Below: true, ProjectAt: projectAt, Matches: matches, Gate: gate, Listed: listed,
		Voids: []string{"async"}, Managed: managed, Measured: []string{"0.169.0"},
		Restart: "Codex reads its hooks once per session: start a new one.",
		HookCaveats: []string{
			"Codex runs no hook after a call that failed; wsi then takes the value from the transcript, which --ephemeral turns off.",
		},
	}
}

func locate(env harnesses.Env) harnesses.Presence {
	return env.Locate("codex", "CODEX_HOME", filepath.Join(env.Home, ".codex"))
}

func find(env harnesses.Env) (harnesses.Presence, error) {
	p := locate(env)
	var err error
	for _, dir := range append([]string{p.ConfigHome}, layers(env)...) {
		found, e := servers(env, filepath.Join(dir, "config.toml"))
		p.Servers = append(p.Servers, found...)
		err = errors.Join(err, e)
	}
	return p, err
}

// layers are the folders of a project's configuration: Codex reads those of every folder from the
// root of the repository to the current one.
func layers(env harnesses.Env) []string {
	var dirs []string
	for _, dir := range append([]string{env.Cwd}, env.Above()...) {
		dirs = append(dirs, filepath.Join(dir, ".codex"))
	}
	slices.Reverse(dirs)
	return dirs
}

// passed are the variables that Codex passes on to a server, of all that it has itself (0.169.0 on
// Linux; on Windows it was not tried).
func passed(env harnesses.Env, entry map[string]any) []string {
	if env.GOOS == "windows" {
		return nil
	}
	names := []string{
		"HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
		"CODEX_CA_CERTIFICATE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE",
	}
	more, _ := entry["env_vars"].([]any)
	for _, name := range more {
		names = append(names, fmt.Sprint(name))
	}
	return names
}

func servers(env harnesses.Env, file string) ([]harnesses.Server, error) {
	config, err := decode(env, file)
	if err != nil {
		return nil, err
	}
	var found []harnesses.Server
	for name, raw := range table(config["mcp_servers"]) {
		entry := table(raw)
		s := harnesses.Server{Name: name, File: file, Disabled: entry["enabled"] == false}
		s.URL, _ = entry["url"].(string)
		if entry["supports_parallel_tool_calls"] == true {
			s.Parallel = "supports_parallel_tool_calls = true"
		}
		if command, ok := entry["command"].(string); ok {
			s.Command = []string{command}
			args, _ := entry["args"].([]any)
			for _, a := range args {
				s.Command = append(s.Command, fmt.Sprint(a))
			}
			s.Dir, _ = entry["cwd"].(string)
			s.Env = harnesses.Variables(entry["env"])
			s.Passes = passed(env, entry)
		}
		found = append(found, s)
	}
	sortByName(found)
	return found, nil
}

func decode(env harnesses.Env, file string) (map[string]any, error) {
	content, err := env.ReadIfThere(file)
	if err != nil {
		return nil, err
	}
	config, err := parse(content)
	if err != nil {
		return nil, harnesses.Unreadable{Path: file, Err: err}
	}
	return config, nil
}

// parse decodes a config.toml. Codex 0.169.0 takes one with a byte order mark, and does not start
// with one whose hooks are no table.
func parse(content []byte) (map[string]any, error) {
	var config map[string]any
	err := toml.Unmarshal(bytes.TrimPrefix(content, []byte("\ufeff")), &config)
	var at *toml.DecodeError
	if errors.As(err, &at) {
		row, column := at.Position()
		return nil, fmt.Errorf("line %d, column %d: %s", row, column, strings.TrimPrefix(at.Error(), "toml: "))
	}
	if hooks, ok := config["hooks"]; ok && table(hooks) == nil {
		return nil, errors.New("hooks is no table")
	}
	return config, err
}

// table returns the table that a decoded value is, nil if it is none.
func table(v any) map[string]any {
	t, _ := v.(map[string]any)
	return t
}
