package doctor

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/internal/phrase"
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

// examineLive runs checks as with --live, with real programs on the PATH and a proof that is always right.
func (w *world) examineLive(only ...string) report.Report {
	w.t.Helper()
	o := w.options()
	o.Only = only
	o.Live = func(context.Context, LiveCase) (LiveProof, error) {
		return LiveProof{Right: 1, Needed: 1, Saw: "seen"}, nil
	}
	o.Env.LookPath = func(name string) (string, error) {
		switch name {
		case "codex", "claude", "opencode":
			return w.path(name), nil
		}
		info, err := os.Stat(name)
		if err == nil && runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
			err = os.ErrPermission
		}
		return name, err
	}
	r, err := Run(w.t.Context(), o, "linux/amd64")
	if err != nil {
		w.t.Fatal(err)
	}
	if left, err := os.ReadDir(o.TempDir); err != nil || len(left) > 0 {
		w.t.Errorf("the doctor left %v behind, %v", left, err)
	}
	if shown := w.shown(r); strings.Contains(shown, "hunter-two") {
		w.t.Error("the report shows a variable's value:\n" + shown)
	}
	return r
}

// about returns a harness's findings of the named checks: status and text.
func about(r report.Report, harness string, checks ...string) map[string]string {
	got := map[string]string{}
	for _, g := range r.Groups {
		for _, f := range g.Findings {
			for _, c := range checks {
				if f.ID == harness+"."+c {
					got[c] = string(f.Status) + ": " + f.Text
				}
			}
		}
	}
	return got
}

// What is told of servers of all kinds. Every check is broken by one of them.
func TestServers(t *testing.T) {
	const (
		greet   = `read line; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; read line; read line; `
		unheard = "skip: the server did not answer"
	)
	dead := func(how string) string {
		return "fail: the server does not answer as Codex starts it: it ended before it answered " + how
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
			"warn: no rule gives session_token to get_new_thing: wsi fills it in there, because the server requires it",
		},
		{
			"one that need not have it", speaking(carrying + "," + strings.Replace(unnamed, `,"required":["session_token"]`, "", 1)), "ok: workflow-server answers over MCP 2025-06-18 and has 5 tools",
			"warn: no rule gives session_token to get_new_thing: wsi leaves it out there, because the server does not require it",
		},
		{
			"another server", speaking(foreign), "ok: workflow-server answers over MCP 2025-06-18 and has 1 tool",
			"warn: no tool of workflow-server takes a session_token or session_index, so wsi has nothing to carry",
		},
		{"ends at once", `echo "no such thing: $GIVEN" >&2; exit 3`, dead("initialize: exit status 3; its last words: no such thing: [...]"), unheard},
		{"has no list", greet + `echo '{"id":2,"error":{"code":-32603,"message":"tools: hunter-two"}}'; read line`, "fail: the server does not answer as Codex starts it: error -32603: tools: [...]", unheard},
		{"a list that is none", greet + `echo '{"id":2,"result":7}'; read line`, "fail: the server does not answer as Codex starts it: its list of tools is invalid", unheard},
		{
			"no protocol of ours", `read line; echo '{"id":1,"error":{"code":-32601,"message":"no initialize"}}'; read line; echo '{"id":2,"error":{"code":-32601,"message":"no"}}'; read line`,
			"skip: not asked: it knows neither initialize nor server/discover: error -32601: no",
			"skip: not asked: it knows neither initialize nor server/discover: error -32601: no",
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
			w := newWorld(t, "")
			only("codex")(w)
			w.serve(c.script)
			got := about(w.examineLive("server.answers", "server.needs"), "codex", "server.answers", "server.needs")
			if diff := cmp.Diff(map[string]string{"server.answers": c.answers, "server.needs": c.needs}, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Hooks of Cursor and OpenCode 2 do not see what is in _meta; a server can also need nothing but that.
func TestServerNeedsItsMetaRead(t *testing.T) {
	t.Parallel()
	const lost = "warn: 2 of 2 tools take a session_index; hooks of NAME do not see _meta: get_trace does not get the trace_tokens, " +
		"the model does not read validation and batch (fix: wsi setup --harness ID --wiring relay)"
	const kept = "ok: 2 of 2 tools take a session_index; get_trace gets the trace_tokens that wsi kept; the model reads validation and batch of _meta"
	for _, c := range []struct{ harness, rules, tools, want string }{
		{"cursor", "", today, strings.NewReplacer("NAME", "Cursor", "ID", "cursor").Replace(lost)},
		{"opencode 2.0.15", "", today, strings.NewReplacer("NAME", "OpenCode 2.0.15", "ID", "opencode").Replace(lost)},
		{"opencode 1.18.33", "", today, kept},
		{"claude-code", "", today, kept},
		{"codex", off("index") + off("trace"), foreign, "warn: no tool of workflow-server takes a session_token, so wsi has nothing to carry"},
		{"codex", showsOnly, foreign, "ok: the model reads quota of _meta"},
	} {
		w := newWorld(t, "")
		id, version, _ := strings.Cut(c.harness, " ")
		only(id)(w)
		if version != "" {
			w.versions[w.path(id)] = version
		}
		w.serveAll(speaking(c.tools))
		if c.rules != "" {
			w.write(".config/wsi/rules.toml", c.rules)
		}
		r := w.examineLive("server.needs")
		got := about(r, id, "server.needs")["server.needs"]
		for _, g := range r.Groups {
			for _, f := range g.Findings {
				if f.Fix != (phrase.Fix{}) && strings.Contains(c.want, "(fix:") {
					got += " (fix: " + f.Fix.String() + ")"
				}
			}
		}
		if got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
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
		w := newWorld(t, "")
		only("codex")(w)
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

func TestServerNeverAnswers(t *testing.T) {
	was := answerTime
	answerTime = 3 * time.Second // a busy machine takes its time to start a program
	defer func() { answerTime = was }()
	w := newWorld(t, "")
	only("codex")(w)
	w.serve(`echo "waiting" >&2; read line; read line`)
	want := "fail: the server does not answer as Codex starts it: it has not answered within 3s; its last words: waiting"
	if got := about(w.examineLive("server.answers"), "codex", "server.answers")["server.answers"]; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The server gets what the harness would give it, in the folder where it would.
func TestServerEnvironment(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("shell scripts stand in for servers")
	}
	for harness, want := range map[string]string{"claude-code": "hunter-two USER XDG", "codex": "hunter-two USER "} {
		w := newWorld(t, "")
		only(harness)(w)
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

// Without --live nothing of the user's runs, but whether there is anything to run is told.
func TestServerCommand(t *testing.T) {
	for _, c := range []struct {
		name, entry, want string
	}{
		{"on the PATH", `"command":"node"`, "ok: /usr/bin/node"},
		{"an address", `"url":"http://127.0.0.1:1/mcp"`, "skip: workflow-server is an HTTP server"},
		{"nothing", `"type":"stdio"`, "fail: HOME/.claude.json registers workflow-server with neither a command nor an address"},
		{"not on the PATH", `"command":"nod"`, "warn: the server's command does not exist: nod"},
		{"not there", `"command":"/no/such/server"`, "fail: the server's command does not exist: /no/such/server"},
		{"another PATH", `"command":"node","env":{"PATH":"/nowhere"}`, "fail: the server's command does not exist: node"},
		{"a login", `"command":"https://u:hunter2@host/x"`, "fail: the server's command does not exist: https://***@host/x"},
		{"no script with a login", `"command":"node","args":["/srv/https://u:hunter2@host/index.js"]`, "fail: the script of the server's command does not exist: /srv/https://***@host/index.js"},
		{"no script", `"command":"node","args":["/no/such/index.js"]`, "fail: the script of the server's command does not exist: /no/such/index.js"},
		{"an argument that need not be there", `"command":"node","args":["--cache","/no/such/folder"]`, "ok: /usr/bin/node"},
		{"no folder", `"command":"node","cwd":"/no/such/folder"`, "fail: the server's working folder /no/such/folder does not exist"},
		{"a variable", `"command":"${HOME}/server"`, "skip: the registration in HOME/.claude.json has variables that only Claude Code resolves"},
		{"a variable of its own", `"command":"node","env":{"KEY":"${KEY:-none}"}`, "skip: the registration in HOME/.claude.json has variables that only Claude Code resolves"},
		{"switched off", `"command":"nod","disabled":true`, "skip: no server named workflow-server is registered and enabled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				t.Skip("other paths there")
			}
			t.Parallel()
			w := newWorld(t, "")
			only("claude-code")(w)
			w.write(".claude.json", `{"mcpServers":{"workflow-server":{`+c.entry+`}}}`)
			w.only = withoutRehearsal()
			r := w.examine()
			got := strings.ReplaceAll(about(r, "claude-code", "server.command")["server.command"], w.home, "HOME")
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if r.Healthy() == strings.HasPrefix(c.want, "fail: ") {
				t.Errorf("healthy: %t\n%s", r.Healthy(), w.said(r, report.Fail))
			}
			for _, id := range []string{"server.answers", "server.needs"} {
				if said := about(r, "claude-code", id)[id]; !strings.HasPrefix(said, "skip: ") {
					t.Errorf("%s: %s", id, said)
				}
			}
		})
	}
}

// With --live a server that cannot be started is broken, whether its program is missing or only not on this PATH.
func TestServerThatCannotStart(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("other paths there")
	}
	for entry, want := range map[string]string{
		`"command":"nod"`: "fail: the server cannot be started: the server's command does not exist: nod",
		`"command":"/bin/sh","args":["/no/such/index.js"]`: "fail: the server cannot be started: the script of the server's command does not exist: /no/such/index.js",
		`"command":"node","env":{"KEY":"${KEY:-none}"}`:    "skip: not asked: the registration in HOME/.claude.json has variables that only Claude Code resolves",
	} {
		w := newWorld(t, "")
		only("claude-code")(w)
		w.write(".claude.json", `{"mcpServers":{"workflow-server":{`+entry+`}}}`)
		got := strings.ReplaceAll(about(w.examineLive("server.answers"), "claude-code", "server.answers")["server.answers"], w.home, "HOME")
		if got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
