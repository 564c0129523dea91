package wizard

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/installer"
	"wsi/internal/testkit/terminal"
)

// Setup writes the mode of the row: with a relay, the server runs through wsi relay, and Claude Code's hook notes the caller.
func TestChosenModeIsWritten(t *testing.T) {
	t.Parallel()
	c := settle(t, home)
	p := start(t, c, 80, 24).press("w", "down", "w", "down", "space", "down", "space", "enter", "enter")
	if p.m.step != done {
		t.Fatalf("nothing was written:\n%s", p.Text())
	}
	for file, want := range map[string]string{
		".claude/settings.json": "inject --harness claude-code --relay",
		".claude.json":          `"relay","--server","workflow-server"`,
		".codex/config.toml":    `"relay", "--server", "workflow-server"`,
	} {
		content, err := os.ReadFile(filepath.Join(c.Options.Env.Home, file))
		if err != nil || !strings.Contains(string(content), want) {
			t.Errorf("%s has no %s (%v):\n%s", file, want, err, content)
		}
	}
	if _, err := os.Stat(filepath.Join(c.Options.Env.Home, ".codex/hooks.json")); err == nil {
		t.Error("Codex is wired by a relay, and yet has hooks")
	}
	p = start(t, c, 80, 24)
	if got := p.m.choose.rows[0].mode; got != setup.ByRelay {
		t.Errorf("what is wired by a relay is proposed to be wired by %s", got)
	}
}

// Modes that setup would refuse are not offered: without a registered server, only hooks are.
func TestOnlyPossibleModesAreOffered(t *testing.T) {
	p := start(t, settle(t, home), 80, 24).press("down", "down", "w")
	if r := p.m.choose.rows[2]; len(r.open) != 1 || r.mode != setup.ByHooks || len(p.m.choose.modes) > 0 {
		t.Errorf("Cursor, which does not have the server, is offered %v and takes %s", r.open, r.mode)
	}
	if strings.Contains(p.Text(), "w wiring") {
		t.Errorf("a key is shown that does nothing:\n%s", p.Text())
	}
	p.press("v", "down", "down", "space", "enter") // its server is called wf
	if r := p.m.choose.rows[2]; len(r.open) != 2 {
		t.Errorf("with its server chosen Cursor is offered %v", r.open)
	}
}

// A relay can be in front of any server that the user selects, and of no other. A server is let go by deselecting it.
func TestRelayTakesSelectedServers(t *testing.T) {
	t.Parallel()
	c := settle(t, manyHome)
	rules := func(server string) bool { return server == harnesses.DefaultServer }
	c.Options.Named, c.Options.Ruled = rules, rules
	written := func(keys ...string) string {
		p := start(t, c, 80, 24).press(keys...)
		if p.m.step != done {
			t.Fatalf("nothing was written:\n%s", p.Text())
		}
		content, err := os.ReadFile(filepath.Join(c.Options.Env.Home, ".claude.json"))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	only := []string{"down", "space", "down", "space", "down", "space", "up", "up", "up"} // Claude Code
	got := written(append(only, "w", "v", "down", "down", "space", "enter", "enter", "enter")...)
	if !strings.Contains(got, `"relay","--server","workflow-server"`) || !strings.Contains(got, `"relay","--server","github"`) || strings.Contains(got, `"--server","memory"`) {
		t.Errorf("with github selected: %s", got)
	}
	hooks, err := os.ReadFile(filepath.Join(c.Options.Env.Home, ".claude/settings.json"))
	if err != nil || !strings.Contains(string(hooks), "inject --harness claude-code --relay") || strings.Contains(string(hooks), "github") {
		t.Errorf("a hook for a server without rules (%v): %s", err, hooks)
	}

	c.Options.Program.Servers, c.Options.Adds, c.ServersSet, c.Options.Mode = []string{"memory"}, true, true, setup.ByRelay // by flags
	if got = written(append(only, "enter", "enter")...); strings.Count(got, `"relay","--server"`) != 3 {
		t.Errorf("with --server memory: %s", got)
	}

	c.Options.Program.Servers, c.Options.Adds, c.ServersSet = []string{harnesses.DefaultServer}, false, false
	start(t, c, 80, 24).press("v").shows("◉ github", "◉ memory")
	got = written(append(only, "v", "space", "down", "down", "space", "enter", "enter", "enter")...)
	if strings.Count(got, `"relay","--server"`) != 1 {
		t.Errorf("after two servers were deselected: %s", got)
	}
}

// A mode that was chosen in one scope does not apply to the other scope.
func TestOtherScopeForgetsMode(t *testing.T) {
	p := start(t, settle(t, home), 80, 24).press("w", "s")
	if r := p.m.choose.rows[0]; r.mode != setup.ByHooks || len(p.m.choose.modes) > 0 {
		t.Errorf("in the project it is to be wired by %s", r.mode)
	}
}

// If the user changes the mode faster than files are read, the last one counts.
func TestLateLookIsDropped(t *testing.T) {
	p := start(t, settle(t, home), 80, 24)
	for range 3 {
		p.Send(terminal.KeyPress("w"))
	}
	p.Settle()
	r := p.m.choose.rows[0]
	if r.mode != setup.ByRelay || !slices.Contains(r.status.Files, filepath.Join(p.m.Options.Env.Home, ".claude.json")) {
		t.Errorf("it is to be wired by %s in %v", r.mode, r.status.Files)
	}
}

// With a flag for the mode, the screens start with it.
func TestModeFlag(t *testing.T) {
	c := settle(t, home)
	c.Options.Mode = setup.ByRelay
	p := start(t, c, 80, 24)
	for i, want := range []setup.Mode{setup.ByRelay, setup.ByRelay, setup.ByRelay, setup.ByRelay} {
		if got := p.m.choose.rows[i].mode; got != want {
			t.Errorf("row %d is to be wired by %q, not by %q", i, got, want)
		}
	}
}

// While a server that may require a login is asked, the screen says so; the review shows the answer.
func TestScreensShowServersAsked(t *testing.T) {
	t.Parallel()
	const address = "https://example.com/mcp"
	for status, want := range map[int]string{200: "", 403: "HTTP status 403", 401: "Claude Code stays as it is"} {
		c := settle(t, with(home, ".claude.json", `{"mcpServers":{"workflow-server":{"url":"`+address+`"}}}`))
		var asked []string
		answered := make(chan bool)
		c.Ask = func(addresses []string) map[string]installer.Answer {
			asked = append(asked, addresses...)
			<-answered
			return map[string]installer.Answer{address: {Status: status}}
		}
		p := start(t, c, 80, 24).press("w", "down", "space", "down", "space", "down", "space")
		p.Send(terminal.KeyPress("enter"))
		for len(p.m.asking) == 0 {
			p.One()
		}
		p.shows("asking whether a login is required: " + address)
		close(answered)
		p.Settle()
		text := p.Text()
		if p.m.step != reviewing || !slices.Equal(asked, []string{address}) || !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("%d: step %d, asked %q\n%s", status, p.m.step, asked, text)
		}
		if said := p.m.review.Notes; (status == 200) != slices.ContainsFunc(said, func(s installer.Note) bool { return strings.Contains(s.Text, "login: it does not") }) {
			t.Errorf("%d: %+v", status, said)
		}
	}
}
