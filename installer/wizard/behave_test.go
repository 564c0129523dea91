package wizard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/installer"
	"wsi/internal/testkit/terminal"
)

// The review shows every change that is written, and no other.
func TestReviewShowsWhatIsWritten(t *testing.T) {
	t.Parallel()
	c := settle(t, home)
	before := tree(t, c.Options.Env.Home)
	p := start(t, c, 80, 24).press("enter")
	p.kept(before)
	plan := p.m.review.plan
	p.press("enter")
	if p.m.step != done || !p.m.review.Applied {
		t.Fatalf("not written:\n%s", p.Text())
	}
	after := tree(t, c.Options.Env.Home)
	for _, change := range plan.Changes {
		if after[change.Path] != string(change.After) {
			t.Errorf("%s is not as it was shown", change.Path)
		}
		delete(before, change.Path)
		delete(after, change.Path)
		for _, dir := range change.Folders {
			delete(after, dir)
		}
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("more was changed than was shown:\n%s", diff)
	}
}

// A file that changes while the user reads is not overwritten but reviewed again. Row 22.
func TestChangedFilesAreReviewedAgain(t *testing.T) {
	t.Parallel()
	c := settle(t, home)
	p := start(t, c, 80, 24).press("enter")
	path := filepath.Join(c.Options.Env.Home, ".claude", "settings.json")
	theirs := strings.Replace(home[".claude/settings.json"], "opus", "sonnet", 1)
	if err := os.WriteFile(path, []byte(theirs), 0o600); err != nil {
		t.Fatal(err)
	}
	p.press("enter")
	if p.m.step != reviewing || !strings.Contains(p.Text(), "nothing was written. Please review again") {
		t.Fatalf("not reviewed again:\n%s", p.Text())
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != theirs {
		t.Errorf("written over: %v\n%s", err, now)
	}
	p.press("enter")
	now, err := os.ReadFile(path)
	if err != nil || p.m.step != done || !strings.Contains(string(now), `"sonnet"`) || !strings.Contains(string(now), "wsi inject") {
		t.Errorf("not written the second time: %v\n%s\n%s", err, now, p.Text())
	}
}

// A key that is pressed before all harnesses are inspected neither crashes nor plans with incomplete results.
func TestKeysBeforeInspection(t *testing.T) {
	c := settle(t, home)
	p := begin(t, c, 80, 24, func(*model) {})
	for _, k := range []string{"enter", "space", "tab", "t", "b", "pgdown", "v", "space", "esc", "?", "x", "up", "down"} {
		p.Send(terminal.KeyPress(k))
	}
	p.Settle()
	if p.m.step != choosing {
		t.Errorf("there is a plan already:\n%s", p.Text())
	}
}

// The message about looking disappears when the look ends.
func TestLookingEnds(t *testing.T) {
	p := begin(t, settle(t, home), 80, 24, (*model).look)
	p.Send(terminal.KeyPress("enter"))
	if p.m.choose.problem != stillLooking {
		t.Errorf("it says %q", p.m.choose.problem)
	}
	p.Settle()
	if p.m.choose.problem != "" || p.press("enter").m.step != reviewing {
		t.Errorf("shown is\n%s", p.Text())
	}
}

// A program that does not answer is named where its version would be.
func TestSilentProgram(t *testing.T) {
	c := settle(t, home)
	c.Options.Env.Output = func(context.Context, string, ...string) ([]byte, error) {
		return nil, fmt.Errorf("it %w in 10 s", setup.ErrSilent)
	}
	start(t, c, 80, 24).shows("Claude Code", "! it did not answer in 10 s")
}

// The content of a file cannot control the terminal.
func TestControlCharactersAreReplaced(t *testing.T) {
	c := settle(t, with(home, ".cursor/hooks.json", "{\r\n// \x1b[2J\u202egnp.exe\x07\tx\r\n}\r\n"))
	p := start(t, c, 80, 24).press("enter", "tab", "tab")
	if text := p.Text(); strings.ContainsAny(text, "\x1b\x07\t\r\u202e") || !strings.Contains(text, `// \u001b[2J\u202egnp.exe\u0007    x`) {
		t.Errorf("shown was:\n%q", text)
	}
}

// Registered servers stay registered unless a flag or the user says otherwise.
func TestRegisteredServersStay(t *testing.T) {
	t.Parallel()
	c := settle(t, home)
	p := start(t, c, 80, 24).press("v", "down", "space", "up", "space", "enter", "enter", "enter")
	if p.m.step != done {
		t.Fatalf("not wired for wf:\n%s", p.Text())
	}
	for _, again := range []struct {
		set  bool
		keys []string
		want string
	}{{false, nil, "wf"}, {true, nil, "workflow-server"}, {false, []string{"v", "space", "enter"}, "workflow-server wf"}} {
		c.ServersSet = again.set
		p := start(t, c, 80, 24).press(again.keys...)
		if got := strings.Join(p.m.choose.servers.chosen, " "); got != again.want {
			t.Errorf("%v: chosen are %s, not %s", again, got, again.want)
		}
	}
}

// Each harness gets its servers that have rules. One without any is not selected, and says why; if the user selects it, it is
// set up in advance for the servers of the list.
func TestServersWithRulesAreProposed(t *testing.T) {
	c := settle(t, map[string]string{
		".claude/settings.json": "{}\n", ".claude.json": `{"mcpServers":{"claude-code":{"command":"npx"},"docs":{"command":"npx"}}}`,
		".codex/config.toml": "[mcp_servers.workflow-server]\ncommand = \"npx\"\n",
	})
	c.Options.Ruled = func(server string) bool { return server == "claude-code" || server == harnesses.DefaultServer }
	p := start(t, c, 100, 40)
	if shown := p.press("v").Text(); !strings.Contains(shown, "◉ claude-code") || !strings.Contains(shown, "◉ workflow-server") || strings.Contains(shown, "docs") {
		t.Errorf("proposed are\n%s", shown)
	}
	p.press("v").shows("○ Cursor       2026.09.26                 no server with a rule")
	p.press("down", "down", "space", "enter")
	for file, want := range map[string]string{
		".claude/settings.json": `inject --harness claude-code --server claude-code"`,
		".codex/hooks.json":     `inject --harness codex"`,
		".cursor/hooks.json":    `inject --harness cursor --server workflow-server --server claude-code"`,
	} {
		i := slices.IndexFunc(p.m.review.Changes, func(c installer.Diffed) bool { return c.File == "~/"+file })
		if i < 0 || !strings.Contains(p.m.review.Changes[i].Diff, want) {
			t.Errorf("%s has no %s:\n%v", file, want, p.m.review.Changes)
		}
	}
	if len(p.m.review.Changes) != 3 {
		t.Errorf("there are other changes, too: %v", p.m.review.tabs())
	}
	if p.press("b", "space", "enter"); len(p.m.review.Changes) != 2 {
		t.Errorf("not selected, Cursor is not left out: %v", p.m.review.tabs())
	}
}

// A server without rules is offered only while a harness is wired by a relay, and set up only there: hooks carry nothing for it.
func TestServersWithoutRules(t *testing.T) {
	c := settle(t, manyHome)
	c.Options.Ruled = func(server string) bool { return server == harnesses.DefaultServer }
	c.Options.Named = c.Options.Ruled
	p := start(t, c, 100, 40).press("w", "v").shows("memory", "github").press("esc", "w", "v")
	if text := p.Text(); strings.Contains(text, "memory") {
		t.Errorf("without a relay, offered is\n%s", text)
	}
	p.press("esc", "w", "v", "space").shows("select another server first")
	for _, name := range []string{"memory", harnesses.DefaultServer} {
		p.m.choose.servers.list.At(slices.Index(p.m.choose.servers.names, name))
		p.press("space")
	}
	p.press("enter").shows("◉ Claude Code", "○ Codex", "by relay").press("down", "space", "enter")
	var diffs string
	for _, change := range p.m.review.Changes {
		diffs += change.File + change.Diff
	}
	if !strings.Contains(diffs, `"relay","--server","memory"`) || strings.Contains(diffs, "memory=") || strings.Contains(diffs, "codex") {
		t.Errorf("planned is\n%s", diffs)
	}
	p.shows("Codex stays as it is", "none of the chosen servers")
}

// A harness that is selected before it is there gets the server of the list, as with --harness and --server.
func TestSelectedInAdvance(t *testing.T) {
	c := settle(t, map[string]string{
		".claude.json": home[".claude.json"], ".codex/config.toml": "", ".gemini/settings.json": home[".cursor/mcp.json"],
	})
	c.Options.Ruled = func(server string) bool { return server == harnesses.DefaultServer }
	look := c.Options.Env.LookPath
	c.Options.Env.LookPath = func(name string) (string, error) {
		if name == "cursor-agent" {
			return "", fs.ErrNotExist
		}
		return look(name)
	}
	p := start(t, c, 100, 40).press("down", "space").shows("Codex has no server named workflow-server.", "Codex: by hooks. The server stays registered as it is")
	p.press("down").shows("Cursor was not found. Select it to set it up in advance.")
	p.press("space", "enter")
	if shown := strings.Join(p.m.review.tabs(), " "); len(p.m.review.Refused) > 0 || !strings.Contains(shown, ".codex/hooks.json") || !strings.Contains(shown, ".cursor/hooks.json") {
		t.Errorf("planned is %s, refused %v", shown, p.m.review.Refused)
	}
	p.press("b", "down", "down", "space")
	if shown := p.Text(); !strings.Contains(shown, "Gemini CLI has no server named workflow-server; it has wf") || strings.Contains(shown, "Gemini CLI: by") {
		t.Errorf("of Gemini CLI, which has only a relay, it says\n%s", shown)
	}
	p.press("enter").shows("Gemini CLI stays as it is", "setup --harness gemini-cli --server wf")
	c.Named = []string{"cursor"}
	if p := start(t, c, 100, 40).press("enter"); len(p.m.review.Refused) > 0 || len(p.m.review.Changes) != 1 {
		t.Errorf("named, it is planned as %s, refused %v", p.m.review.tabs(), p.m.review.Refused)
	}
}

// Enter applies the plan that is on the screen, not one that a key has changed.
func TestEnterAppliesShownPlan(t *testing.T) {
	t.Parallel()
	c := settle(t, home)
	c.Options.Trust = true
	p := start(t, c, 80, 24).press("enter")
	p.Send(terminal.KeyPress("t"))
	p.Send(terminal.KeyPress("enter"))
	p.Send(terminal.KeyPress("t"))
	if p.m.step != reviewing || !strings.Contains(p.Text(), "making the plan again") {
		t.Errorf("enter meant something:\n%s", p.Text())
	}
	p.Settle()
	if p.m.review.trust || strings.Contains(strings.Join(p.m.review.tabs(), " "), "config.toml") {
		t.Errorf("trust was not taken back once:\n%s", p.Text())
	}
	p.press("enter")
	config, err := os.ReadFile(filepath.Join(c.Options.Env.Home, ".codex", "config.toml"))
	if err != nil || p.m.step != done || strings.Contains(string(config), "trusted_hash") {
		t.Errorf("trust was recorded all the same, or nothing was written: %v\n%s", err, p.Text())
	}
}

// A plan that is not the last requested one changes nothing.
func TestLatePlanIsDropped(t *testing.T) {
	t.Parallel()
	p := start(t, settle(t, home), 80, 24)
	p.Send(terminal.KeyPress("enter"))
	number, late := p.m.asked, draft{Review: installer.Review{Scope: "late"}}
	p.Settle()
	p.press("b")
	p.m.planned(number, late, nil)
	if p.m.step != choosing {
		t.Errorf("going back was undone:\n%s", p.Text())
	}
	p.press("enter")
	p.m.planned(number, late, nil)
	p.Send(terminal.KeyPress("enter"))
	p.m.planned(p.m.asked, late, nil)
	if p.m.step != applying || p.m.review.Scope == "late" {
		t.Errorf("step %v, showing %q", p.m.step, p.m.review.Scope)
	}
	p.Settle()
	if p.m.step != done || p.m.outcome().Review.Scope != "user" {
		t.Errorf("step %v, the record is of %q", p.m.step, p.m.outcome().Review.Scope)
	}
}

// A review that is not visible cannot be agreed to: the help covers it, or the window is too small.
func TestCoveredReviewNeedsReading(t *testing.T) {
	t.Parallel()
	small, large := tea.WindowSizeMsg{Width: 38, Height: 9}, tea.WindowSizeMsg{Width: 80, Height: 24}
	for _, c := range []struct {
		name string
		does []tea.Msg
	}{
		{"by the help", []tea.Msg{terminal.KeyPress("?"), terminal.KeyPress("enter"), terminal.KeyPress("enter")}},
		{"in a small window", []tea.Msg{small, terminal.KeyPress("enter")}},
		{"by the help in a small window", []tea.Msg{small, terminal.KeyPress("?"), terminal.KeyPress("enter"), terminal.KeyPress("enter")}},
		{"until just now", []tea.Msg{small, large, terminal.KeyPress("enter")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			config := settle(t, home)
			before := tree(t, config.Options.Env.Home)
			p := start(t, config, 80, 24).press("enter")
			p.m.readingTime = readingTime
			for _, msg := range c.does {
				p.Send(msg)
			}
			p.Settle()
			if p.kept(before); p.m.step != reviewing {
				t.Fatalf("at another step than the review: %v", p.m.step)
			}
			p.Send(large)
			p.Settle()
			if p.press("enter"); p.m.step != done {
				t.Errorf("not written afterwards:\n%s", p.Text())
			}
		})
	}
	p := start(t, settle(t, home), 38, 9).press("v", "q")
	if !p.Quit {
		t.Error("q does not leave a window that is too small, as it says there")
	}
}

// If a file is a link, the review and the record name its target.
func TestLinkTargetIsShown(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	c := settle(t, home)
	dir := filepath.Join(c.Options.Env.Home, ".claude")
	err := errors.Join(os.Rename(filepath.Join(dir, "settings.json"), filepath.Join(dir, "dotfile.json")), os.Symlink("dotfile.json", filepath.Join(dir, "settings.json")))
	if err != nil {
		t.Fatal(err)
	}
	c.Named = []string{"claude-code"}
	p := start(t, c, 80, 24).press("enter")
	for !strings.Contains(p.Text(), "this is a link; the file that changes is ~/.claude/dotfile.json") {
		at := p.m.review.list.Cursor()
		if p.press("tab"); p.m.review.list.Cursor() <= at {
			t.Fatalf("not said:\n%s", p.Text())
		}
	}
	if p.press("enter"); !strings.Contains(p.m.outcome().Record(false), "~/.claude/settings.json -> ~/.claude/dotfile.json changed") {
		t.Errorf("%s", p.m.outcome().Record(false))
	}
}

// The most important notes are shown first, the others after a key. Files are counted in the order of writing.
func TestNotesAreFewAtFirst(t *testing.T) {
	p := start(t, settle(t, home), 80, 60).press("w", "down", "w", "enter")
	p.shows("▸ ~/.claude/settings.json", "write 5 files").press("shift+tab")
	few := p.Text()
	more := len(p.m.review.Notes) - 5
	if more < 1 || !strings.Contains(few, fmt.Sprintf("n shows %d more", more)) || !strings.Contains(few, "▸ good to know") {
		t.Errorf("shown was:\n%s", few)
	}
	last := p.m.review.Notes[len(p.m.review.Notes)-1].Text[:30]
	if all := p.press("n").Text(); strings.Contains(few, last) || !strings.Contains(all, last) {
		t.Errorf("shown was:\n%s\nand then\n%s", few, all)
	}
	if p.press("n").Text() != few {
		t.Errorf("shown again was:\n%s", p.Text())
	}
}

// The last screen shows every next step: no other command does.
func TestAllNextStepsAreShown(t *testing.T) {
	o := Outcome{Review: installer.Review{Verb: "setup", Scope: "user", Applied: true}, width: 80}
	for _, step := range strings.Fields("first second third fourth fifth sixth seventh") {
		o.Review.Left = append(o.Review.Left, installer.Note{Text: "Do the " + step + "."})
	}
	if shown := o.Record(false); !strings.Contains(shown, "7  Do the seventh.") || strings.Contains(shown, "more") {
		t.Errorf("shown is\n%s", shown)
	}
}
