package doctor

import (
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"wsi/doctor/report"
	"wsi/harnesses"
)

// relayFirst are harnesses that setup wires by a relay unless hooks are asked for: where the server is
// registered, where wsi's hooks are, and what the rehearsal says.
var relayFirst = map[string]struct {
	servers, hooks string
	delivered      report.Status
}{
	"gemini-cli":  {".gemini/settings.json", ".gemini/settings.json", report.Warn},
	"copilot-cli": {".copilot/mcp-config.json", ".copilot/hooks/wsi.json", report.Warn},
	"cline-cli":   {".cline/data/settings/cline_mcp_settings.json", ".cline/hooks/PreToolUse.bash", report.OK},
}

// hooked is a world in which one of them is wired by hooks.
func hooked(t *testing.T, id string) *world {
	t.Helper()
	w := newWorld(t, "")
	w.needsShell(id)
	w.write(relayFirst[id].servers, `{"mcpServers":{"workflow-server":{"command":"node"}}}`)
	w.front(id, harnesses.ByHooks)
	w.only = nil
	return w
}

// Their hooks are rehearsed as they are registered. Where hooks are shown a value in the text alone, that is
// said, and all calls are right where it stands there.
func TestRelayFirstHooksAreRehearsed(t *testing.T) {
	for id, h := range relayFirst {
		t.Run(id, func(t *testing.T) {
			w := hooked(t, id)
			r := w.examine()
			if ids := withStatus(r, report.Fail); len(ids) > 0 || len(w.issued) < 3 {
				t.Errorf("broken %v, %d values were handed out\n%s", ids, len(w.issued), w.shown(r))
			}
			for check, want := range map[string]report.Status{"hook.registered": report.OK, "hook.runnable": report.OK, "hook.file": report.OK, "server.registered": report.OK, "token.delivered": h.delivered} {
				if !slices.Contains(withStatus(r, want), id+"."+check) {
					t.Errorf("%s is not %s:\n%s", check, want, w.shown(r))
				}
			}
			said := w.shown(r)
			n := regexp.MustCompile(`rehearsed: (\d+) of (\d+) right`).FindStringSubmatch(said)
			if n == nil || n[1] != n[2] || (h.delivered == report.Warn) != strings.Contains(said, "not always show hooks a value") {
				t.Error(said)
			}
		})
	}
}

// What is wrong with their hooks is found.
func TestRelayFirstHooksGoneWrong(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("bash is not everywhere there")
	}
	for name, c := range map[string]struct {
		id, check string
		harm      func(*world)
	}{
		"another wsi in the program": {"cline-cli", "hook.runnable", func(w *world) { w.replace(relayFirst["cline-cli"].hooks, w.bin, "/gone/wsi") }},
		"the second program is gone": {"cline-cli", "hook.registered", func(w *world) { w.write(".cline/hooks/PostToolUse.bash", "#!/bin/sh\n") }},
		"switched off": {"gemini-cli", "hook.enabled", func(w *world) {
			w.replace(".gemini/settings.json", `{"mcpServers"`, `{"hooksConfig":{"enabled":false},"mcpServers"`)
		}},
		"a folder without trust":      {"gemini-cli", "hook.enabled", func(w *world) { w.write(".gemini/trustedFolders.json", `{"`+w.cwd+`":"DO_NOT_TRUST"}`) }},
		"a comma too much":            {"gemini-cli", "hook.file", func(w *world) { w.replace(".gemini/settings.json", `{"mcpServers"`, `{"ui":{"x":1,},"mcpServers"`) }},
		"a matcher of another server": {"gemini-cli", "hook.matches", func(w *world) { w.replace(".gemini/settings.json", "^mcp_workflow-server_", "^mcp_other_") }},
		"of another harness":          {"copilot-cli", "hook.registered", func(w *world) { w.replace(relayFirst["copilot-cli"].hooks, "--harness copilot-cli", "--harness codex") }},
	} {
		t.Run(name, func(t *testing.T) {
			w := hooked(t, c.id)
			c.harm(w)
			if r := w.examine(); !slices.Contains(withStatus(r, report.Fail), c.id+"."+c.check) {
				t.Errorf("broken is only %s:\n%s", strings.Join(withStatus(r, report.Fail), ", "), w.shown(r))
			}
		})
	}
}
