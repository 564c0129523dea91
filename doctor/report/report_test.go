package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wsi/internal/phrase"
)

func sample() Report {
	return Report{
		Version: "0.1.0", Platform: "linux/amd64",
		Own: []Finding{{ID: "wsi.state", Status: OK, Text: "/home/ada/.local/state/wsi"}},
		Groups: []Group{
			{
				ID: "codex", Name: "Codex", Version: "0.169.0", Found: true, Wired: true,
				Chain: []Joint{{Registered, OK}, {Trusted, Fail}, {Runs, Warn}, {Used, Info}, {RightValue, Skip}},
				Findings: []Finding{
					{ID: "codex.hook.registered", Link: Registered, Status: OK, Text: "/home/ada/.codex/hooks.json"},
					{ID: "codex.hook.trusted", Link: Trusted, Status: Fail, Text: "2 of 2 hooks are new: Codex skips them silently", Fix: phrase.Fix{Text: `open codex, type /hooks, choose "Trust all"`}},
				},
				Notes: []string{"Codex reads its hooks once per session: start a new one."},
			},
			{ID: "opencode", Name: "OpenCode", Findings: []Finding{{ID: "opencode.harness.found", Status: Skip, Text: "OpenCode is not on this machine"}}},
		},
	}
}

func TestVerdict(t *testing.T) {
	harness := func(name string, found, wired bool, delivered ...Status) Group {
		g := Group{ID: name, Name: name, Found: found, Wired: wired}
		for i, s := range delivered {
			g.Findings = append(g.Findings, Finding{ID: fmt.Sprint(name, ".", i), Link: RightValue, Status: s, Text: "it is " + string(s)})
		}
		return g
	}
	well, wrong, absent := harness("A", true, true, OK, Skip), harness("B", true, true, OK, Fail), harness("D", false, false, Skip, Skip)
	warned, bare, untried := harness("W", true, true, Warn, Skip), harness("Codex", true, false, Skip, Skip), harness("Cursor", true, true, Info, Skip)
	foreign := harness("F", true, false, Skip, Skip) // none of its servers concerns wsi
	foreign.Findings = append(foreign.Findings, Finding{ID: "F.hook.registered", Link: Registered, Status: Skip, Text: "no server with a rule", Idle: true})
	unused := harness("codex", true, true, OK)
	unused.Version = "9.0.0"
	unused.Findings = append(unused.Findings, Finding{ID: "codex.hook.fired", Link: Used, Status: Info})
	unproven := unused
	unproven.Findings = append(slices.Clone(unused.Findings), Finding{ID: "codex.harness.version", Status: Info})
	both := unproven
	both.Findings = append(slices.Clone(unproven.Findings[1:]), Finding{Link: RightValue, Status: Info})
	tried := func(name string, check Check, s Status) Group { // the first calls are to come
		g := harness(name, true, true, map[Check]Status{LiveDelivered: OK, RelayAnswers: Skip}[check])
		g.Passes = check == RelayAnswers
		g.Findings = append(g.Findings, Finding{ID: check.Of(name), Status: s}, Finding{ID: HookFired.Of(name), Status: Info})
		return g
	}
	passing, answering := tried("P", RelayAnswers, Skip), tried("Q", RelayAnswers, OK)
	registered := Group{Name: "R", Found: true, Wired: true, Findings: []Finding{{Link: Trusted, Status: OK}}}
	for want, of := range map[string][]Group{
		"No fault: wsi is registered with codex; the first call in codex will show whether it works there; no real call yet.":               {both},
		"All well: test calls in codex got the right value; no real call yet.":                                                              {unused, foreign, foreign},
		"No fault: test calls in codex got the right value; no real call yet, and not tested with codex 9.0.0.":                             {unproven, foreign},
		"All well: wsi carries values in A; test calls in codex got the right value; no real call yet in codex.":                            {well, unused},
		"All well: wsi carries values in A, proved by its own program.":                                                                     {tried("A", LiveDelivered, OK)},
		"All well: wsi carries values in A and B, proved by their own programs.":                                                            {tried("A", LiveDelivered, OK), tried("B", LiveDelivered, OK)},
		"All well: wsi carries values in B, proved by its own program; test calls in codex got the right value; no real call yet in codex.": {unused, tried("B", LiveDelivered, OK)},
		"All well: wsi carries values in A; wsi relay is in front of the servers in P; no real call yet in P.":                              {well, passing},
		"All well: wsi relay gets answers from the servers in Q.":                                                                           {answering},
		"All well: wsi relay gets answers from the servers in Q; wsi relay is in front of the servers in P; no real call yet in P.":         {passing, answering},
		"All well: wsi carries values in A, A and A.":                                                                                       {well, well, well, absent},
		"All well: wsi carries values in A.":                                                                                                {well, bare},
		"B: it is fail.":                                                                                                                    {well, wrong},
		"B: it is fail. Also 1 fault and 1 warning.":                                                                                        {warned, wrong, wrong},
		"W: it is warn.":                  {warned, bare},
		"W: it is warn. Also 2 warnings.": {warned, warned, warned},
		"All well: wsi carries values in A; the first call in Cursor will show whether it works there.": {well, untried},
		"No fault. No harness that wsi knows is on this machine (see wsi help harnesses).":              {absent, absent},
		"No fault. wsi carries no values: it is not set up in Codex or D.":                              {bare, absent},
		"No fault. wsi carries no values: it is not set up in Codex.":                                   {bare, {}},
		"No fault. D is not on this machine.":                                                           {absent, {Found: true, Wired: true}},
		"Nothing was examined: no check that you named can run here.":                                   {{Found: true, Wired: true}},
		"No fault: wsi is registered with S.":                                                           {harness("S", true, true, Skip, Skip)},
		"No fault: wsi is registered with R.":                                                           {registered},
	} {
		if _, got := (Report{Groups: of}).Verdict(); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
}

// What is pasted into an issue tells nothing of the machine but what is broken.
func TestMarkdown(t *testing.T) {
	r := sample()
	token := strings.Repeat("eyJhY3QiOiJkZXNpZ24i", 15) + "." + strings.Repeat("0f", 32)
	r.Groups[0].Findings = append(r.Groups[0].Findings, Finding{
		ID: "codex.hook.alone", Status: Warn, Took: 3,
		Text: "another hook, '/home/ada/work/secret/x' | <script> `a` [b](c) *d* @ada " + token,
		Fix:  phrase.Fix{Text: "look at /home/ada/work/secret/.codex/hooks.json and /home/ada"},
	})
	var got strings.Builder
	if err := r.Markdown(&got, Redaction{Home: "/home/ada", Cwd: "/home/ada/work/secret", Sep: "/"}); err != nil {
		t.Fatal(err)
	}
	want := `### wsi doctor 0.1.0, linux/amd64

2 ok, 1 warning, 1 fault, 1 not checked

#### wsi

| | check | found | fix |
|---|---|---|---|
| ok | ` + "`wsi.state`" + ` | ~/.local/state/wsi |  |

#### Codex 0.169.0

registered ✓ → trusted ✗ → runs – → used – → right value –

| | check | found | fix |
|---|---|---|---|
| ok | ` + "`codex.hook.registered`" + ` | ~/.codex/hooks.json |  |
| fail | ` + "`codex.hook.trusted`" + ` | 2 of 2 hooks are new: Codex skips them silently | open codex, type /hooks, choose "Trust all" |
| warn | ` + "`codex.hook.alone`" + ` | another hook, '&lt;project&gt;/x' \| &lt;script&gt; \` + "`a\\`" + ` \[b](c) \*d\* @` + "\u200b" + `ada &lt;hidden&gt; (3 ms) | look at &lt;project&gt;/.codex/hooks.json and ~ |

#### OpenCode

| | check | found | fix |
|---|---|---|---|
| skip | ` + "`opencode.harness.found`" + ` | OpenCode is not on this machine |  |
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Other people see no folder of the user, wherever it is. What every machine has stays, and so does the name of a file.
func TestFoldersAreHidden(t *testing.T) {
	hide := Redaction{Home: "/home/ada", Cwd: "/srv/acme/repo/sub", Sep: "/"}
	for text, want := range map[string]string{
		"/srv/acme/repo/.mcp.json: line 1, column 2: EOF":                    "<folder>/.mcp.json: line 1, column 2: EOF",
		"/srv/acme/repo/sub/.mcp.json and /srv/acme/repo":                    "<project>/.mcp.json and <folder>",
		"mv '/data/my acme/x.json' /data/acme/tools/wsi":                     "mv '<folder>/x.json' <folder>",
		"/home/adam/.claude.json, not /home/ada":                             "<folder>/.claude.json, not ~",
		`D:\acme\repo\.mcp.json was changed`:                                 `<folder>/.mcp.json was changed`,
		"/usr/local/bin/wsi, /etc/codex/config.toml":                         "/usr/local/bin/wsi, /etc/codex/config.toml",
		`C:\Program Files\nodejs\node.exe`:                                   `C:\Program Files\nodejs\node.exe`,
		"open codex, type /hooks; https://acme.test/a/b":                     "open codex, type /hooks; https://acme.test/a/b",
		"/home/ada/acme/x.json, rehearsed 3/4, read/write":                   "<folder>/x.json, rehearsed 3/4, read/write",
		"/home/ada/.config/opencode/opencode.json, /home/ada/bin/wsi":        "~/.config/opencode/opencode.json, ~/bin/wsi",
		"/usr/bin/guard in /home/ada/acme/plug/hooks.json":                   "/usr/bin/guard in <folder>/hooks.json",
		"/usr/bin/node --import=/srv/acme/secret/x.js":                       "/usr/bin/node --import=<folder>/x.js",
		"/srv/acme/x.sh in /home/ada/.claude/settings.json":                  "<folder>/x.sh in ~/.claude/settings.json",
		"file:///home/bob/acme/x.js, /srv/R&D/acme/x.sh":                     "file://<folder>/x.js, <folder>/x.sh",
		"[/srv/acme/x.js] at:/srv/acme/x.js `/srv/acme/x.js`":                "[<folder>/x.js] at:<folder>/x.js `<folder>/x.js`",
		"you do not trust '/srv/acme/repo/sub': no, /srv/acme/repo/sub: yes": "you do not trust '<project>': no, <project>: yes",
		"/dev-work/acme/x.js /etc-secret/acme/x.js ~/binance/acme/x.js":      "<folder>/x.js <folder>/x.js <folder>/x.js",
		`C:\dev\acme\x.js C:\\Users\\ada\\x.js \\share\acme\x.js`:            `<folder>/x.js <folder>/x.js <folder>/x.js`,
	} {
		if got := hide.cell(text); got != markup.Replace(want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
