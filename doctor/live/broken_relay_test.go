//go:build e2e

package live

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"wsi/harnesses/setup"
)

// between is a program of Node's that a relay starts instead of the server. It starts the server, and changes
// what goes there and what comes back: each function of a message in JavaScript.
const between = `
const change = %s;
const command = process.argv.slice(process.argv.indexOf("--") + 1);
const child = require("node:child_process").spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
const pass = (from, to, how) =>
	require("node:readline").createInterface({ input: from }).on("line", (line) => {
		const message = JSON.parse(line);
		how?.(message);
		to.write(JSON.stringify(message) + "\n");
	});
pass(process.stdin, child.stdin, change.there).on("close", () => child.stdin.end());
pass(child.stdout, process.stdout, change.back);
child.on("exit", (code) => process.exit(code ?? 1));
`

// TestBrokenRelaysAreSeen is TestBrokenHooksAreSeen for what stands in front of the server.
func TestBrokenRelaysAreSeen(t *testing.T) {
	for _, h := range installed {
		h.program(t)
		for name, c := range map[string]struct {
			relay string // what is done in its place, in the shell; "" = it runs, with between before the server
			how   string // between's functions
			want  string // regular expression
		}{
			"nothing is injected":        {direct, "", "missing"},
			"an older value is injected": {"", `{ there: ({ params }) => { const a = params?.arguments; if (a?.session_token) a.session_token = globalThis.old ??= a.session_token; } }`, "stale"},
			"one character of the token": {"", `{ there: ({ params }) => { const a = params?.arguments; if (a?.session_token) a.session_token = a.session_token.replace(/(.)$/, (c) => c === "0" ? "1" : "0"); } }`, "unknown"},
			"the value comes twice":      {"", `{ back: ({ result }) => { const m = result?._meta; if (m?.session_token) m.copy = m.session_token; } }`, "a token in "},
			"the model is told":          {"", `{ back: ({ result }) => { const m = result?._meta; if (m?.session_token) result.content[0].text = "it ends in " + m.session_token.slice(-64); } }`, "[1-9] leaks .*a token in "},
		} {
			if h.id == "opencode" && name == "the value comes twice" {
				continue // it keeps no _meta
			}
			t.Run(h.String()+", "+name, func(t *testing.T) {
				t.Parallel()
				r := h.rig(t, short).wired(t, setup.ByRelay)
				file := filepath.Join(filepath.Dir(r.wsi), "between.cjs")
				relay := c.relay
				if relay == "" {
					relay = fmt.Sprintf("exec %s \"$1\" \"$2\" \"$3\" \"$4\" \"$5\" \"$6\" \"$7\" -- node \"${0%%/*}/between.cjs\" \"$@\"", wsi)
				}
				script := "#!/bin/sh\n[ \"$1\" = relay ] || exec " + wsi + " \"$@\"\n" + relay + "\n"
				if err := os.WriteFile(file, fmt.Appendf(nil, between, c.how), 0o600); err != nil {
					t.Fatal(err)
				}
				replaceWsi(t, r, script)
				seesWrong(t, r, c.want)
			})
		}
	}
}
