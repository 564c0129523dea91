// Package geminicli is all that wsi knows of Gemini CLI besides its dialect, measured on 0.61.0.
package geminicli

import (
	"cmp"
	"path/filepath"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
)

// plain wraps url only in an entry of type http. Without a type, Gemini CLI tries HTTP+SSE after Streamable HTTP (`mcp list` of 0.61.0).
func plain() setup.Plain {
	return setup.Plain{
		ID: harnesses.GeminiCLI, Name: "Gemini CLI", Binary: "gemini", Measured: []string{"0.61.0"}, Dir: dir,
		User: []string{"settings.json"}, Project: []string{".gemini/settings.json"}, Format: setup.JSONC, Table: "mcpServers",
		Form: setup.Form{
			Env: "env", URL: "httpUrl", TypedURL: "url", Headers: "headers", Local: "stdio", Remote: "http",
			Kept: []string{"url", "tcp", "oauth", "authProviderType"},
		},
		Agreed:  func(env setup.Env) bool { return strings.HasPrefix(trust(env), "TRUST_") },
		Why:     "it sees all of a result and keeps the value from the model, which need not type any; Gemini CLI refuses a call without a required value before any hook runs",
		Caveats: []string{"Gemini CLI does not tell servers which agent calls, so all agents of a session share one value."},
	}
}

// dir returns the folder below GEMINI_CLI_HOME, which replaces the home folder.
func dir(env setup.Env) string {
	return filepath.Join(cmp.Or(env.Getenv("GEMINI_CLI_HOME"), env.Home), ".gemini")
}

// Harness returns what wsi knows of Gemini CLI.
func Harness() setup.Harness {
	h := plain().Harness()
	h.Find, h.Wiring, h.Files.Reads, h.Files.Managed, h.Hooks.Matches = find, setup.OlderHooks(harnesses.GeminiCLI, reads), reads, managed, matches
	h.Hooks.Dedupes = func(a, b string) bool { return a == b }
	h.Files.Plugins, h.Hooks.Skips, h.Hooks.Order = extensions, skips, order
	h.Files.PluginRemover = func(owner string) string { return "gemini extensions uninstall " + owner } // geminicli.com/docs/extensions/reference, 2026-11
	return h
}

// find blocks all servers in a folder that the user does not trust: Gemini CLI starts none there (0.61.0).
func find(env setup.Env) (setup.Presence, error) {
	p, err := plain().Harness().Find(env)
	if distrusted(env) {
		for i := range p.Servers {
			p.Servers[i].Blocked, p.Servers[i].Remedy = "is not started, because you do not trust "+env.Cwd, trustHere
		}
	}
	return p, err
}

func reads(env setup.Env, scope setup.Scope) []setup.HookFile {
	return []setup.HookFile{hookFile(filepath.Join(env.Folder(scope, dir(env), ".gemini"), "settings.json"))}
}

func hookFile(path string) setup.HookFile {
	return setup.HookFile{Path: path, Format: setup.JSONC, Shape: setup.Grouped}
}

// managed returns the files of the machine's administrator (read in 0.61.0). Variables can move them.
func managed(env setup.Env) []setup.HookFile {
	path := env.ByOS("/etc/gemini-cli/settings.json", "/Library/Application Support/GeminiCli/settings.json", `C:\ProgramData\gemini-cli\settings.json`)
	return []setup.HookFile{hookFile(cmp.Or(env.Getenv("GEMINI_CLI_SYSTEM_SETTINGS_PATH"), path))}
}

// matches treats a matcher as a regular expression or, if it does not compile, as a name.
func matches(matcher string, ev harnesses.Event) bool {
	matcher = strings.TrimSpace(matcher)
	return matcher == ev.Name || setup.MatchesPattern(matcher, ev.Name)
}
