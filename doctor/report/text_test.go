package report

import (
	"encoding/json"
	"slices"
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

// four is the sample with a harness in which all is well, and one that only has settings on this machine.
func four() Report {
	r := sample()
	claude := Group{ID: "claude-code", Name: "Claude Code", Version: "2.1.330", Found: true, Wired: true, Findings: []Finding{
		{ID: "claude-code.hook.registered", Link: Registered, Status: OK, Text: "/home/ada/.claude/settings.json"},
		{ID: "claude-code.token.delivered", Link: Delivered, Status: OK, Text: "rehearsed: 36 of 36 right", Took: 180},
	}}
	cursor := Group{ID: "cursor", Name: "Cursor", Found: true, Findings: []Finding{
		{ID: "cursor.harness.found", Status: Info, Text: "Cursor is not on the PATH, but it is configured in /home/ada/.cursor"},
		{ID: "cursor.hook.file", Link: Registered, Status: OK, Text: "Cursor accepts /home/ada/.cursor/hooks.json"},
	}}
	claude.Chain, cursor.Chain = Chain(claude.Findings), Chain(cursor.Findings)
	r.Groups[0].Limits = r.Groups[0].Notes
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
		{"what a person needs", Style{Home: "/home/ada", Sep: "/"}, `
1 fault: wsi carries values in 1 of 3 harnesses.
  ✗ codex.hook.trusted  2 of 2 hooks are new: Codex skips them silently
    to do: open codex, type /hooks, choose "Trust all"

wsi doctor 0.1.0 · linux/amd64 · 4 harnesses · 8 checks

Claude Code 2.1.330      registered → trusted → runnable → fired → delivered
                             ✓           –         –         –         ✓
  ✓ claude-code.token.delivered  rehearsed: 36 of 36 right (180 ms)

Codex 0.169.0            registered → trusted → runnable → fired → delivered
                             ✓           ✗         !         –         –

Cursor                   registered → trusted → runnable → fired → delivered
                             –           –         –         –         –
  · cursor.harness.found  Cursor is not on the PATH, but it is configured in
                          ~/.cursor

OpenCode                 not found

5 ok · 0 warnings · 1 fault · 2 not checked
`},
		{"everything, in ASCII", Style{Home: "/home/ada", Sep: "/", Verbose: true, ASCII: true}, `
1 fault: wsi carries values in 1 of 3 harnesses.
  [XX] codex.hook.trusted  2 of 2 hooks are new: Codex skips them silently
    to do: open codex, type /hooks, choose "Trust all"

wsi doctor 0.1.0 - linux/amd64 - 4 harnesses - 8 checks
  [ok] wsi.state  ~/.local/state/wsi

Claude Code 2.1.330      registered > trusted > runnable > fired > delivered
                            [ok]       [--]       [--]     [--]      [ok]
  [ok] claude-code.hook.registered  ~/.claude/settings.json
  [ok] claude-code.token.delivered  rehearsed: 36 of 36 right (180 ms)

Codex 0.169.0            registered > trusted > runnable > fired > delivered
                            [ok]       [XX]       [!!]     [--]      [--]
  [ok] codex.hook.registered  ~/.codex/hooks.json
  note: Codex reads its hooks once per session: start a new one.

Cursor                   registered > trusted > runnable > fired > delivered
                            [--]       [--]       [--]     [--]      [--]
  [..] cursor.harness.found  Cursor is not on the PATH, but it is configured in
                             ~/.cursor
  [ok] cursor.hook.file  Cursor accepts ~/.cursor/hooks.json

OpenCode                 not found

5 ok - 0 warnings - 1 fault - 2 not checked
`},
	} {
		var got strings.Builder
		if err := four().Text(&got, c.style); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestVerdict(t *testing.T) {
	harness := func(found, wired bool, delivered ...Status) Group {
		g := Group{Found: found, Wired: wired}
		for _, s := range delivered {
			g.Findings = append(g.Findings, Finding{Link: Delivered, Status: s})
		}
		return g
	}
	well, wrong, absent := harness(true, true, OK, Skip), harness(true, true, OK, Fail), harness(false, false, Skip, Skip)
	warned, bare := harness(true, true, Warn, Skip), harness(true, false, Skip, Skip)
	untried := harness(true, true, Info, Skip)
	untried.Name, bare.Name = "Cursor", "Codex"
	idle := harness(true, true, OK) // no server, so nothing to carry
	idle.Findings = append(idle.Findings, Finding{ID: "x.server.registered", Link: Registered, Status: Warn})
	foreign := harness(true, false, Skip, Skip) // none of its servers concerns wsi
	foreign.Findings = append(foreign.Findings, Finding{ID: "x.hook.registered", Link: Registered, Status: Skip, Text: "no server with a rule", Idle: true})
	unused := harness(true, true, OK)
	unused.ID, unused.Name, unused.Version = "codex", "Codex", "9.0.0"
	unused.Findings = append(unused.Findings, Finding{ID: "codex.hook.fired", Link: Fired, Status: Info})
	unproven := unused
	unproven.Findings = append(slices.Clone(unused.Findings), Finding{ID: "codex.harness.version", Status: Info})
	both := unproven
	both.Findings = append(slices.Clone(unproven.Findings), Finding{Link: Delivered, Status: Info})
	both.Findings[0].Status = Skip
	for want, of := range map[string][]Group{
		"No fault: wsi carries values in 0 of 1 harness; Codex cannot be tried here; not used yet.":      {both},
		"All well: wsi carries values in 1 of 1 harness; not used yet.":                                  {unused, foreign, foreign},
		"No fault: wsi carries values in 1 of 1 harness; not used yet, and not tested with Codex 9.0.0.": {unproven, foreign},
		"All well: wsi carries values in 2 of 2 harnesses; not used yet in Codex.":                       {well, unused},
		"1 warning: wsi carries values in 1 of 2 harnesses.":                                             {well, idle},
		"All well: wsi carries values in 2 of 2 harnesses.":                                              {well, well, absent},
		"All well: wsi carries values in 1 of 2 harnesses.":                                              {well, bare},
		"1 fault: wsi carries values in 1 of 2 harnesses.":                                               {well, wrong},
		"2 faults and 1 warning: wsi carries values in 1 of 3 harnesses.":                                {wrong, warned, wrong},
		"1 warning: wsi carries values in 1 of 1 harness.":                                               {warned},
		"1 warning: wsi is set up in none of 2 harnesses; try wsi setup.":                                {bare, harness(true, false, Warn), absent},
		"All well: wsi carries values in 1 of 2 harnesses; Cursor cannot be tried here.":                 {well, untried},
		"No fault: wsi carries values in 0 of 1 harness; Cursor cannot be tried here.":                   {untried},
		"No fault, and no harness on this machine; install one, then run wsi setup.":                     {absent, absent},
		"No fault. wsi carries no values: it is not set up in any of these harnesses.":                   {bare, absent},
		"No fault. wsi carries no values: it is not set up in Codex.":                                    {bare, {}},
		"No fault, and no harness that was examined is on this machine.":                                 {{Name: "Cursor", Findings: absent.Findings}, {Found: true, Wired: true}},
		"Nothing was examined: no check that you named can run here.":                                    {{Found: true, Wired: true}},
		"No fault in 2 checks.":                                        {harness(true, true, Skip, Skip)},
		"All well: wsi carries values in 1 of 1 harness.":              {well, {Found: true, Wired: true}},
		"All well in 1 check.":                                         {{Found: true, Wired: true, Findings: []Finding{{Link: Trusted, Status: OK}}}},
		"No fault. wsi carries no values: it is not set up in Cursor.": {{Found: true, Name: "Cursor", Findings: []Finding{{Link: Trusted, Status: Skip}}}},
		"1 fault in 1 check.":                                          {{Found: true, Wired: true, Findings: []Finding{{Link: Trusted, Status: Fail}}}},
	} {
		if _, got := (Report{Groups: of}).Verdict(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// Color comes and goes without moving anything.
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

// A fix that is a command stays on one line, so that it can be copied; what only a person can do is a sentence.
func TestFixesToType(t *testing.T) {
	command := "wsi setup --harness codex --server '" + strings.Repeat("long ", 20) + "' --trust-codex-hooks"
	for fix, want := range map[string]string{
		command:                                "\n    fix: " + command + "\n",
		"chmod go= ~/x && " + command:          "\n    fix: chmod go= ~/x && " + command + "\n",
		`open codex, type /hooks`:              "\n    to do: open codex, type /hooks\n",
		"move it away, then run wsi setup":     "\n    to do: move it away, then run wsi setup\n",
		"wsi setup, in the folder C:/my repos": "\n    to do: wsi setup, in the folder C:/my repos\n",
		"move C:/x C:/x.away":                  "\n    fix: move C:/x C:/x.away\n",
	} {
		r := Report{Own: []Finding{{ID: "wsi.state", Status: Fail, Text: "wrong", Fix: fix}}}
		var got strings.Builder
		if err := r.Text(&got, Style{}); err != nil || !strings.Contains(got.String(), want) {
			t.Errorf("%v\n%s", err, got.String())
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

// A wsi that make install built in a clone has a long version.
func TestHeadingFits(t *testing.T) {
	r := sample()
	r.Version = "0.9.0-pre20261126031916+8b1892d8b041"
	var b strings.Builder
	if err := r.Text(&b, Style{}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > width {
			t.Errorf("longer than %d columns: %s", width, line)
		}
	}
}
