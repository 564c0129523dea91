package codex

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses"
)

const timeout = 10 // seconds

// wiring registers hooks in hooks.json. If that file does not exist and config.toml already defines hooks, or has those
// of wsi, it registers them there: Codex runs the hooks of both files, but warns at every start that it read
// two. Once hooks.json has hooks of wsi, config.toml does not matter.
func wiring(env harnesses.Env, scope harnesses.Scope, p harnesses.Program) (harnesses.Wiring, error) {
	if err := p.Check(env.GOOS); err != nil {
		return harnesses.Wiring{}, err
	}
	entries, err := entries(env.GOOS, p)
	if err != nil {
		return harnesses.Wiring{}, err
	}
	dir := folder(env, scope)
	file := harnesses.HookFile{
		Path: filepath.Join(dir, "hooks.json"), Format: harnesses.JSON, Shape: harnesses.Grouped, Entries: entries,
	}
	inline, ours, err := inlineHooks(env, filepath.Join(dir, "config.toml"))
	if err != nil && !mentioned(env, file.Path) {
		return harnesses.Wiring{}, err
	}
	if _, err := env.Stat(file.Path); ours || err != nil && inline {
		file.Path, file.Format = filepath.Join(dir, "config.toml"), harnesses.TOML
	}
	return harnesses.Wiring{Hooks: []harnesses.HookFile{file}}, nil
}

func entries(goos string, p harnesses.Program) (all []harnesses.Entry, err error) {
	add := func(event, verb, matcher string, compaction bool) {
		all = append(all, harnesses.Entry{Event: event, Matcher: matcher, Command: harnesses.ForPowerShell(goos, p.Command(goos, verb, ID)), Timeout: timeout, Compaction: compaction})
	}
	for _, e := range []struct {
		event, verb string
		servers     []string
	}{{"PreToolUse", harnesses.Inject, p.Servers}, {"PostToolUse", harnesses.Capture, p.Seen()}} {
		if len(e.servers) == 0 || p.Relay {
			continue
		}
		m, err := matcher(e.servers)
		if err != nil {
			return nil, err
		}
		add(e.event, e.verb, m, false)
	}
	if len(p.Handles) > 0 {
		add("SessionStart", harnesses.Capture, "compact", true)
		add("PostCompact", harnesses.Capture, "", true) // a sub-agent has no SessionStart event
	}
	return all, nil
}

// inlineHooks reports whether a config.toml registers hooks, and whether some are wsi's. [hooks.state] registers none.
func inlineHooks(env harnesses.Env, file string) (defines, ours bool, err error) {
	config, err := decode(env, file)
	if err != nil {
		return false, false, err
	}
	for event := range table(config["hooks"]) {
		defines = defines || event != "state"
	}
	return defines, len(ownHooks(config)) > 0, nil
}

// mentioned reports whether a hooks.json has hooks of wsi.
func mentioned(env harnesses.Env, file string) bool {
	content, err := env.ReadFile(file)
	return err == nil && bytes.Contains(content, []byte("--harness "+ID))
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

func sortByName(s []harnesses.Server) {
	slices.SortFunc(s, func(a, b harnesses.Server) int { return cmp.Compare(a.Name, b.Name) })
}
