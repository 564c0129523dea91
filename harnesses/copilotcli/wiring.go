package copilotcli

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"wsi/harnesses"
)

const timeout = 10 // seconds

// wiring returns a file of its own: Copilot CLI reads hooks from every file in its folder and, in a project that the user
// trusts, from those in .github/hooks (1.0.102).
func wiring(env harnesses.Env, scope harnesses.Scope, p harnesses.Program) (harnesses.Wiring, error) {
	if err := p.Check(env.GOOS); err != nil {
		return harnesses.Wiring{}, err
	}
	dir := plain().Locate(env).ConfigHome
	if scope == harnesses.Project {
		dir = filepath.Join(env.Cwd, ".github")
	}
	return harnesses.Wiring{Owned: []harnesses.OwnedFile{{
		Path: filepath.Join(dir, "hooks", "wsi.json"), Content: content(env.GOOS, p), Version: 1,
		Ours:     func(file []byte) bool { return len(file) > 0 && bytes.Equal(file, again(env.GOOS, file)) },
		Marked:   func(file []byte) (int, bool) { return 1, len(commands(file)) > 0 },
		Commands: commands,
	}}}, nil
}

// hooksFile is such a file, with members in the order in which wsi writes them.
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

// hook runs its command with bash, on Windows with PowerShell. The matcher must match a tool's whole name.
type hook struct {
	Type       string `json:"type"`
	Matcher    string `json:"matcher,omitempty"`
	Bash       string `json:"bash,omitempty"`
	PowerShell string `json:"powershell,omitempty"`
	Timeout    int    `json:"timeoutSec"`
}

func content(goos string, p harnesses.Program) []byte {
	entry := func(verb, matcher string) []hook {
		h := hook{Type: "command", Matcher: matcher, Timeout: timeout}
		if command := p.Command(goos, verb, ID); goos == "windows" {
			h.PowerShell = "& " + command // otherwise PowerShell treats a quoted word as a string
		} else {
			h.Bash = command
		}
		return []hook{h}
	}
	file := hooksFile{Version: 1}
	if !p.Relay {
		file.Hooks.Before, file.Hooks.After = entry(harnesses.Inject, matcher(p.Servers)), entry(harnesses.Capture, matcher(p.Seen()))
	}
	if len(p.Handles) > 0 {
		file.Hooks.Compacted = entry(harnesses.Capture, "")
		if p.Relay { // which is not told which agent calls
			file.Hooks.Spawned = entry(harnesses.Capture, "")
		} else {
			file.Hooks.Failed = entry(harnesses.Capture, matcher(p.Handles))
		}
	}
	text, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		panic(err) // cannot fail: only strings
	}
	return append(text, '\n')
}

// matcher matches the tools of servers.
func matcher(servers []string) string {
	names := make([]string, len(servers))
	for i, s := range servers {
		names[i] = regexp.QuoteMeta(s)
	}
	return "(" + strings.Join(names, "|") + ")-.+"
}

// commands returns the command lines in such a file, nil if wsi did not write it.
func commands(file []byte) (lines []string) {
	var f hooksFile
	if json.Unmarshal(file, &f) != nil {
		return nil
	}
	for _, h := range slices.Concat(f.Hooks.Before, f.Hooks.After, f.Hooks.Failed, f.Hooks.Compacted, f.Hooks.Spawned) {
		line := strings.TrimPrefix(h.Bash+h.PowerShell, "& ")
		if said, ok := harnesses.ParseCommand(line); ok && said.Harness == ID {
			lines = append(lines, line)
		}
	}
	return lines
}

// again returns the file as this wsi would write it, nil if wsi did not write it.
func again(goos string, file []byte) []byte {
	lines := commands(file)
	if len(lines) == 0 {
		return nil
	}
	said, _ := harnesses.ParseCommand(lines[len(lines)-1]) // only that of capture names the servers whose ids are kept
	first, _ := harnesses.ParseCommand(lines[0])
	return content(goos, harnesses.Program{Path: said.Path, Servers: said.Servers, As: said.As, Handles: said.Handles, Relay: first.Verb != harnesses.Inject})
}
