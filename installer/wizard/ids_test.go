package wizard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"wsi/installer"
)

// flow is a screen's text without line breaks.
func (p *player) flow() string { return strings.Join(strings.Fields(p.text()), " ") }

// Ids are kept only of servers that the user chooses, until the user chooses others.
func TestKeptIDs(t *testing.T) {
	c := settle(t, idsHome)
	settings := filepath.Join(c.Options.Env.Home, ".claude/settings.json")
	for _, does := range []struct {
		name   string
		keys   []string
		shown  string // about Claude Code and Codex, before the review
		state  string
		handle string // what is written then, "" = none
	}{
		{"nothing", nil, "Ids of MCP servers are not kept across compaction (i: keep them).", "no", ""},
		{"as registered", nil, "Ids of MCP servers are not kept across compaction (i: keep them).", "✓ yes", ""},
		{"shop", []string{"i", "down", "space", "enter"}, "Ids of shop are kept across compaction (i: change).", "! to update", "--handles shop"},
		{"as registered again", nil, "Ids of shop are kept across compaction (i: change).", "✓ yes", "--handles shop"},
		{"and back", []string{"i", "down", "space", "space", "enter"}, "Ids of shop are kept across compaction (i: change).", "✓ yes", "--handles shop"},
		{"none", []string{"i", "down", "space", "enter"}, "Ids of MCP servers are not kept across compaction (i: keep them).", "! to update", ""},
	} {
		p := start(t, c, 120, 40).press(does.keys...)
		p.press("down") // Codex has shop, Claude Code has not
		if text := p.flow(); !strings.Contains(text, does.shown) || ansi.Strip(p.m.viewState(p.m.choose.rows[1].status)) != does.state {
			t.Errorf("%s: %q is not shown, or the state is not %q:\n%s", does.name, does.shown, does.state, p.text())
		}
		if p.press("enter", "enter"); p.m.step != done {
			t.Fatalf("%s: not written:\n%s", does.name, p.text())
		}
		hooks, err := os.ReadFile(filepath.Join(c.Options.Env.Home, ".codex/hooks.json"))
		if err != nil || strings.Contains(string(hooks), "--handles") != (does.handle != "") || !strings.Contains(string(hooks), does.handle) {
			t.Errorf("%s: written is not %q (%v):\n%s", does.name, does.handle, err, hooks)
		}
		if content, err := os.ReadFile(settings); err != nil || strings.Contains(string(content), "--handles") {
			t.Errorf("%s: Claude Code keeps ids of a server that it does not have (%v):\n%s", does.name, err, content)
		}
	}
}

// The options say nothing about ids as long as neither a flag nor the user does.
func TestKeptIDsOfFlag(t *testing.T) {
	for _, does := range []struct {
		flag *installer.Handles
		keys []string
		want *installer.Handles
		list string
	}{
		{nil, nil, nil, "workflow-server[ ] shop[ ]"},
		{nil, []string{"i", "down", "enter"}, nil, "workflow-server[ ] shop[ ]"},
		{&installer.Handles{Names: []string{"shop"}}, nil, &installer.Handles{Names: []string{"shop"}}, "workflow-server[ ] shop[x]"},
		{&installer.Handles{All: true}, nil, &installer.Handles{All: true}, "workflow-server[x] shop[x]"},
		{&installer.Handles{All: true}, []string{"i", "space", "down", "down", "space", "enter"}, &installer.Handles{Names: []string{"shop"}}, "workflow-server[ ] shop[x]"},
		{&installer.Handles{Names: []string{"shop"}}, []string{"i", "down", "space", "q"}, &installer.Handles{}, "workflow-server[ ] shop[ ]"},
	} {
		c := settle(t, idsHome)
		c.Options.Handles = does.flag
		p := start(t, c, 120, 40).press(does.keys...)
		var list []string
		for _, n := range p.m.choose.kept.names[:2] {
			list = append(list, n.server+map[bool]string{false: "[ ]", true: "[x]"}[n.chosen])
		}
		if diff := cmp.Diff(does.want, p.m.wanted().kept); diff != "" || strings.Join(list, " ") != does.list {
			t.Errorf("%+v and %v: shown is %v, wanted %s", does.flag, does.keys, list, diff)
		}
	}
}

// Where no harness can keep ids there is neither a list nor a question.
func TestNoIDsToKeep(t *testing.T) {
	c := settle(t, map[string]string{".cursor/hooks.json": "{}", ".cursor/mcp.json": home[".cursor/mcp.json"]})
	p := start(t, c, 200, 60).press("i")
	if text := p.text(); p.m.choose.open != noList || strings.Contains(text, "i ids") || strings.Contains(text, "compact") {
		t.Errorf("shown was:\n%s", text)
	}
	for name, change := range map[string]func(*Config){
		"no server":       func(*Config) {},
		"a flag":          func(c *Config) { c.Options = settle(t, idsHome).Options; c.Options.Handles = &installer.Handles{} },
		"repairs":         func(c *Config) { c.Options = settle(t, idsHome).Options; c.RepairOnly = true },
		"another harness": func(c *Config) { c.Options = settle(t, idsHome).Options; c.Named = []string{"cursor"} },
	} {
		c := c
		change(&c)
		var out strings.Builder
		if _, err := Plain(t.Context(), c, strings.NewReader(strings.Repeat("\n", 20)), &out); err != nil || strings.Contains(out.String(), "Keep the ids") {
			t.Errorf("%s: %v, asked was:\n%s", name, err, out.String())
		}
	}
}
