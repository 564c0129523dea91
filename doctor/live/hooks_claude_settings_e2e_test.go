//go:build e2e

package live

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ask has the doctor ask the harness itself, so that `wsi hooks` knows what it said.
func (h *hookTrial) ask() {
	h.t.Helper()
	_, env := h.rig.driver.command(h.rig, "main", "", "")
	state := h.at("asked")
	if err := os.Mkdir(state, 0o700); err != nil {
		h.t.Fatal(err)
	}
	h.env = append(h.env, "WSI_STATE_DIR="+state, "PATH="+filepath.Dir(h.rig.binary)+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := h.rig.run(h.t.Context(), h.rig.wsi, []string{"doctor", "--json", "--harness", h.rig.id, "--only", "hook.file"}, append(env, h.env...))
	if _, none := os.Stat(filepath.Join(state, "asked.json")); none != nil {
		h.t.Fatalf("the doctor did not ask: %v\n%s", err, out)
	}
}

// Settings: values that cost Claude Code the whole file, of keys that wsi's list does not have, and some that do not.
func TestHooksOfClaudeCodeBySetting(t *testing.T) {
	settings := []string{
		`"permissions":{"defaultMode":"allowEdits"}`, `"permissions":{"disableBypassPermissionsMode":true}`,
		`"statusLine":{"type":"text","command":"true"}`, `"autoUpdatesChannel":"nightly"`,
		`"enableAllProjectMcpServers":"yes"`, `"alwaysThinkingEnabled":"yes"`,
		`"sandbox":{"enabled":"yes"}`, `"attribution":"none"`,
		`"companyAnnouncements":"hello"`, `"language":5`,
		`"respectGitignore":"yes"`, `"extraKnownMarketplaces":{"m":{"source":"x"}}`,
		`"spinnerTipsEnabled":"no"`, `"fileSuggestion":"fzf"`,
		`"skipDangerousModePermissionPrompt":"yes"`, `"worktree":"x"`,
		`"defaultMode":"allowEdits"`, `"teammateMode":"nothing"`,
		`"permissions":{"allow":["Bash(","nothing at all("]}`, `"noSuchSetting":{"a":1}`,
		`"hooks":{"PostToolUse":[{"matcher":5,"hooks":[{"type":"command","command":"true"}]}]}`, `"env":{"N":5}`,
		`"env":{"N":null}`, `"model":5`,
	}
	for i := 0; i < len(settings); i += 2 {
		t.Run(fmt.Sprintf("%d", i/2), func(t *testing.T) {
			eachClaude(t, func(h *hookTrial) {
				h.write("home/.claude/settings.json", marked("user", ""))
				for j, name := range []string{"project", "local"} {
					content := marked(name, settings[i+j])
					if strings.HasPrefix(settings[i+j], `"hooks"`) { // in one object with the other hook
						content = strings.Replace(marked(name, ""), `"hooks":{`, settings[i+j][:len(settings[i+j])-1]+",", 1)
					}
					h.write("work/.claude/settings."+strings.TrimPrefix(name+".json", "project."), content)
				}
				h.ask()
				h.compare()
			})
		})
	}
}
