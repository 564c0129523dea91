package report

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"wsi/internal/printable"
)

func sample() Report {
	return Report{
		Version: "0.1.0", Platform: "linux/amd64",
		Own: []Finding{{ID: "wsi.state", Status: OK, Text: "/home/ada/.local/state/wsi"}},
		Groups: []Group{
			{
				ID: "codex", Name: "Codex", Version: "0.169.0", Found: true, Wired: true,
				Chain: []Joint{{Registered, OK}, {Trusted, Fail}, {Runnable, Warn}, {Fired, Info}, {Delivered, Skip}},
				Findings: []Finding{
					{ID: "codex.hook.registered", Link: Registered, Status: OK, Text: "/home/ada/.codex/hooks.json"},
					{ID: "codex.hook.trusted", Link: Trusted, Status: Fail, Text: "2 of 2 hooks are new: Codex skips them silently", Fix: `open codex, type /hooks, choose "Trust all"`},
				},
				Notes: []string{"Codex reads its hooks once per session: start a new one."},
			},
			{ID: "opencode", Name: "OpenCode", Findings: []Finding{{ID: "opencode.harness.found", Status: Skip, Text: "OpenCode is not on this machine"}}},
		},
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		name  string
		style Style
		want  string
	}{
		{"what needs attention", Style{Home: "/home/ada", Sep: "/"}, `
wsi doctor 0.1.0 · linux/amd64 · 2 harnesses · 4 checks

Codex 0.169.0            registered ── trusted ── runnable ── fired ── delivered
                             ✓            ✗          !          –          –
  ✗ codex.hook.trusted  2 of 2 hooks are new: Codex skips them silently
    fix: open codex, type /hooks, choose "Trust all"
  note: Codex reads its hooks once per session: start a new one.

OpenCode                 not found

2 ok · 0 attention · 1 broken · 1 not checked
`},
		{"everything, in ASCII", Style{Home: "/home/ada", Sep: "/", Verbose: true, ASCII: true}, `
wsi doctor 0.1.0 - linux/amd64 - 2 harnesses - 4 checks
  [ok] wsi.state  ~/.local/state/wsi

Codex 0.169.0            registered -- trusted -- runnable -- fired -- delivered
                            [ok]        [XX]        [!!]      [--]       [--]
  [ok] codex.hook.registered  ~/.codex/hooks.json
  [XX] codex.hook.trusted  2 of 2 hooks are new: Codex skips them silently
    fix: open codex, type /hooks, choose "Trust all"
  note: Codex reads its hooks once per session: start a new one.

OpenCode                 not found

2 ok - 0 attention - 1 broken - 1 not checked
`},
	} {
		var got strings.Builder
		if err := sample().Text(&got, c.style); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Colour comes and goes without moving anything.
func TestColor(t *testing.T) {
	var plain, colored strings.Builder
	if sample().Text(&plain, Style{}) != nil || sample().Text(printable.Writer{To: &colored}, Style{Color: true}) != nil {
		t.Fatal("not written")
	}
	stripped := colored.String()
	for _, code := range []string{"0", "2", "31", "32", "33"} {
		stripped = strings.ReplaceAll(stripped, "\x1b["+code+"m", "")
	}
	if stripped != plain.String() || strings.Contains(plain.String(), "\x1b") || !strings.Contains(colored.String(), "\x1b[31m✗") {
		t.Errorf("%q", colored.String())
	}
}

func TestNothingIsWiderThanATerminal(t *testing.T) {
	r := sample()
	long := strings.Repeat("a word or two, ", 20)
	for _, id := range []string{"claude-code.server.registered", "x"} {
		r.Groups[0].Findings = append(r.Groups[0].Findings, Finding{ID: id, Status: Fail, Text: long, Fix: long})
	}
	r.Groups[0].Notes = append(r.Groups[0].Notes, long)
	var got strings.Builder
	if err := r.Text(&got, Style{}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(got.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestJSON(t *testing.T) {
	var got strings.Builder
	if err := sample().JSON(&got, Style{Home: "/home/ada", Sep: "/"}); err != nil {
		t.Fatal(err)
	}
	want := `{
  "schema_version": 1, "healthy": false,
  "counts": {"fail": 1, "info": 0, "ok": 2, "skip": 1, "warn": 0},
  "version": "0.1.0", "platform": "linux/amd64",
  "checks": [{"id": "wsi.state", "status": "ok", "text": "~/.local/state/wsi"}],
  "harnesses": [
    {"id": "codex", "name": "Codex", "version": "0.169.0", "found": true, "wired": true,
     "chain": [
       {"link": "registered", "status": "ok"}, {"link": "trusted", "status": "fail"}, {"link": "runnable", "status": "warn"},
       {"link": "fired", "status": "info"}, {"link": "delivered", "status": "skip"}],
     "checks": [
       {"id": "codex.hook.registered", "link": "registered", "status": "ok", "text": "~/.codex/hooks.json"},
       {"id": "codex.hook.trusted", "link": "trusted", "status": "fail", "text": "2 of 2 hooks are new: Codex skips them silently",
        "fix": "open codex, type /hooks, choose \"Trust all\""}],
     "notes": ["Codex reads its hooks once per session: start a new one."]},
    {"id": "opencode", "name": "OpenCode", "found": false, "wired": false, "chain": [],
     "checks": [{"id": "opencode.harness.found", "status": "skip", "text": "OpenCode is not on this machine"}], "notes": []}
  ]}`
	var a, b any
	if err := json.Unmarshal([]byte(want), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(got.String()), &b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
