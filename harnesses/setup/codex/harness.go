// Package codex is all that wsi knows of Codex besides its dialect, measured on codex-cli 0.169.0.
package codex

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/codex"
	"wsi/harnesses/setup"
	"wsi/internal/jsonraw"
	"wsi/internal/lists"
)

// Harness returns what wsi knows of Codex.
func Harness() setup.Harness {
	return setup.Harness{
		ID: codex.ID, Name: "Codex", Dialect: codex.Dialect(), Measured: []string{"0.169.0", "0.171.0"},
		Find: find, Registers: registers, CallLog: callLog, Choices: choices, Wiring: wiring,
		Files: setup.HookFiles{
			Reads: reads, Borrowed: managed, Above: above, Plugins: pluginFiles, Modules: notify, Below: true, ProjectAt: projectAt,
		},
		Hooks: setup.HookFacts{
			Validate: validate, Ask: ask, Policy: policy, Skips: skips, IgnoredWhen: []string{"async"},
			TrustRecords: trustRecords, HookVariables: hookVariables, Blocking: setup.BlocksCalls, // 0.171.0
			Order: "Codex runs all hooks of an event at once. If several change the arguments of a call, it uses those of the one that ends last.",
		},
		Proof: setup.Proof{Simulator: Simulator{}, Meta: meta, QueryHooks: queryHooks, Starts: starts},
		Texts: setup.Texts{
			Restart: "Codex reads its hooks once per session: start a new one.",
			HookCaveats: []string{
				"Codex runs no hook after a failed call. wsi then takes the value from the transcript, which codex --ephemeral does not write.",
			},
		},
	}
}

// locate returns the folder of the user's configuration. Codex makes the usual one, but not another: without it, it does not start
// (0.171.0).
func locate(env setup.Env) setup.Presence {
	p := env.Locate("codex", moves, filepath.Join(env.Home, ".codex"))
	if p.MovedBy != "" && p.Adrift.Why == "" && !env.IsDir(p.ConfigHome) {
		p.Adrift = setup.Reason{Why: "Codex does not start: " + moves + " names " + p.ConfigHome + ", and there is no such folder", Fix: "make that folder, or unset " + moves}
	}
	return p
}

const moves = "CODEX_HOME"

func folder(env setup.Env, scope setup.Scope) string {
	return env.Folder(scope, locate(env).ConfigHome, ".codex")
}

// find merges the files that Codex reads. Servers in files of untrusted projects are blocked.
func find(env setup.Env) (setup.Presence, error) {
	p := locate(env)
	home := filepath.Join(p.ConfigHome, "config.toml")
	user, err := decode(env, home)
	said := registrations{}
	said.merge(home, setup.User, user)
	var blocked []setup.Server
	var above []configFile
	trust := projects(env)
	for _, dir := range layers(env) {
		file := filepath.Join(dir, "config.toml")
		config, e := decode(env, file)
		if trustedProject(env, trust, filepath.Dir(dir)) {
			said.merge(file, setup.Project, config)
			above = append(above, configFile{file, config})
			err = errors.Join(err, e)
			continue
		}
		unread := registrations{}
		unread.merge(file, setup.Project, config)
		for _, s := range unread.servers(env) {
			s.Blocked = "is not read, because Codex does not trust the project " + filepath.Dir(dir)
			s.Remedy = "start codex there and trust the project"
			blocked = append(blocked, s)
		}
	}
	p.Servers = said.servers(env)
	for i := range p.Servers {
		p.Servers[i].Agreed = p.Servers[i].Scope == setup.Project
	}
	p.Servers = slices.Concat(p.Servers, profileServers(env, []configFile{{home, user}}, above), blocked)
	return p, err
}

// configFile is a file of Codex's configuration.
type configFile struct {
	path   string
	config map[string]any
}

// registrations are servers by name, merged from several files.
type registrations map[string]registration

type registration struct {
	table map[string]any
	file  string // the last one that registers or changes it
	scope setup.Scope
}

// merge merges the servers of a file, which override those of earlier files.
func (r registrations) merge(file string, scope setup.Scope, config map[string]any) {
	for name, entry := range setup.Table(config, "mcp_servers") {
		r[name] = registration{merged(r[name].table, setup.Table(entry)), file, scope}
	}
}

// merged returns one table overridden by another.
func merged(below, above map[string]any) map[string]any {
	all := maps.Clone(below)
	if all == nil {
		all = map[string]any{}
	}
	for key, value := range above {
		if inner, old := setup.Table(value), setup.Table(all, key); inner != nil && old != nil {
			value = merged(old, inner)
		}
		all[key] = value
	}
	return all
}

// layers returns the folders of a project's configuration: Codex reads one in every folder from the root of the
// repository to the current one. The user's own folder is none of them, not even in a home that is trusted (`mcp list` of 0.169.0).
func layers(env setup.Env) []string {
	var dirs []string
	for _, dir := range append([]string{env.Cwd}, env.Above()...) {
		if own := filepath.Join(dir, ".codex"); own != locate(env).ConfigHome {
			dirs = append(dirs, own)
		}
	}
	slices.Reverse(dirs)
	return dirs
}

// passed returns the names of the variables that Codex passes on to a server (0.169.0 on Linux; Windows was not tried).
func passed(env setup.Env, entry map[string]any) []string {
	if env.GOOS == "windows" {
		return nil
	}
	return append([]string{
		"HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
		"CODEX_CA_CERTIFICATE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE",
	}, words(entry["env_vars"])...)
}

func (r registrations) servers(env setup.Env) (found []setup.Server) {
	for _, name := range slices.Sorted(maps.Keys(r)) {
		of := r[name]
		entry := of.table
		s := setup.Server{Name: name, File: of.file, Scope: of.scope, Disabled: entry["enabled"] == false}
		s.URL, _ = entry["url"].(string)
		if command, ok := entry["command"].(string); ok {
			s.Command = append([]string{command}, words(entry["args"])...)
			s.Dir, _ = entry["cwd"].(string)
			s.Env = setup.Variables(entry["env"])
			s.Passes = passed(env, entry)
		}
		found = append(found, s)
	}
	return found
}

func words(v any) []string {
	list, _ := v.([]any)
	return lists.Map(list, func(word any) string { return fmt.Sprint(word) })
}

func decode(env setup.Env, file string) (map[string]any, error) {
	content, err := env.ReadIfThere(file)
	if err != nil {
		return nil, err
	}
	config, err := parse(content)
	if err != nil {
		return nil, setup.ConfigError{Path: file, Err: setup.InvalidConfigError{Effect: noStart, Fatal: true, Why: err.Error()}}
	}
	return config, nil
}

const noStart = "Codex does not start with this file"

// parse decodes a config.toml. Codex 0.169.0 accepts a byte order mark. It does not start if hooks is not a table.
func parse(content []byte) (map[string]any, error) {
	config, err := setup.DecodeTOML(content)
	if err != nil {
		return nil, err
	}
	if hooks, ok := config["hooks"]; ok && setup.Table(hooks) == nil {
		return nil, errors.New("hooks is not a table")
	}
	return config, nil
}

// choices were measured with a relay in front of a server, 0.169.0.
var choices = []setup.Choice{
	{Mode: setup.ByRelay, Why: "each call names its session and thread, wsi also sees results that are errors, and no hook has to be trusted"},
	{Mode: setup.ByHooks, Why: "the server stays registered as it is; you must trust the hooks, and they do not see the value in a result that is an error"},
}

// registers: of the user's variables, a server gets only those that env_vars names (0.169.0).
func registers(env setup.Env, scope setup.Scope) []setup.ServerFile {
	return []setup.ServerFile{{
		Path: filepath.Join(folder(env, scope), "config.toml"), Format: setup.TOML, Tables: [][]string{{"mcp_servers"}},
		Form: setup.Form{ //nolint:gosec // names of keys
			Env: "env", URL: "url", Headers: "http_headers", Bearer: "bearer_token_env_var", Passes: "env_vars",
			Kept: []string{"env_http_headers", "auth", "oauth", "scopes", "oauth_resource"},
		},
	}}
}

// callLog returns the rollouts, one for each session and each sub-agent. An item for each call of a server names it (0.169.0).
func callLog(env setup.Env, server string) setup.CallLog {
	return setup.CallLog{
		Files: []string{filepath.Join(locate(env).ConfigHome, "sessions", "*", "*", "*", "rollout-*.jsonl")},
		Marks: []string{`"type":"McpToolCall"`, `"server":` + string(jsonraw.Quote(server)) + `,`},
	}
}

const timeout = 10 // seconds

// wiring registers hooks in hooks.json. If that file does not exist and config.toml already defines hooks, or has those
// of wsi, it registers them there: Codex runs the hooks of both files, but warns at every start that it read
// two. Once hooks.json has hooks of wsi, config.toml does not matter.
func wiring(env setup.Env, scope setup.Scope, p setup.Program) (setup.Wiring, error) {
	if err := p.Check(env.GOOS); err != nil {
		return setup.Wiring{}, err
	}
	tools, err := matcher(p.Servers)
	if err != nil {
		return setup.Wiring{}, err
	}
	entry := func(event, verb string) setup.Entry {
		return setup.Entry{Event: event, Matcher: tools, Command: setup.ForPowerShell(env.GOOS, p.Command(env.GOOS, verb, codex.ID)), Timeout: timeout}
	}
	dir := folder(env, scope)
	file := setup.HookFile{
		Path: filepath.Join(dir, "hooks.json"), Format: setup.JSON, Shape: setup.Grouped,
		Entries: []setup.Entry{entry("PreToolUse", harnesses.Inject), entry("PostToolUse", harnesses.Capture)},
	}
	inline, ours, err := inlineHooks(env, filepath.Join(dir, "config.toml"))
	if content, _ := env.ReadFile(file.Path); err != nil && !bytes.Contains(content, []byte("--harness "+codex.ID)) { // no hooks of wsi
		return setup.Wiring{}, err
	}
	if ours || inline && !env.Exists(file.Path) {
		file.Path, file.Format = filepath.Join(dir, "config.toml"), setup.TOML
	}
	return setup.Wiring{Hooks: []setup.HookFile{file}}, nil
}

// inlineHooks reports whether a config.toml registers hooks, and whether some are wsi's. [hooks.state] registers none.
func inlineHooks(env setup.Env, file string) (defines, ours bool, err error) {
	config, err := decode(env, file)
	if err != nil {
		return false, false, err
	}
	for event := range setup.Table(config, "hooks") {
		defines = defines || event != "state"
	}
	return defines, len(ownHooks(config)) > 0, nil
}

// matcher returns a pattern for mcp__<server>__<tool>. Codex writes _ for every character that is not a letter, digit or
// _, drops each _ at the end, and appends a hash of twelve digits if two names become equal. Other versions may
// keep hyphens, so they match as well.
func matcher(servers []string) (string, error) {
	names := make([]string, len(servers))
	for i, s := range servers {
		s = strings.TrimRight(harnesses.SafeName(s, harnesses.WordOrHyphen), "_-")
		if s == "" {
			return "", fmt.Errorf("no hook can match the tools of a server named %q: rename it", servers[i])
		}
		names[i] = strings.ReplaceAll(s, "-", "[-_]")
	}
	name := strings.Join(names, "|")
	if len(names) > 1 {
		name = "(" + name + ")"
	}
	return "^mcp__" + name + "(_[0-9a-f]{12})?__", nil
}
