package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/internal/testkit/configgen"
	"wsi/internal/testkit/samplehome"
)

// randomHomes is the number of homes with random settings.
const randomHomes = 40

// homes sets up homes in every mode and removes wsi from them.
func homes() (all []scenario, _ error) {
	for _, scope := range []string{"user", "project"} {
		all = append(all, scenario{"home", "sample home, scope " + scope, func(p *place) {
			p.put(samplehome.Files(p.home()))
			p.views()
			p.modes("--scope", scope)
		}})
	}
	for _, h := range registry.All() {
		for _, remote := range []bool{false, true} {
			all = append(all, scenario{"home", fmt.Sprintf("%s, remote server %t", h.ID, remote), func(p *place) {
				p.put(registered(p, h, remote))
				p.modes("--harness", h.ID)
			}})
		}
	}
	for seed := range uint64(randomHomes) {
		all = append(all, scenario{"settings", fmt.Sprint("random ", seed), func(p *place) {
			p.put(random(rand.New(rand.NewPCG(seed, 1)))) //nolint:gosec // the same home each time
			p.changes()
		}})
	}
	return all, nil
}

// modes sets a home up, by default and in each mode, and removes wsi. It looks at the home in between.
func (p *place) modes(flags ...string) {
	p.wsi(nil, slices.Concat([]string{"setup", "--dry-run", "--json"}, flags)...)
	for _, mode := range []string{"", "relay", "hooks"} {
		wiring := flags
		if mode != "" {
			wiring = slices.Concat(flags, []string{"--wiring", mode})
		}
		p.wsi(nil, slices.Concat([]string{"setup", "--dry-run"}, wiring)...)
		p.wsi(nil, slices.Concat([]string{"setup", "--yes", "--trust-codex-hooks"}, wiring)...)
		p.tree()
		p.views()
	}
	p.wsi(nil, "remove", "--dry-run")
	p.wsi(nil, "remove", "--yes", "--json")
	p.wsi(nil, "remove", "--yes", "--json", "--scope", "project")
	p.tree()
}

// changes sets up a home whose settings may be damaged, changes the mode and removes wsi.
func (p *place) changes() {
	p.wsi(nil, "setup", "--dry-run")
	p.wsi(nil, "setup", "--yes")
	p.tree()
	p.wsi(nil, "hooks", "--json")
	p.wsi(nil, "setup", "--yes", "--wiring", "relay")
	p.tree()
	p.wsi(nil, "remove", "--yes")
	p.tree()
}

// views records what the commands that only read say.
func (p *place) views() {
	for _, line := range []string{"doctor --json", "doctor --plain -v", "hooks --json", "hooks", "status --json", "status", "rules list", "rules list --json", "log --json"} {
		p.wsi(nil, strings.Fields(line)...)
	}
}

// registered returns the user's file of a harness, with a server.
func registered(p *place, h setup.Harness, remote bool) map[string]string {
	file := h.Registers(setup.Env{
		Home: p.home(), Cwd: p.project(), GOOS: "linux", ReadFile: os.ReadFile,
		Getenv:   func(string) string { return "" },
		Stat:     func(string) (bool, error) { return false, os.ErrNotExist },
		LookPath: func(string) (string, error) { return "", os.ErrNotExist },
	}, setup.User)[0]
	keys := append(slices.Clone(file.Tables[0]), harnesses.DefaultServer)
	text := `{"command": "node"}`
	switch form := file.Form; {
	case file.Format == setup.TOML:
		text = "[" + strings.Join(keys, ".") + "]\ncommand = \"node\"\n"
		keys = nil
	case remote && form.URL != "" && form.Headers != "":
		text = fmt.Sprintf(`{"type": %q, %q: "http://localhost:1/mcp", %q: {"X-Key": "secret"}}`, form.Remote, form.URL, form.Headers)
	case form.Joined:
		text = `{"command": ["node"]}`
	}
	for _, key := range slices.Backward(keys) {
		text = fmt.Sprintf("{%q: %s}", key, text)
	}
	rel, err := filepath.Rel(p.home(), file.Path)
	p.check(err)
	return map[string]string{rel: text + "\n"}
}

// random returns random settings of several harnesses, with hooks and servers of others.
func random(r *rand.Rand) map[string]string {
	return map[string]string{
		".claude/settings.json":           configgen.JSON(r, configgen.Rules{Typed: true, Events: []string{"PreToolUse", "Stop", "PostToolUse"}}),
		".claude.json":                    configgen.JSONServers(r, "mcpServers", false, false),
		".codex/hooks.json":               configgen.JSON(r, configgen.Rules{Typed: true, Lone: true, Events: []string{"PreToolUse", "Stop", "PostToolUse"}}),
		".codex/config.toml":              configgen.TOMLServers(r),
		".cursor/hooks.json":              configgen.JSON(r, configgen.Rules{Flat: true, Bare: true, Typed: true, Comments: true, Preset: `"version": 1`, Events: []string{"preToolUse", "stop"}}),
		".cursor/mcp.json":                configgen.JSONServers(r, "mcpServers", false, true),
		".config/opencode/opencode.jsonc": configgen.JSONServers(r, "mcp", true, true),
		".gemini/settings.json":           configgen.JSONServers(r, "mcpServers", false, true),
	}
}
