package copilotcli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses/copilotcli"
	"wsi/harnesses/setup"
)

// older returns the file of its own in which an older wsi registered hooks.
func older(env setup.Env, scope setup.Scope) setup.Wiring {
	dir := plain().Locate(env).ConfigHome
	if scope == setup.Project {
		dir = filepath.Join(env.Cwd, ".github")
	}
	return setup.Wiring{Owned: []setup.OwnedFile{{
		Path: filepath.Join(dir, "hooks", "wsi.json"), Version: 1, Ours: ours, Commands: commands,
		Marked: func(file []byte) (int, bool) { return 1, commands(file) != nil },
	}}}
}

// hooksFile is such a file, with members in the order in which wsi wrote them.
type hooksFile struct {
	Version int `json:"version"`
	Hooks   struct {
		Before    []hook `json:"preToolUse,omitempty"`
		After     []hook `json:"postToolUse,omitempty"`
		Failed    []hook `json:"postToolUseFailure,omitempty"`
		Compacted []hook `json:"preCompact,omitempty"`
		Spawned   []hook `json:"subagentStart,omitempty"`
	} `json:"hooks"`
}

type hook struct {
	Type       string `json:"type"`
	Matcher    string `json:"matcher,omitempty"`
	Bash       string `json:"bash,omitempty"`
	PowerShell string `json:"powershell,omitempty"`
	Timeout    int    `json:"timeoutSec"`
}

func (f hooksFile) all() []hook {
	return slices.Concat(f.Hooks.Before, f.Hooks.After, f.Hooks.Failed, f.Hooks.Compacted, f.Hooks.Spawned)
}

// ours reports whether a file has what some wsi wrote, and nothing else.
func ours(file []byte) bool {
	var f hooksFile
	if json.Unmarshal(file, &f) != nil {
		return false
	}
	text, err := json.MarshalIndent(f, "", "  ")
	written := func(h hook) bool { return h.Type == "command" && h.Timeout == 10 }
	return err == nil && bytes.Equal(append(text, '\n'), file) && len(f.all()) > 0 && len(commands(file)) == len(f.all()) &&
		!slices.ContainsFunc(f.all(), func(h hook) bool { return !written(h) })
}

// commands returns the command lines of wsi in such a file.
func commands(file []byte) (lines []string) {
	var f hooksFile
	if json.Unmarshal(file, &f) != nil {
		return nil
	}
	for _, h := range f.all() {
		line := strings.TrimPrefix(h.Bash+h.PowerShell, "& ")
		if said, ok := setup.ParseCommand(line); ok && said.Harness == copilotcli.ID {
			lines = append(lines, line)
		}
	}
	return lines
}
