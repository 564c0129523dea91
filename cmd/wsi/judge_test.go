package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wsi/doctor/hooklist"
	"wsi/doctor/report"
	"wsi/doctor/status"
)

// status, doctor and hooks say the same of a project: in its root, in a folder below and in another worktree. Where a harness
// runs the project's hooks, none of them says to set wsi up again.
func TestOneJudge(t *testing.T) {
	w := newWorld(t, map[string]string{
		"src/demo/.git/HEAD":                     "ref: refs/heads/main\n",
		"src/demo/.git/worktrees/tree/commondir": "../..\n",
		"src/demo/.mcp.json":                     `{"mcpServers":{"workflow-server":{"command":"node"}}}`,
		"src/demo/.codex/config.toml":            "[mcp_servers.workflow-server]\ncommand = \"node\"\n",
		"src/demo/.cursor/mcp.json":              `{"mcpServers":{"workflow-server":{"command":"node"}}}`,
		"src/demo/opencode.json":                 `{"mcp":{"workflow-server":{"type":"local","command":["node"]}}}`,
		"src/demo/below/deep/x":                  "",
		"src/tree/.mcp.json":                     `{"mcpServers":{"workflow-server":{"command":"node"}}}`,
		"src/tree/.codex/config.toml":            "[mcp_servers.workflow-server]\ncommand = \"node\"\n",
		".claude/x":                              "", ".cursor/x": "", ".config/opencode/x": "",
	}, nil)
	root, tree, program := w.Cwd, filepath.Join(w.Home, "src", "tree"), filepath.Join(w.Home, "bin", "wsi")
	w.put(t, "bin/wsi", "")
	w.hasCodex(t)
	w.put(t, "src/tree/.git", "gitdir: "+filepath.Join(root, ".git", "worktrees", "tree")+"\n")
	w.put(t, "src/demo/.git/worktrees/tree/gitdir", filepath.Join(tree, ".git")+"\n")
	w.put(t, ".codex/config.toml", "[projects.'"+root+"']\ntrust_level = \"trusted\"\n")
	if _, exit := w.run("setup", "--yes", "--scope", "project", "--trust-codex-hooks", "--harness", "claude-code,codex,cursor,opencode", "--binary", program); exit != 0 {
		t.Fatal(w.errs)
	}
	for folder, runs := range map[string][]string{
		root:                                 {"claude-code", "codex", "cursor", "opencode"},
		filepath.Join(root, "below", "deep"): {"claude-code", "codex", "opencode"},
		tree:                                 {"claude-code", "codex"},
	} {
		w.Cwd = folder
		var s status.Status
		var d report.Document
		var h hooklist.List
		for command, into := range map[string]any{"status": &s, "doctor --check": &d, "hooks": &h} {
			out, _ := w.run(append(strings.Fields(command), "--json")...)
			if err := json.Unmarshal([]byte(out), into); err != nil {
				t.Fatalf("%s: %v\n%s%s", command, err, out, w.errs)
			}
		}
		if s.Healthy != d.Healthy {
			t.Errorf("%s: %q, and the doctor says %v", folder, s.Verdict, d.Healthy)
		}
		for i, g := range d.Groups {
			one, listed := s.Harnesses[i], h.Only(g.ID).Hooks
			said := slices.ContainsFunc(listed, func(r hooklist.Row) bool { return r.CanRun && strings.Contains(r.Command+r.File, "wsi") })
			if want := slices.Contains(runs, g.ID); one.ID != g.ID || (one.By != "") != want || g.Wired != want || said != want {
				t.Errorf("%s, %s: status says %q, the doctor %v, hooks %v, want %v", folder, g.ID, one.By, g.Wired, said, want)
			}
			for _, f := range g.Findings {
				bad := f.Status == report.Warn || f.Status == report.Fail
				if bad && !slices.ContainsFunc(one.Wrong, func(o report.Finding) bool { return o.ID == f.ID && o.Status == f.Status }) {
					t.Errorf("%s: status does not say %s", folder, f.Text)
				}
				if bad && g.Wired && strings.HasPrefix(f.Fix.Command, report.SetupCommand) && folder != root {
					t.Errorf("%s: %s: %s", folder, f.ID, f.Fix)
				}
			}
		}
	}
}
