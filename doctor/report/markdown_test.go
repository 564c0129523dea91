package report

import (
	"strings"
	"testing"

	"wsi/internal/phrase"

	"github.com/google/go-cmp/cmp"
)

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
