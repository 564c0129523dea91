//go:build unix

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	tty "wsi/internal/testkit/terminal"
)

// hostile is text that a repository may have in its names and files to control the terminal of a reader: a title, hidden
// text, a cursor jump, C1 controls as runes and as bytes, direction marks, a forged line. It has no slash, so it can be a
// file name.
const hostile = "x\x1b]0;PWNED\a\x1b[35;8mPWNED\x1b[7;177H\u009b35m\x9b35m\u202e\u2066\u200f\u061c\u2028\x7f\b\rPWNED\nFORGED"

// inFile returns hostile as a string of a JSON or TOML file, with the escapes that these formats require.
func inFile(before string) string {
	return `"` + before + strings.NewReplacer("\x1b", `\u001b`, "\a", `\u0007`, "\b", `\u0008`, "\r", `\u000d`, "\n", `\n`, "\x7f", `\u007f`, "\x9b35m\u202e", "\u202e").Replace(hostile) + `"`
}

// hostileHome makes a home and a project with hostile names and contents.
func hostileHome(t *testing.T) tty.Program {
	t.Helper()
	home := t.TempDir()
	project := filepath.Join(home, "src", hostile)
	state := filepath.Join(home, "state"+hostile)
	command, server := inFile("node rival.js "), inFile("workflow-server ")
	hooks := `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": ` + command + `}]}]}}` + "\n"
	servers := `{"mcpServers": {` + server + `: {"command": "node", "args": [` + command + `]}, "workflow-server": {"command": "node", "args": [` + command + `]}}}` + "\n"
	for path, content := range map[string]string{
		".claude/settings.json":          hooks,
		".claude.json":                   servers,
		".codex/config.toml":             "[mcp_servers." + server + "]\ncommand = \"node\"\n# " + "\u202e\u009b35m PWNED" + "\n",
		".codex/hooks.json":              hooks,
		".cursor/hooks.json":             `{"version": 1, "hooks": {"preToolUse": [{"command": ` + command + `}]}}` + "\n",
		".cursor/mcp.json":               servers,
		".qwen/settings.json":            servers,
		".gemini/settings.json":          servers[:len(servers)-3] + strings.ReplaceAll(hostile, "\n", ""), // does not parse
		".config/wsi/rules.toml":         "[[carry]]\nname = " + server + "\nservers = [\"a\"]\n\"PWNED\u202e\" = 1\n",
		".config/opencode/opencode.json": `{"mcp": {` + server + `: {"type": "local", "command": ["node", ` + command + `]}}}`,
		"bin/claude":                     "#!/bin/sh\nprintf '1.2.3\\033[35mPWNED'\n",
	} {
		put(t, filepath.Join(home, path), content)
	}
	if err := os.Chmod(filepath.Join(home, "bin/claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(project, ".mcp.json"), servers)
	put(t, filepath.Join(project, ".claude/settings.local.json"), hooks)
	put(t, filepath.Join(project, ".cursor/hooks.json"), "{/*"+strings.ReplaceAll(hostile, "\n", "")+"*/ \"version\": 1,\n \"hooks\": {}}")
	put(t, filepath.Join(project, "event.json"), `{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": `+inFile("mcp__workflow-server__")+`, "tool_input": {}}`)
	put(t, filepath.Join(state, "journal.jsonl"),
		`{"t":"2026-01-02T03:04:05Z","verb":"inject","harness":"claude-code","tool":`+command+`,"did":"left","why":`+command+`,"us":1}`+"\n")
	return tty.Program{
		Dir: project, Width: 100, Height: 30,
		Env: []string{
			"HOME=" + home, "WSI_STATE_DIR=" + state, "PATH=" + filepath.Join(home, "bin"), "LANG=C.UTF-8", "GORACE=atexit_sleep_ms=0",
		},
	}
}

// No command prints a control character from a file, a folder, a program or an argument to the terminal.
func TestTerminalOutputIsEscaped(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs every command")
	}
	type visit struct {
		args   string // separated by spaces; EVIL becomes hostile
		typed  []string
		screen bool // the command draws screens
		shows  bool // the hostile text is shown, escaped
	}
	visits := []visit{
		{args: "setup --dry-run --binary INSTALLED", shows: true},
		{args: "setup --dry-run --scope project --binary INSTALLED", shows: true},
		{args: "setup --dry-run --json --binary INSTALLED", shows: true},
		{args: "setup --plain --binary INSTALLED", typed: []string{"n\r"}, shows: true},
		{args: "setup --binary INSTALLED", typed: []string{"v", "\r", "jj", "\r", "\t", "\t", "\t", "\t", "?", "q", "q"}, screen: true, shows: true},
		{args: "setup --scope project --binary INSTALLED", typed: []string{"jj", "\r", "\t", "\t", "q"}, screen: true, shows: true},
		{args: "setup --harness EVIL --dry-run --binary INSTALLED", shows: true},
		{args: "setup EVIL", shows: true},
		{args: "setup --EVIL", shows: true},
		{args: "setup --scope EVIL --dry-run --binary INSTALLED", shows: true},
		{args: "setup --wiring EVIL --dry-run --binary INSTALLED", shows: true},
		{args: "setup --dry-run --server EVIL=workflow-server --binary INSTALLED", shows: true},
		{args: "setup --dry-run --binary EVIL", shows: true},
		{args: "setup --yes --binary INSTALLED"},
		{args: "setup --yes --scope project --binary INSTALLED", shows: true},
		{args: "doctor", typed: []string{"jjj", "\r", "q", "q"}, screen: true, shows: true},
		{args: "doctor --plain -v", shows: true},
		{args: "doctor --report", shows: true},
		{args: "doctor --json", shows: true},
		{args: "doctor --only EVIL", shows: true},
		{args: "doctor --fix --plain", typed: []string{"\x04"}, shows: true},
		{args: "status", shows: true},
		{args: "status --json", shows: true},
		{args: "log", shows: true},
		{args: "log --json", shows: true},
		{args: "log --did EVIL", shows: true},
		{args: "hooks", shows: true},
		{args: "hooks --json", shows: true},
		{args: "hooks --verbose", shows: true},
		{args: "hooks --harness EVIL", shows: true},
		{args: "rules list", shows: true},
		{args: "rules check", shows: true},
		{args: "rules check EVIL", shows: true},
		{args: "rules try --event event.json", shows: true},
		{args: "rules EVIL", shows: true},
		{args: "rules path"},
		{args: "snippet EVIL", shows: true},
		{args: "snippet claude-code --server EVIL=workflow-server --binary INSTALLED", shows: true},
		{args: "snippet qwen-code --server EVIL=workflow-server --binary INSTALLED", shows: true},
		{args: "snippet agent-sdk-py --server EVIL=workflow-server --binary INSTALLED", shows: true},
		{args: "relay EVIL"},
		{args: "reference-server EVIL"},
		{args: "help EVIL", shows: true},
		{args: "completion EVIL", shows: true},
		{args: "version EVIL", shows: true},
		{args: "harnesses EVIL"},
		{args: "checks EVIL"},
		{args: "inject --help"},
		{args: "capture --help"},
		{args: "remove --dry-run --scope project", shows: true},
		{args: "remove --yes --scope project", shows: true},
		{args: "remove", typed: []string{"\t", "\t", "\t", "\t", "q"}, screen: true, shows: true},
		{args: "remove --plain", typed: []string{"n\r"}, shows: true},
		{args: "remove --yes --purge", shows: true},
		{args: "EVIL", shows: true},
	}
	visited := map[string]bool{}
	home := hostileHome(t)
	for _, v := range visits {
		words := strings.Split(v.args, " ")
		visited[words[0]] = true
		for i := range words {
			words[i] = strings.NewReplacer("EVIL", hostile, "INSTALLED", installed).Replace(words[i])
		}
		t.Run(v.args, func(t *testing.T) {
			p := home
			p.Args = append([]string{"wsi"}, words...)
			s, err := tty.Start(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if v.screen {
				if _, err := s.Wait(func(screen tty.Screen) bool { return strings.TrimSpace(screen.Text()) != "" }); err != nil {
					t.Fatal(err)
				}
			}
			for _, text := range v.typed {
				if v.screen {
					waitStill(s)
				}
				s.Type(text)
			}
			if _, err := s.Exit(); err != nil {
				t.Fatal(err)
			}
			said := string(s.Raw())
			if v.shows != strings.Contains(said, "PWNED") {
				t.Errorf("shows %v: %q", v.shows, said)
			}
			checkSaid(t, said, v.screen)
		})
	}
	for _, cmd := range everyCommand(newRootCmd(env{})) {
		if !visited[cmd] {
			t.Errorf("wsi %s was not visited", cmd)
		}
	}
}

// waitStill waits until a screen stays as it is. While wsi looks for harnesses or examines them, a sign turns.
func waitStill(s *tty.Session) {
	end := time.Now().Add(30 * time.Second)
	for was, since := "", time.Now(); time.Since(since) < 800*time.Millisecond && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if now := s.Screen().Text(); now != was {
			was, since = now, time.Now()
		}
	}
}

// Redirected output is escaped too, because users look at the file, and JSON keeps its value. Only output for pasting and
// for scripts is exact.
func TestRedirectedOutputIsEscaped(t *testing.T) {
	p := hostileHome(t)
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "wsi", args...)
		cmd.Dir, cmd.Env = p.Dir, append(p.Env, "XDG_CONFIG_HOME=/c\u202e")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	base := []string{"--binary", installed, "--harness", "claude-code", "--scope", "project", "--dry-run"}
	if said := run(append([]string{"setup"}, base...)...); strings.Contains(said, "\u202e") || !strings.Contains(said, `\u202e`) {
		t.Errorf("%q", said)
	}
	var review struct{ Changes []struct{ File string } }
	said := run(append([]string{"setup", "--json"}, base...)...)
	file := "~/src/" + strings.ReplaceAll(hostile, "\x9b35m\u202e", "\ufffd35m\u202e") + "/.claude/settings.local.json"
	if err := json.Unmarshal([]byte(said), &review); err != nil || len(review.Changes) != 1 || review.Changes[0].File != file || strings.Contains(said, "\u202e") {
		t.Errorf("%v: %q", err, said)
	}
	if said := run("snippet", "claude-code", "--binary", installed, "--server", "a\u202eb=workflow-server"); !strings.Contains(said, "a\u202eb") {
		t.Errorf("%q", said)
	}
	if said := run("rules", "path"); said != "/c\u202e/wsi/rules.toml\n" {
		t.Errorf("%q", said)
	}
}

// unseen are characters that no command prints, neither on screens nor in lines.
const unseen = `\x7f\x{80}-\x{9f}\x{61c}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}\x{2028}\x{2029}`

var (
	// own matches the styles that wsi prints in lines: the terminal's own, because the background is not known.
	own = regexp.MustCompile(`\x1b\[(0|1|2|3[123])?m`)
	// colored matches a text in a color, which is only a mark.
	colored = regexp.MustCompile(`\x1b\[3\dm([^\x1b]*)`)
	// inText matches control characters in printed lines.
	inText = regexp.MustCompile(`[\x00-\x08\x0b-\x1f` + unseen + `]`)
	// onScreens matches control sequences that wsi's screens do not use.
	onScreens = regexp.MustCompile(`[` + unseen + `]|\x1b\]0;PWNED|\x1b\[35;8m|\x1b\[7;177H`)
)

func checkSaid(t *testing.T, said string, screen bool) {
	t.Helper()
	driving := onScreens
	if !screen {
		for _, text := range colored.FindAllStringSubmatch(said, -1) {
			if !slices.Contains([]string{"✓", "!", "✗", "[ok]", "[!!]", "[XX]", "+", "-"}, text[1]) {
				t.Errorf("%q has a color", text[1])
			}
		}
		driving, said = inText, own.ReplaceAllString(strings.ReplaceAll(said, "\r\n", "\n"), "")
	}
	if !utf8.ValidString(said) {
		t.Errorf("invalid UTF-8 reaches the terminal: %q", said)
	}
	if strings.Contains(said, "\nFORGED") {
		t.Errorf("it prints a line of its own: %q", said)
	}
	if at := driving.FindStringIndex(said); at != nil {
		t.Errorf("%q reaches the terminal: %q", said[at[0]:at[1]], said[max(at[0]-60, 0):min(at[1]+60, len(said))])
	}
}

// everyCommand lists the top-level commands.
func everyCommand(root *cobra.Command) (names []string) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		names = append(names, cmd.Name())
	}
	slices.Sort(names)
	return names
}
