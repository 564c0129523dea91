package prose

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"wsi/doctor/report"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

// now is two minutes after the last run in the samples.
var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func show(s string) string { return strings.ReplaceAll(s, "/home/ada", "~") }

// sample has a harness in which all is well, one with a fault, one that only has settings on this machine, and one that is not there.
func sample() report.Report {
	r := report.Report{
		Version: "0.1.0", Platform: "linux/amd64",
		Own: []report.Finding{{ID: "wsi.state", Status: report.OK, Text: "/home/ada/.local/state/wsi"}},
		Groups: []report.Group{
			{
				ID: "codex", Name: "Codex", Version: "0.169.0", Found: true, Wired: true,
				Findings: []report.Finding{
					{ID: "codex.hook.registered", Link: report.Registered, Status: report.OK, Text: "/home/ada/.codex/hooks.json"},
					{ID: "codex.hook.trusted", Link: report.Trusted, Status: report.Fail, Text: "2 of 2 hooks are new: Codex skips them silently", Fix: phrase.Fix{Text: `open codex, type /hooks, choose "Trust all"`}},
				},
				Limits: []string{"Codex reads its hooks once per session: start a new one."},
			},
			{ID: "opencode", Name: "OpenCode", Findings: []report.Finding{{ID: "opencode.harness.found", Status: report.Skip, Text: "OpenCode is not on this machine"}}},
		},
	}
	used := now.Add(-2 * time.Minute)
	claude := report.Group{ID: "claude-code", Name: "Claude Code", Version: "2.1.330", Found: true, Wired: true, Used: &used, Findings: []report.Finding{
		{ID: "claude-code.hook.registered", Link: report.Registered, Status: report.OK, Text: "/home/ada/.claude/settings.json"},
		{ID: "claude-code.token.delivered", Link: report.RightValue, Status: report.OK, Text: "wsi made 36 test calls", Took: 180},
	}}
	cursor := report.Group{ID: "cursor", Name: "Cursor", Found: true, Findings: []report.Finding{
		{ID: "cursor.harness.found", Status: report.Info, Text: "Cursor is not on the PATH, but it is configured in /home/ada/.cursor"},
		{ID: "cursor.hook.file", Link: report.Registered, Status: report.OK, Text: "Cursor accepts /home/ada/.cursor/hooks.json"},
	}}
	r.Groups = slices.Insert(r.Groups, 1, cursor)
	r.Groups = slices.Insert(r.Groups, 0, claude)
	return r
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		name  string
		style Style
		want  string
	}{
		{"what a person needs", Style{Now: now, Show: show}, `
✗ Codex: 2 of 2 hooks are new: Codex skips them silently.
  to do: open codex, type /hooks, choose "Trust all"

Claude Code: registered, last used 2 min ago, right value.
Codex: registered, not trusted, not used yet.
Cursor: not set up.
`},
		{"everything, in ASCII", Style{Theme: tui.Plain(true), Now: now, Show: show, Verbose: true}, `
[XX] Codex: 2 of 2 hooks are new: Codex skips them silently.
  to do: open codex, type /hooks, choose "Trust all"

wsi 0.1.0, linux/amd64
  [ok] wsi.state  ~/.local/state/wsi
Claude Code 2.1.330: registered, last used 2 min ago, right value.
  [ok] claude-code.hook.registered  ~/.claude/settings.json
  [ok] claude-code.token.delivered  wsi made 36 test calls (180 ms)
Codex 0.169.0: registered, not trusted, not used yet.
  [ok] codex.hook.registered  ~/.codex/hooks.json
  [XX] codex.hook.trusted  2 of 2 hooks are new: Codex skips them silently
    to do: open codex, type /hooks, choose "Trust all"
    note: Codex reads its hooks once per session: start a new one.
Cursor: not set up.
  [--] cursor.harness.found  Cursor is not on the PATH, but it is configured in
       ~/.cursor
  [ok] cursor.hook.file  Cursor accepts ~/.cursor/hooks.json
OpenCode: not on this machine.
  [--] opencode.harness.found  OpenCode is not on this machine
`},
	} {
		var got strings.Builder
		if err := c.style.Text(&got, sample()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Color comes and goes without moving anything.
func TestColor(t *testing.T) {
	var plain, colored strings.Builder
	if (Style{Now: now}).Text(&plain, sample()) != nil || (Style{Now: now, Theme: tui.Printed(false)}).Text(tui.Writer{To: &colored}, sample()) != nil {
		t.Fatal("not written")
	}
	if ansi.Strip(colored.String()) != plain.String() || strings.Contains(plain.String(), "\x1b") || !strings.Contains(colored.String(), "\x1b[31m✗") {
		t.Errorf("%q", colored.String())
	}
}

func TestNothingIsWiderThanATerminal(t *testing.T) {
	r := sample()
	long := strings.Repeat("a word or two, ", 20)
	for _, id := range []string{"claude-code.server.registered", "x"} {
		r.Groups[0].Findings = append(r.Groups[0].Findings, report.Finding{ID: id, Status: report.Fail, Text: long, Fix: phrase.Fix{Text: long}})
	}
	r.Groups[0].Limits = append(r.Groups[0].Limits, long)
	for _, width := range []int{40, 80, 200} {
		var got strings.Builder
		if err := (Style{Width: width, Now: now, Verbose: true}).Text(&got, r); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(got.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d columns: %s", n, line)
			}
		}
	}
}
