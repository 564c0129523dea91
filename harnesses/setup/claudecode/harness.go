// Package claudecode is all that wsi knows of Claude Code besides its dialect, measured on 2.1.197 and 2.1.329.
package claudecode

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/claudecode"
	"wsi/harnesses/setup"
	"wsi/internal/jsonraw"
	"wsi/internal/lists"
)

// Harness returns what wsi knows of Claude Code.
func Harness() setup.Harness {
	return setup.Harness{
		ID: claudecode.ID, Name: "Claude Code", Dialect: claudecode.Dialect(),
		Measured: []string{"2.1.197", "2.1.329", "2.1.330", "2.1.332"}, Flaws: []setup.Flaw{{
			Before: "2.1.198", Why: "hides a result's _meta from every hook inside a sub-agent",
			Fix: "update Claude Code, or have the server put the value into the text as well",
		}},
		Find: find, Registers: registers, Bundled: bundled, CallLog: callLog, Choices: choices, Wiring: wiring,
		Files: setup.HookFiles{
			Reads: reads, Borrowed: managedFiles, Above: above, Plugins: pluginFiles, Modules: modules,
			PluginRemover: uninstall,
		},
		Hooks: setup.HookFacts{
			Validate: validate, Ask: ask, Policy: policy, Skips: skips,
			// With args, command is the name of a file (2.1.197 and 2.1.329).
			IgnoredWhen: []string{"async", "args", "if"},
			Dedupes:     func(a, b string) bool { return a == b },
			Variables:   variables, HookVariables: hookVariables,
			Order:       "Claude Code starts all hooks of an event at once. A command that is registered twice runs once.",
			Blocking:    map[string]string{"PreToolUse": "the call", "UserPromptSubmit": "the prompt"}, // a hook whose script is missing (2.1.332)
			Transcripts: func(env setup.Env) string { return filepath.Join(locate(env).ConfigHome, "projects") },
		},
		Proof: setup.Proof{Simulator: Simulator{}, Plugins: askPlugins, Meta: func(p setup.ToolCall) []byte { // a hook notes the caller under this id (2.1.197 and 2.1.329)
			return setup.JSONLine(map[string]string{"claudecode/toolUseId": p.ID})
		}},
		Texts: setup.Texts{
			Restart: "Claude Code reads its hooks when a session starts: restart running sessions.",
		},
	}
}

const moves = "CLAUDE_CONFIG_DIR"

// locate returns the folder of the user's settings. If the variable is set but empty, that is the folder of the session
// (2.1.332).
func locate(env setup.Env) setup.Presence {
	p := env.Locate("claude", moves, usual(env))
	if dir, set, adrift := env.FolderFrom(moves); set && p.MovedBy == "" {
		p.ConfigHome, p.Adrift = dir, adrift
		p.Adrift.Why += ", so Claude Code reads settings.json of the folder in which it is started, not " + usual(env)
	}
	return p
}

func usual(env setup.Env) string { return filepath.Join(env.Home, ".claude") }

// project is what .claude.json says about a folder.
type project struct {
	answers

	MCP     json.RawMessage `json:"mcpServers"`
	Any     []string        `json:"disabledMcpServers"`
	Trusted bool            `json:"hasTrustDialogAccepted"`
}

// find reads the servers of all three scopes (2.1.197 and 2.1.329). User and local ones are in .claude.json, which
// CLAUDE_CONFIG_DIR moves, the local ones under the root of the repository's main working tree. The project's
// are in .mcp.json, in this folder or above.
func find(env setup.Env) (setup.Presence, error) {
	p := locate(env)
	state := stateFile(env)
	user, err := readState(env, state)
	add := func(file string, raw []byte) {
		found, e := setup.MCPServers(file, raw, setup.Form{})
		p.Servers = append(p.Servers, found...)
		err = errors.Join(err, e)
	}
	add(state, user.MCP)
	cwd, root := env.Resolved(env.Cwd), env.Resolved(mainRoot(env))
	add(state, user.Projects[cwd].MCP)
	if root != cwd {
		add(state, user.Projects[root].MCP)
	}
	said, switched := answersHere(env, user.Projects)
	approved, refused, off := setOf(said.On), setOf(said.Off), setOf(switched) // there may be many
	own := len(p.Servers)
	for _, dir := range append([]string{env.Cwd}, env.Above()...) {
		var shared struct {
			MCP json.RawMessage `json:"mcpServers"`
		}
		file := filepath.Join(dir, ".mcp.json")
		err = errors.Join(err, env.Decode(file, setup.JSON, &shared))
		add(file, shared.MCP)
	}
	for i := range p.Servers {
		s := &p.Servers[i]
		if i >= own {
			s.Scope, s.Agreed = setup.Project, said.All || approved[s.Name]
			s.Disabled = s.Disabled || refused[s.Name]
		}
		s.Disabled = s.Disabled || off[s.Name]
		if s.Scope == setup.Project && !s.Agreed {
			s.Blocked, s.Remedy = "waits for your approval", "run claude in this folder, and approve the server"
		}
	}
	return p, err
}

// userState is what .claude.json says of servers. It has only the projects that matter in the current folder.
type userState struct {
	MCP      json.RawMessage    `json:"mcpServers"`
	Projects map[string]project `json:"projects"`
}

// readState reads .claude.json, which grows to megabytes: it decodes only what matters here. On Windows Claude Code writes slashes into
// the paths of projects. An entry with backslashes is of another tool or an older version (issues 19910, 27706 and 88418 of
// anthropics/claude-code); it counts where there is no other.
func readState(env setup.Env, file string) (user userState, err error) {
	content, err := env.ReadIfThere(file)
	if err != nil || len(content) == 0 {
		return user, err
	}
	here := folders(env)
	top, err := jsonraw.Object(content)
	all, notObject := jsonraw.ObjectIn(top.Get("projects"))
	if err != nil || notObject != nil { // package json explains it, or accepts it
		return user, env.Decode(file, setup.JSON, &user)
	}
	user.MCP, user.Projects = top.Get("mcpServers"), map[string]project{}
	for _, m := range all {
		name, _ := jsonraw.Unquote(m.Key)
		own := native(env.GOOS, name)
		if _, other := user.Projects[own]; slices.Contains(here, own) && (!other || strings.Contains(name, "/")) {
			var of project
			if err := json.Unmarshal(m.Value, &of); err != nil {
				return user, setup.ConfigError{Path: file, Err: fmt.Errorf("projects.%s: %w", name, setup.ExplainJSON(nil, err))}
			}
			user.Projects[own] = of
		}
	}
	return user, nil
}

// mainRoot returns the root of the repository's main working tree, outside of a repository the current folder.
func mainRoot(env setup.Env) string {
	r, ok := env.Repository()
	if !ok {
		return env.Cwd
	}
	return cmp.Or(r.Main, r.Root)
}

// choices were measured with a relay in front of a server, 2.1.197 and 2.1.329.
var choices = []setup.Choice{
	{Mode: setup.ByRelay, Why: "no transcript or dialog shows the value, wsi also sees results that are errors, and each sub-agent has a value of its own"},
	{Mode: setup.ByHooks, Why: "the server stays registered as it is; hooks may not see the value in a result that is an error or that a sub-agent gets"},
}

// registers returns the user's file with the servers for one project, too: they belong to the user.
func registers(env setup.Env, scope setup.Scope) []setup.ServerFile {
	form := setup.Form{
		Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "http",
		Kept: []string{"headersHelper", "oauth"},
	}
	if scope == setup.Project {
		return []setup.ServerFile{{
			Path: filepath.Join(env.Cwd, ".mcp.json"), Format: setup.JSON, Form: form, Tables: [][]string{{"mcpServers"}},
		}}
	}
	return []setup.ServerFile{{
		Path: stateFile(env), Format: setup.JSON, Form: form,
		Tables: [][]string{{"mcpServers"}, {"projects", "*", "mcpServers"}},
	}}
}

// stateFile is moved by CLAUDE_CONFIG_DIR (2.1.197 and 2.1.329), unless that is empty (2.1.332).
func stateFile(env setup.Env) string {
	if p := locate(env); p.MovedBy != "" {
		return filepath.Join(p.ConfigHome, ".claude.json")
	}
	return filepath.Join(env.Home, ".claude.json")
}

// callLog returns the logs that Claude Code keeps of each server in its cache, in a folder for each project (2.1.197 and
// 2.1.330; on macOS and Windows as its program says, not tried there).
func callLog(env setup.Env, server string) setup.CallLog {
	cache := env.ByOS(
		filepath.Join(cmp.Or(env.Getenv("XDG_CACHE_HOME"), filepath.Join(env.Home, ".cache")), "claude-cli-nodejs"),
		filepath.Join(env.Home, "Library", "Caches", "claude-cli-nodejs"),
		filepath.Join(cmp.Or(env.Getenv("LOCALAPPDATA"), filepath.Join(env.Home, "AppData", "Local")), "claude-cli-nodejs", "Cache"),
	)
	alphanumeric := func(r rune) bool { return r != '_' && harnesses.Word(r) }
	name := strings.ReplaceAll(harnesses.SafeName(server, alphanumeric), "_", "-")
	return setup.CallLog{
		Files: []string{filepath.Join(cache, "*", "mcp-logs-"+name, "*.jsonl")},
		Marks: []string{`"debug":"Calling MCP tool: `},
	}
}

// timeout bounds a hook that waits for a transcript line, in seconds.
const timeout = 10

// wiring registers hooks in the user's settings.json, or in the project's settings.local.json: a command with a path
// of this machine must not get into a repository.
func wiring(env setup.Env, scope setup.Scope, p setup.Program) (setup.Wiring, error) {
	if err := p.Check(env.GOOS); err != nil {
		return setup.Wiring{}, err
	}
	path := filepath.Join(locate(env).ConfigHome, "settings.json")
	if scope == setup.Project {
		path = filepath.Join(env.Cwd, ".claude", "settings.local.json")
	}
	_, bash := gitBash(env)
	entry := func(event, verb, matcher string) setup.Entry {
		command := p.Command(env.GOOS, verb, claudecode.ID)
		if !bash {
			command = setup.ForPowerShell(env.GOOS, command)
		}
		return setup.Entry{Event: event, Matcher: matcher, Command: command, Timeout: timeout}
	}
	tools := matcher(p.Servers)
	entries := []setup.Entry{entry("PreToolUse", harnesses.Inject, tools)}
	if !p.Relay { // else the relay sees the results
		entries = append(entries, entry("PostToolUse", harnesses.Capture, tools), entry("PostToolUseFailure", harnesses.Capture, tools))
		if p.Meta { // Claude Code runs these whatever tools were called and whatever their matchers say (2.1.330, 2.1.332)
			for _, event := range []string{"PostToolBatch", "Stop", "SubagentStop"} {
				e := entry(event, harnesses.Capture, "")
				e.Meta = true
				entries = append(entries, e)
			}
		}
	}
	return setup.Wiring{Hooks: []setup.HookFile{{Path: path, Format: setup.JSON, Shape: setup.Grouped, Entries: entries}}}, nil
}

// matcher returns a pattern for mcp__<server>__<tool> and mcp__plugin_<plugin>_<server>__<tool>. Because of the ^,
// Claude Code does not read it as a list of exact names.
func matcher(servers []string) string {
	names := lists.Map(servers, func(s string) string { return harnesses.SafeName(s, harnesses.WordOrHyphen) })
	name := strings.Join(names, "|")
	if len(names) > 1 {
		name = "(" + name + ")"
	}
	return "^mcp__(plugin_.+_)?" + name + "__"
}

func hookFile(path string, of setup.Origin) setup.HookFile {
	return setup.HookFile{Path: path, Format: setup.JSON, Shape: setup.Grouped, Origin: of}
}

// managedFiles returns the settings file of the machine's administrator (Linux: tried with 2.1.197 and 2.1.329; others:
// code.claude.com/docs/en/managed-settings, 2026-11), and those in the folder next to it, which are read after it in the
// order of their names (2.1.197 and 2.1.330). Settings that an organization distributes by MDM or from its console are not in a
// file.
func managedFiles(env setup.Env) []setup.HookFile {
	base := env.ByOS("/etc/claude-code", "/Library/Application Support/ClaudeCode", `C:\Program Files\ClaudeCode`)
	all := []setup.HookFile{hookFile(filepath.Join(base, "managed-settings.json"), setup.OfManaged)}
	folder := filepath.Join(base, "managed-settings.d")
	for _, name := range env.Names(folder) {
		if filepath.Ext(name) == ".json" && name[0] != '.' {
			all = append(all, hookFile(filepath.Join(folder, name), setup.OfManaged))
		}
	}
	return all
}

func reads(env setup.Env, scope setup.Scope) []setup.HookFile {
	if scope == setup.Project {
		dir := filepath.Join(env.Cwd, ".claude")
		return []setup.HookFile{
			hookFile(filepath.Join(dir, "settings.json"), setup.OfProject), hookFile(filepath.Join(dir, "settings.local.json"), setup.OfLocal),
		}
	}
	return []setup.HookFile{hookFile(filepath.Join(locate(env).ConfigHome, "settings.json"), setup.OfUser)}
}

// above returns the file that 2.1.329 reads in addition to those of the current folder, in folders below it and in
// linked working trees. 2.1.197 does not read it.
func above(env setup.Env) []setup.HookFile {
	root := mainRoot(env)
	if root == env.Cwd {
		return nil
	}
	return []setup.HookFile{hookFile(filepath.Join(root, ".claude", "settings.local.json"), setup.OfLocal)}
}

// variables returns what settings files set for hooks. The last file that sets one wins.
func variables(env setup.Env) (values, from map[string]string) {
	values, from = map[string]string{}, map[string]string{}
	for _, l := range layers(env) {
		for name, value := range setup.Variables(l.settings["env"]) {
			values[name], from[name] = value, l.Path
		}
	}
	return values, from
}

// gitBash returns the path of bash as Claude Code looks for it on Windows: where a variable says, in the folders in which Git
// for Windows is usually installed, and next to git (2.1.224, anthropics/claude-code issue 84822). The PATH does not help: Git's
// installer puts only git on it, and Windows has a bash.exe that starts Linux.
func gitBash(env setup.Env) (path string, ok bool) {
	if env.GOOS != "windows" {
		return "", false
	}
	places := []string{
		env.Getenv("CLAUDE_CODE_GIT_BASH_PATH"),
		`C:\Program Files\Git\bin\bash.exe`, `C:\Program Files (x86)\Git\bin\bash.exe`,
	}
	if env.LookPath != nil {
		if git, err := env.LookPath("git"); err == nil {
			places = append(places, filepath.Join(filepath.Dir(filepath.Dir(git)), "bin", "bash.exe"))
		}
	}
	return lists.Find(places, func(path string) bool { return path != "" && env.Exists(path) && !env.IsDir(path) })
}
