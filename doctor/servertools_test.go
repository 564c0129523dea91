package doctor

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wsi/doctor/rehearse"
	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/hook/schemas"
	"wsi/internal/refserver"
	"wsi/internal/refserver/mcpserver"
	"wsi/internal/testkit/linktest"
)

// The tools of servers, as tools/list has them.
const (
	carrying = `{"name":"get_activity","inputSchema":{"type":"object","properties":{"session_token":{"type":"string"}}}},` +
		`{"name":"health_check","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true}},{"name":"odd","inputSchema":7}`
	indexed = `{"name":"get_activity","inputSchema":{"properties":{"session_index":{"type":"string"}}}}`
	today   = indexed + `,{"name":"get_trace","inputSchema":{"properties":{"session_index":{"type":"string"},"trace_tokens":{"type":"array"}}}}`
	unnamed = `{"name":"get_new_thing","inputSchema":{"type":"object","properties":{"session_token":{"type":"string"}},"required":["session_token"]}},` +
		`{"name":"delete_thing","inputSchema":{"properties":{"thing":{}}}}`
	foreign = `{"name":"search","inputSchema":{"properties":{"query":{"type":"string"}}}}`
)

// speaking is a shell script of a server with these tools.
func speaking(tools string) string {
	return `read line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}'
read line; read line; echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[` + tools + `]}}'
read line`
}

// serve registers a script as the server with Codex and Claude Code.
func (w *world) serve(script string) {
	w.t.Helper()
	path := w.program("server", script)
	w.replace(".claude.json", `"node"`, quoted(path)+`,"env":{"GIVEN":"hunter-two"}`)
	w.replace(".codex/config.toml", `"node"`, quoted(path)+"\nenv = { GIVEN = \"hunter-two\" }")
}

// What is told of servers of all kinds. Every check is broken by one of them.
func TestServers(t *testing.T) {
	const (
		greet   = `read line; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; read line; read line; `
		unheard = "skip: the server did not answer"
	)
	dead := func(how string) string {
		return "fail: workflow-server does not answer as Codex starts it: it ended before it answered " + how
	}
	for _, c := range []struct{ name, script, answers, needs string }{
		{"all is well", speaking(carrying), "ok: workflow-server answers over MCP 2025-06-18 and has 3 tools", "ok: 1 of 3 tools take a session_token"},
		{
			"of both generations", speaking(indexed + "," + carrying), "ok: workflow-server answers over MCP 2025-06-18 and has 4 tools",
			"ok: 2 of 4 tools take a session_token or session_index; the model reads validation and batch of _meta",
		},
		{
			"since session_index", speaking(indexed), "ok: workflow-server answers over MCP 2025-06-18 and has 1 tool",
			"ok: 1 of 1 tool take a session_index; the model reads validation and batch of _meta",
		},
		{
			"of today", speaking(today), "ok: workflow-server answers over MCP 2025-06-18 and has 2 tools",
			"ok: 2 of 2 tools take a session_index; get_trace gets the trace_tokens that wsi kept; the model reads validation and batch of _meta",
		},
		{
			"a tool that no rule names", speaking(carrying + "," + unnamed), "ok: workflow-server answers over MCP 2025-06-18 and has 5 tools",
			"warn: no rule names get_new_thing, and the server requires session_token there: wsi puts it in",
		},
		{
			"one that need not have it", speaking(carrying + "," + strings.Replace(unnamed, `,"required":["session_token"]`, "", 1)), "ok: workflow-server answers over MCP 2025-06-18 and has 5 tools",
			"warn: no rule names get_new_thing, and the server does not require session_token there: wsi leaves it out",
		},
		{
			"another server", speaking(foreign), "ok: workflow-server answers over MCP 2025-06-18 and has 1 tool",
			"warn: no tool of workflow-server takes a session_token or session_index, so wsi has nothing to carry",
		},
		{"ends at once", `echo "no such thing: $GIVEN" >&2; exit 3`, dead("initialize: exit status 3; its last words: no such thing: [...]"), unheard},
		{"has no list", greet + `echo '{"id":2,"error":{"code":-32603,"message":"tools: hunter-two"}}'; read line`, "fail: workflow-server does not answer as Codex starts it: error -32603: tools: [...]", unheard},
		{"a list that is none", greet + `echo '{"id":2,"result":7}'; read line`, "fail: workflow-server does not answer as Codex starts it: its list of tools is invalid", unheard},
		{
			"no protocol of ours", `read line; echo '{"id":1,"error":{"code":-32601,"message":"no initialize"}}'; read line; echo '{"id":2,"error":{"code":-32601,"message":"no"}}'; read line`,
			"skip: wsi could not ask workflow-server for its tools: it answers neither initialize nor server/discover: error -32601: no",
			"skip: wsi could not ask workflow-server for its tools: it answers neither initialize nor server/discover: error -32601: no",
		},
		{
			"without a handshake", `read line; echo '{"id":1,"error":{"code":-32601,"message":"no initialize"}}'
read line; case $line in *server/discover*/protocolVersion\":\"2026-07-28\"*) echo '{"id":2,"result":{"supportedVersions":["2026-07-28"]}}';; esac
read line; case $line in *tools/list*/protocolVersion\":\"2026-07-28\"*) echo '{"id":3,"result":{"tools":[` + carrying + `]}}';; esac; read line`,
			"ok: workflow-server answers over MCP 2026-07-28 and has 3 tools", "ok: 1 of 3 tools take a session_token",
		},
		{"in pages", greet + `echo '{"id":2,"result":{"tools":[` + foreign + `],"nextCursor":"c"}}'
read line; case $line in *'"cursor":"c"'*) echo '{"id":3,"result":{"tools":[` + carrying + `]}}';; esac; read line`, "ok: workflow-server answers over MCP 2025-06-18 and has 4 tools", "ok: 1 of 4 tools take a session_token"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "", "codex")
			w.serve(c.script)
			w.only = []string{"server.answers", "server.needs"}
			r := w.examineLive()
			if diff := cmp.Diff([]string{c.answers, c.needs}, []string{found(r, "codex.server.answers"), found(r, "codex.server.needs")}); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// The proof with the harness's own program is about what the server's version takes, and about what the rules in force do.
func TestLiveProofIsOfTheServersVersion(t *testing.T) {
	t.Parallel()
	const traced = `{"name":"get_trace","inputSchema":{"properties":{"session_token":{"type":"string"},"trace_tokens":{"type":"array"}}}}`
	for _, c := range []struct {
		name, tools, rules     string
		index, shows, collects bool
	}{
		{"a token", carrying, "", false, true, true},
		{"a token and trace tokens", carrying + "," + traced, "", false, true, true},
		{"an index", indexed, "", true, true, true},
		{"an index and trace tokens", today, "", true, true, true},
		{"no rule for trace tokens", today, off("trace"), true, true, false},
		{"no rule for the index", today, off("index"), false, false, true},
		{"no rule for the token", "", off("token"), true, true, true},
	} {
		w := newWorld(t, "", "codex")
		w.serveAll(speaking(c.tools))
		if c.rules != "" {
			w.write(".config/wsi/rules.toml", c.rules)
		}
		o := w.options()
		o.Only, o.Env.LookPath = []string{"live.delivered"}, func(name string) (string, error) { return name, nil }
		var got []LiveCase
		o.Live = func(_ context.Context, c LiveCase) (LiveProof, error) {
			got = append(got, c)
			return LiveProof{}, nil
		}
		if _, err := Run(t.Context(), o, "linux/amd64"); err != nil || len(got) != 1 {
			t.Errorf("%s: %d proofs, %v", c.name, len(got), err)
		} else if got := got[0]; got.Index != c.index || got.Shows != c.shows || got.Collects != c.collects {
			t.Errorf("%s: index %t, shows %t, collects %t", c.name, got.Index, got.Shows, got.Collects)
		}
	}
}

// showsOnly are rules for a server of which a model only reads what is in _meta.
var showsOnly = off("token") + off("index") + off("trace") + `[[carry]]
name    = "quota"
servers = ["workflow-server"]
show = ["meta:quota"]
`

// off is the line of a rule file that switches a rule for the workflow-server off.
func off(rule string) string {
	return "[[carry]]\nname = 'workflow-server " + rule + "'\nenabled = false\n"
}

// The server gets what the harness would give it, in the folder where it would.
func TestServerEnvironment(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("shell scripts stand in for servers")
	}
	for harness, want := range map[string]string{"claude-code": "hunter-two USER XDG", "codex": "hunter-two USER "} {
		w := newWorld(t, "", harness)
		heard := filepath.Join(w.t.TempDir(), "heard")
		w.serve(`echo "$GIVEN $USER $XDG_DATA_HOME" > '` + heard + `'; pwd >> '` + heard + "'\n" + speaking(carrying))
		o := w.options()
		p := newTarget(t.Context(), o, w.harnessList[0], rehearse.Sandbox{})
		p.Env.Environ = func() []string { return []string{"USER=USER", "XDG_DATA_HOME=XDG"} }
		p.Env.LookPath = func(name string) (string, error) { return name, nil }
		if _, _, err := p.askServer(p.registrations()[0]); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(heard)
		if err != nil || string(got) != want+"\n"+w.cwd+"\n" {
			t.Errorf("%s: %q, want %q, %v", harness, got, want, err)
		}
	}
}

// What the server's list says of a tool that no rule names is kept for hooks until the list says otherwise.
func TestToolsThatNoRuleNamesAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", "codex")
	w.serve("")
	w.only = one("server.answers")
	read := func() []string { return schemas.In(w.state()).Read("codex", "workflow-server", "get_new_thing") }
	for _, c := range []struct {
		tools string
		want  []string
	}{
		{carrying, nil},
		{carrying + "," + unnamed, []string{"session_token"}},
		{carrying + "," + strings.ReplaceAll(unnamed, "session_token", "session_index"), []string{"session_index"}},
		{carrying + "," + strings.Replace(unnamed, `,"required":["session_token"]`, "", 1), nil},
	} {
		w.program("server", speaking(c.tools))
		w.examineLive()
		if got := read(); !slices.Equal(got, c.want) {
			t.Errorf("kept is %q, want %q", got, c.want)
		}
	}
}

// What a server's output must not show: its variables, and what is secret by its name or by its place.
func TestSecretsOfServers(t *testing.T) {
	s := setup.Server{
		Env:     map[string]string{"A": "a1"},
		Command: []string{"mysql", "--port", "b1", "--pwd", "b2", "--token-file", "b3", "--api-key=b5"},
	}
	got := secrets(s, []string{"HOME=c1", "MYSQL_PWD=c2", "PGPASSWORD=c3", "GIT_AUTHOR_NAME=c4", "GH_TOKEN=c5", "A=a1"})
	slices.Sort(got)
	if want := []string{"a1", "b2", "b5", "c2", "c3", "c5"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// With --live the server behind an address is asked through the relay that is in front of it, with the headers that
// are registered; it is asked for its tools, and what the relay keeps goes into a folder of the doctor's.
func TestServerBehindAnAddress(t *testing.T) {
	reference := refserver.Open(filepath.Join(t.TempDir(), "server"), refserver.Options{})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return mcpserver.New(reference, false) }, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer hunter-two" {
			http.Error(w, "who are you, hunter-two?", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close) // after the parallel tests below
	t.Cleanup(server.CloseClientConnections)
	for name, c := range map[string]struct{ url, header, want string }{
		"it answers":         {server.URL + "/mcp", "Bearer hunter-two", "ok: workflow-server answers over MCP 2025-06-18 and has 7 tools"},
		"it refuses":         {server.URL + "/mcp", "Bearer hunter-one", "fail: workflow-server does not answer as Codex starts it: "},
		"nothing is there":   {"http://127.0.0.1:1/mcp", "Bearer x", "fail: workflow-server does not answer as Codex starts it: "},
		"no relay before it": {"", "", "skip: wsi did not ask workflow-server: workflow-server is an HTTP server"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "", "codex")
			w.write(codexConfig, "[mcp_servers.workflow-server]\nurl = "+quoted(c.url)+"\nhttp_headers = { Authorization = "+quoted(c.header)+" }\n")
			if c.url == "" {
				w.write(codexConfig, "[mcp_servers.workflow-server]\nurl = "+quoted(server.URL)+"\n")
			} else {
				w.rewire("codex", setup.ByRelay, harnesses.DefaultServer, w.state())
			}
			before := w.tree()
			w.only = []string{"server.answers", "server.needs", "relay.runnable"}
			r := w.examineLive()
			got, runs := found(r, "codex.server.answers"), found(r, "codex.relay.runnable")
			if !strings.HasPrefix(got, c.want) || c.url != "" && runs != "ok: wsi relay starts as it is registered and forwards to a server" {
				t.Errorf("%s, %s\nwant %s", got, runs, c.want)
			}
			if strings.Contains(got, "hunter") {
				t.Error("a secret is told")
			}
			if after := w.tree(); after != before {
				t.Errorf("files were changed:\n%s\nwas\n%s", after, before)
			}
		})
	}
}

// trap is a program in the project that leaves a mark when it is run, and says what a good server would.
func (w *world) trap(rel string) (path string) {
	w.t.Helper()
	w.write("project/"+rel, "#!/bin/sh\necho x >> '"+w.path("trapped")+"'\n"+speaking(carrying)+"\n")
	path = w.path("project/" + rel)
	w.must(os.Chmod(path, 0o700))
	return path
}

// trapped reports whether it was run.
func (w *world) trapped() bool {
	_, err := os.Stat(w.path("trapped"))
	return err == nil
}

// copied returns a copy of wsi, which may have more at its end.
func (w *world) copied(to, more string) string {
	w.t.Helper()
	content, err := os.ReadFile(wsi)
	w.must(err)
	w.write(to, string(content)+more)
	w.must(os.Chmod(w.path(to), 0o700))
	return w.path(to)
}

// names has a project's file name a program as wsi.
func names(path func(*world) string) func(*world) {
	return func(w *world) {
		if runtime.GOOS == "windows" {
			w.t.Skip("shell scripts stand in for programs")
		}
		w.write("project/"+codexHooks, strings.ReplaceAll(w.read(codexHooks), w.bin, path(w)))
		w.write(codexHooks, `{"hooks":{}}`)
		w.only = append(w.only, "hook.path", "token.delivered")
	}
}

// asked has a server of the user's, and files with that of the project, TRAP, which may be run or not. CWD is its folder.
func asked(files map[string]string, trapped bool) func(*world) {
	return func(w *world) {
		if runtime.GOOS == "windows" {
			w.t.Skip("shell scripts stand in for servers")
		}
		w.serveAll(speaking(carrying))
		trap := w.trap("tools/server")
		for file, content := range files {
			w.write(file, strings.NewReplacer("TRAP", trap, "CWD", w.cwd).Replace(content))
		}
		w.mayTrap = trapped
	}
}

const answers = "ok: workflow-server answers over MCP 2025-06-18 and has 3 tools"

var projectsSay = []saying{
	// Where a project's file names wsi, this wsi is run if the file is a copy of it. What counts is the file, not its name.
	{"codex.hook.runnable", "a project names this very program", false, names(func(w *world) string { return w.bin }), "ok: the commands answer…"},
	{"codex.hook.runnable", "a project names a link to it", false, names(func(w *world) string {
		link := w.path("project/tools/wsi")
		w.must(os.MkdirAll(filepath.Dir(link), 0o700))
		linktest.Make(w.t, wsi, link)
		return link
	}), "ok: the commands answer…"},
	{"codex.hook.runnable", "a project names a copy", false, names(func(w *world) string { return w.copied("project/tools/wsi", "") }), "ok: the commands answer…"},
	{"codex.hook.runnable", "a project names a copy that may not be run", false, names(func(w *world) string {
		path := w.copied("project/tools/wsi", "")
		w.must(os.Chmod(path, 0o600))
		return path
	}), "fail: PROJECT/tools/wsi cannot be run…"},
	{"codex.hook.runnable", "a project names another build", false, names(func(w *world) string { return w.copied("project/tools/wsi", "more") }), "fail: wsi does not run another program that a project's file names: PROJECT/tools/wsi, in PROJECT/.codex/hooks.json…"},
	{"codex.hook.runnable", "a project names another program", false, names(func(w *world) string { return w.trap("tools/wsi") }), "fail: wsi does not run another program that a project's file names…"},
	{"codex.hook.runnable", "a project names one of the user's", false, names(func(w *world) string { return w.copied("tools/wsi", "more") }), "fail: wsi does not run another program that a project's file names…"},
	{"codex.hook.runnable", "a project names nothing", false, names(func(w *world) string { return w.path("project/tools/wsi") }), "fail: there is no program PROJECT/tools/wsi…"},
	{"codex.hook.runnable", "a project names a folder", false, names(func(w *world) string { w.folder("project/tools/wsi"); return w.path("project/tools/wsi") }), "fail: there is no program PROJECT/tools/wsi…"},
	{"codex.hook.runnable", "a project names no whole path", false, names(func(w *world) string { w.trap("tools/wsi"); return "./tools/wsi" }), "fail: the command does not begin with an absolute path…"},
	// A server of a project is not asked before its user has agreed to it with the harness; the user's own of the same name is.
	{"claude-code.server.answers", "next to the user's own", true, asked(map[string]string{"project/.mcp.json": `{"mcpServers":{"workflow-server":{"command":"TRAP"}}}`}, false), answers},
	{"codex.server.answers", "next to the user's own", true, asked(map[string]string{"project/.codex/config.toml": "[mcp_servers.workflow-server]\ncommand = \"TRAP\"\n"}, false), answers},
	{"opencode.server.answers", "next to the user's own", true, asked(map[string]string{"project/opencode.json": `{"mcp":{"workflow-server":{"type":"local","command":["TRAP"]}}}`}, false), answers},
	{"cursor.server.answers", "next to the user's own", true, asked(map[string]string{"project/.cursor/mcp.json": `{"mcpServers":{"workflow-server":{"command":"TRAP"}}}`}, false), answers},
	{"claude-code.server.answers", "alone", true, asked(map[string]string{".claude.json": `{}`, "project/.mcp.json": `{"mcpServers":{"workflow-server":{"command":"TRAP"}}}`}, false), "skip: wsi did not start workflow-server: the server workflow-server, registered in PROJECT/.mcp.json, waits for your approval"},
	{"claude-code.server.answers", "approved by the project itself", true, asked(map[string]string{
		".claude.json": `{}`, "project/.mcp.json": `{"mcpServers":{"workflow-server":{"command":"TRAP"}}}`,
		"project/.claude/settings.json": `{"enableAllProjectMcpServers":true}`, "project/.claude/settings.local.json": `{"enabledMcpjsonServers":["workflow-server"]}`,
	}, false), "skip: wsi did not start workflow-server: the server workflow-server, registered in PROJECT/.mcp.json, waits for your approval"},
	{"codex.server.answers", "alone", true, asked(map[string]string{".codex/config.toml": "", "project/.codex/config.toml": "[mcp_servers.workflow-server]\ncommand = \"TRAP\"\n"}, false), "skip: wsi did not start workflow-server: the server workflow-server, registered in PROJECT/.codex/config.toml, is not read, because Codex does not trust the project PROJECT"},
	{"opencode.server.answers", "alone", true, asked(map[string]string{".config/opencode/opencode.json": `{}`, "project/opencode.json": `{"mcp":{"workflow-server":{"type":"local","command":["TRAP"]}}}`}, false), "skip: wsi did not start workflow-server: the project registers workflow-server in PROJECT/opencode.json, and wsi found no approval of it in OpenCode"},
	{"opencode.server.answers", "a variable laid over the user's own", true, asked(map[string]string{"project/opencode.json": `{"mcp":{"workflow-server":{"type":"local","environment":{"PATH":"CWD"}}}}`}, false), answers},
	{"claude-code.server.answers", "approved", true, asked(map[string]string{
		".claude.json":      `{"projects":{"CWD":{"hasTrustDialogAccepted":true,"enabledMcpjsonServers":["workflow-server"]}}}`,
		"project/.mcp.json": `{"mcpServers":{"workflow-server":{"command":"TRAP"}}}`,
	}, true), answers},
	{"codex.server.answers", "trusted", true, asked(map[string]string{
		".codex/config.toml":         "[projects.\"CWD\"]\ntrust_level = \"trusted\"\n",
		"project/.codex/config.toml": "[mcp_servers.workflow-server]\ncommand = \"TRAP\"\n",
	}, true), answers},
	{"codex.server.answers", "switched off", true, asked(map[string]string{
		".codex/config.toml":         "[mcp_servers.workflow-server]\ncommand = \"TRAP\"\n[projects.\"CWD\"]\ntrust_level = \"trusted\"\n",
		"project/.codex/config.toml": "[mcp_servers.workflow-server]\nenabled = false\n",
	}, false), "skip: no server named workflow-server is registered and enabled"},
	{"codex.server.answers", "a path from the folder", true, asked(map[string]string{".codex/config.toml": "[mcp_servers.workflow-server]\ncommand = \"./tools/server\"\n"}, false), "skip: wsi did not start workflow-server: HOME/.codex/config.toml names ./tools/server, a program of this project, for workflow-server"},
}
