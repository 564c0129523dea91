package codex

import (
	"testing"

	"wsi/harnesses/setup"
)

// The e2e test TestCodexStartsAsWsiSays compares more of them with the binary.
func TestMisfit(t *testing.T) {
	for content, want := range map[string]string{
		"model = 'x'\nnotify = ['a']\nunknown = 5\n": "",

		"model = 5\n":                    "model: 5 is not a string",
		"[features]\nhooks = 'secret'\n": `features.hooks: "secret" is not true or false`,

		"[features]\nmulti_agent_v2 = { enabled = true }\n":    "",
		"[mcp_servers.a]\nenabled = false\n":                   "mcp_servers.a: it has neither a command nor a url",
		"[mcp_servers.a]\ncommand = 'x'\nargs = 'y'\n":         `mcp_servers.a.args: "y" is not a list`,
		"[mcp_servers.a]\ncommand = 'x'\nurl = 'http://x'\n":   "mcp_servers.a.url: a server with a command cannot have it",
		"[mcp_servers.a]\nurl = 'http://x'\nenv = { A = 1 }\n": "mcp_servers.a.env: a server with a url cannot have it",
		"[mcp_servers]\ncommand = 'x'\n":                       `mcp_servers.command: "x" is not a table`,
	} {
		config, err := setup.DecodeTOML([]byte(content))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if bad := misfit(config); bad != nil {
			got = bad.Place + ": " + bad.Why
		}
		if got != want {
			t.Errorf("%q: %q, want %q", content, got, want)
		}
	}
}
