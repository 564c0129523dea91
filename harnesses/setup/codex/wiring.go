package codex

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/codex"
	"wsi/harnesses/setup"
)

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
	if err != nil && !mentioned(env, file.Path) {
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

// mentioned reports whether a hooks.json has hooks of wsi.
func mentioned(env setup.Env, file string) bool {
	content, err := env.ReadFile(file)
	return err == nil && bytes.Contains(content, []byte("--harness "+codex.ID))
}

// matcher returns a pattern for mcp__<server>__<tool>. Codex writes _ for every character that is not a letter, digit or
// _, drops each _ at the end, and appends a hash of twelve digits if two names become equal. Other versions may
// keep hyphens, so they match as well.
func matcher(servers []string) (string, error) {
	names := make([]string, len(servers))
	for i, s := range servers {
		s = strings.TrimRight(harnesses.SafeName(s, harnesses.WordOrHyphen), "_-")
		if s == "" {
			return "", fmt.Errorf("codex has no name for the tools of a server called %q", servers[i])
		}
		names[i] = strings.ReplaceAll(s, "-", "[-_]")
	}
	name := strings.Join(names, "|")
	if len(names) > 1 {
		name = "(" + name + ")"
	}
	return "^mcp__" + name + "(_[0-9a-f]{12})?__", nil
}
