//go:build e2e

package live

import (
	"os"
	"testing"
)

// Places: links, folders below the project, linked working trees, and another folder of the user's configuration.
func TestHooksOfClaudeCodeByPlace(t *testing.T) {
	repository := func(h *hookTrial) {
		h.everywhere("", "")
		git(h.t, h.rig.Work, "init", "-q")
	}
	runClaudeCases(t, []claudeCase{
		{name: "links", make: func(h *hookTrial) {
			h.everywhere("", "")
			for _, name := range []string{"home/.claude", "work/.claude/settings.json", "work/.claude/settings.local.json"} {
				err := os.Rename(h.at(name), h.at(name)+"-real")
				if err == nil {
					err = os.Symlink(h.at(name)+"-real", h.at(name))
				}
				if err != nil {
					h.t.Fatal(err)
				}
			}
		}},
		{name: "another folder", make: func(h *hookTrial) {
			h.everywhere("", "")
			h.write("moved/settings.json", marked("moved", ""))
			h.env = []string{"CLAUDE_CONFIG_DIR=" + h.at("moved")}
		}},
		{name: "below", older: []string{"fired-local"}, make: func(h *hookTrial) {
			repository(h)
			h.write("work/a/.claude/settings.json", marked("a", ""))
			h.write("work/a/b/.claude/settings.json", marked("b", ""))
			h.rig.Work = h.at("work/a/b")
		}},
		{name: "below with its own local settings", older: []string{"fired-local"}, make: func(h *hookTrial) {
			repository(h)
			h.write("work/a/.claude/settings.local.json", marked("near", ""))
			h.rig.Work = h.at("work/a")
		}},
		{name: "below without a repository", make: func(h *hookTrial) {
			h.everywhere("", "")
			h.write("work/a/x", "")
			h.rig.Work = h.at("work/a")
		}},
		{name: "working tree", older: []string{"fired-local"}, make: func(h *hookTrial) {
			repository(h)
			git(h.t, h.rig.Work, "commit", "-q", "--allow-empty", "-m", "x")
			git(h.t, h.rig.Work, "worktree", "add", "-q", h.at("tree"))
			h.write("tree/.claude/settings.json", marked("tree", ""))
			h.rig.Work = h.at("tree")
		}},
		{name: "the home folder", make: func(h *hookTrial) {
			h.everywhere("", "")
			h.rig.Work = h.rig.Home
		}},
	})
}
