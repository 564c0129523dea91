package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/hook/carry"
	"wsi/hook/journal"
	"wsi/internal/testkit/linktest"
)

// saying is what a check says in a home that is not as it should be.
type saying struct {
	check string // with the harness, which alone is examined
	name  string
	live  bool // as with --live
	harm  func(*world)
	want  string // status, text and, if it is here, the fix; "…" is for any text
}

func TestWhatChecksSay(t *testing.T) {
	for _, c := range slices.Concat(versionsSay, listingsSay, runsSay, serversSay, projectsSay, proofsSay, passingSay) {
		t.Run(c.check+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			harness, _, _ := strings.Cut(c.check, ".")
			w := newWorld(t, "", harness)
			w.only = one(c.check)
			c.harm(w)
			examine := w.examine
			if c.live {
				examine = w.examineLive
			}
			got := ""
			for _, f := range examine().All() {
				if f.ID == c.check {
					got = strings.NewReplacer(w.cwd, "PROJECT", w.home, "HOME").Replace(string(f.Status) + ": " + f.Text + " (fix: " + f.Fix.String() + ")")
				}
			}
			if !strings.Contains(c.want, "(fix: ") {
				got, _, _ = strings.Cut(got, " (fix: ")
			}
			begin, end, more := strings.Cut(c.want, "…")
			if !strings.HasPrefix(got, begin) || !strings.HasSuffix(got, end) || !more && got != begin {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if w.trapped() != w.mayTrap {
				t.Errorf("the project's program was run: %t", w.trapped())
			}
		})
	}
}

// ofClaude is a version of Claude Code, of which a live proof gets so many of two calls right. A version that its own binary has just
// proven is measured, be it newer or older than those that wsi knows; a flaw that is known of it stays.
func ofClaude(version string, right int) func(*world) {
	return func(w *world) {
		w.needsShell("claude-code")
		w.versions["/opt/claude"] = version
		w.goLive()
		w.only = append(w.only, "live.delivered")
		w.live = proving(LiveProof{Right: right, Needed: 2, Saw: "wsi's test server saw 3 calls"})
	}
}

func proving(p LiveProof) Live {
	return func(context.Context, LiveCase) (LiveProof, error) { return p, nil }
}

var versionsSay = []saying{
	{"claude-code.harness.version", "newer and proven", false, ofClaude("2.1.400 (Claude Code)", 2), "ok: the live proof with 2.1.400 succeeded"},
	{"claude-code.harness.version", "newer and tried", false, ofClaude("2.1.400 (Claude Code)", 1), "info: not tested with 2.1.400"},
	{"claude-code.harness.version", "measured", false, ofClaude("2.1.329 (Claude Code)", 2), "ok: wsi was tested with 2.1.329"},
	{"claude-code.harness.version", "with a flaw", false, ofClaude("2.1.100 (Claude Code)", 2), "warn: Claude Code 2.1.100 hides…"},
	{"codex.harness.version", "it does not answer", false, silent, "warn: codex did not answer in 10 s"},
	{"codex.live.delivered", "it does not answer", true, silent, "skip: not tried: codex did not answer in 10 s"},
}

// silent has Codex answer nothing.
func silent(w *world) {
	err := fmt.Errorf("codex %w in 10 s", setup.ErrSilent)
	w.unstarted = map[string]error{"/opt/codex": err, w.path("codex"): err}
}

// listing has Codex say which hooks it would run: both, but for the harm.
func listing(harm func(*world, *setup.Listing) error) func(*world) {
	return func(w *world) {
		var l setup.Listing
		for _, h := range []struct{ event, verb string }{{"PostToolUse", harnesses.Capture}, {"PreToolUse", harnesses.Inject}} {
			command := setup.Program{Path: w.bin, Servers: []string{harnesses.DefaultServer}}.Command(runtime.GOOS, h.verb, "codex")
			l.Hooks = append(l.Hooks, setup.Hook{File: w.path(codexHooks), Event: h.event, Command: setup.ForPowerShell(runtime.GOOS, command)})
		}
		err := harm(w, &l)
		w.change("codex", func(h *setup.Harness) {
			h.Proof.QueryHooks = func(_ context.Context, _ setup.Env, binary, dir string) (setup.Listing, error) {
				if left, e := os.ReadDir(dir); e != nil || len(left) > 0 || binary != w.path("codex") {
					w.t.Errorf("asked %s with %v in its folder, %v", binary, left, e)
				}
				return l, err
			}
		})
	}
}

const notAll = "fail: Codex says that it would not run all of wsi's hooks: "

// The harness's own word counts.
var listingsSay = []saying{
	{"codex.hook.listed", "it agrees", true, listing(func(*world, *setup.Listing) error { return nil }), "ok: Codex says that it would run 2 hooks of wsi's"},
	{"codex.hook.listed", "not approved by its own reckoning", true, listing(func(_ *world, l *setup.Listing) error {
		l.Hooks[0].Skip(setup.Reason{Why: "modified"})
		return nil
	}), notAll + "PostToolUse modified"},
	{"codex.hook.listed", "not seen", true, listing(func(_ *world, l *setup.Listing) error {
		l.Hooks, l.Warnings = l.Hooks[:1], []string{"failed to parse"}
		return nil
	}), notAll + "PreToolUse is not listed; it warns: failed to parse"},
	{"codex.hook.listed", "from another file", true, listing(func(_ *world, l *setup.Listing) error {
		l.Hooks[1].File = "/else"
		return nil
	}), notAll + "PreToolUse is not listed"},
	{"codex.hook.listed", "both say no", true, listing(func(w *world, l *setup.Listing) error {
		w.write(codexConfig, servers[codexConfig])
		l.Hooks[0].Skip(setup.Reason{Why: "untrusted"})
		return nil
	}), "skip: Codex itself confirms the fault: PostToolUse untrusted"},
	{"codex.hook.listed", "wsi alone says no", true, listing(func(w *world, _ *setup.Listing) error {
		w.write(codexConfig, servers[codexConfig])
		return nil
	}), "warn: Codex says that it would run all of wsi's hooks, so what wsi found in its files is not a fault in this version"},
	{
		"codex.hook.listed", "it cannot say", true, listing(func(*world, *setup.Listing) error { return errors.New("error -32601: no") }),
		"skip: Codex could not be asked: error -32601: no",
	},
	{"codex.hook.listed", "without a live proof", false, func(w *world) {
		w.change("codex", func(h *setup.Harness) {
			h.Proof.QueryHooks = func(context.Context, setup.Env, string, string) (setup.Listing, error) {
				return setup.Listing{Fix: "approve them"}, nil
			}
		})
	}, notAll + "…(fix: approve them)"},
	{"claude-code.hook.listed", "of another harness", false, func(*world) {}, "skip: Claude Code cannot be asked which hooks it would run"},
}

// ran adds runs of Codex's hook before a call to the journal, which has one of each hook.
func ran(entries ...journal.Entry) func(*world) {
	return func(w *world) {
		for _, e := range entries {
			e.Time, e.Harness, e.Verb = now, "codex", harnesses.Inject
			w.journal(e)
		}
	}
}

func left(why string, n int) []journal.Entry {
	return slices.Repeat([]journal.Entry{{Did: string(carry.Left), Why: why}}, n)
}

// relayed adds calls through the relay of Claude Code: o and n were noted by its hook, an hour ago and now, r was not.
func relayed(calls string) func(*world) {
	return func(w *world) {
		w.rewire("claude-code", setup.ByRelay, harnesses.DefaultServer, w.state())
		for _, call := range calls {
			e := journal.Entry{Time: now, Verb: harnesses.Inject, Harness: "claude-code", Did: string(carry.Noted)}
			if call == 'o' {
				e.Time = now.Add(-time.Hour)
			}
			if call != 'r' {
				w.journal(e)
			}
			e.Who, e.Did = "relay", string(carry.Injected)
			w.journal(e)
		}
	}
}

const (
	none    = "the tool takes no value"
	carried = "warn: the hook ran before %d calls and put no value into any; the most frequent reason (%d times): "
)

// What the journal says of runs that carried nothing, and when that is nothing to look at.
var runsSay = []saying{
	{"codex.hook.fired", "a few", false, ran(left("nothing is stored", 2)...), "ok: wsi's hooks last ran 0 s ago: …"},
	{"codex.hook.fired", "the first call of a session", false, ran(left(none, 1)...), "ok: wsi's hooks last ran 0 s ago: …"},
	{"codex.hook.fired", "calls that take none", false, ran(left(none, 9)...), "ok: wsi's hooks last ran 0 s ago: …"},
	{"codex.hook.fired", "none but those", false, ran(left(none, 10)...), fmt.Sprintf(carried, 11, 10) + none},
	{"codex.hook.fired", "several reasons", false, ran(slices.Concat(left("a", 2), left("b", 3), left(none, 9))...), fmt.Sprintf(carried, 15, 3) + "b"},
	{"codex.hook.fired", "one was carried", false, ran(append(left("a", 20), journal.Entry{Did: "injected"})...), "ok: wsi's hooks last ran 0 s ago: …"},
	{"codex.hook.fired", "one was repaired", false, ran(append(left("a", 20), journal.Entry{Did: "repaired"})...), "ok: wsi's hooks last ran 0 s ago: …"},
	{
		"codex.hook.fired", "the model typed it", false, ran(left("session_token is already there", 20)...),
		fmt.Sprintf(carried, 21, 20) + "session_token is already there",
	},
	{"codex.hook.fired", "what would move a terminal", false, ran(left("\x1b[2J", 3)...), fmt.Sprintf(carried, 4, 3) + "?[2J"},
	{"codex.hook.fired", "what a person sees", false, ran(append(left("a", 3), slices.Repeat([]journal.Entry{{Did: "captured"}}, 3)...)...), fmt.Sprintf(carried, 7, 3) + "a"},
	{"codex.hook.fired", "it only keeps a value for a tool that takes all of them", false, func(w *world) {
		w.forget()
		for range 3 {
			w.journal(journal.Entry{Time: now, Verb: harnesses.Inject, Harness: "codex", Did: string(carry.Gathered)})
			w.journal(journal.Entry{Time: now, Verb: harnesses.Capture, Harness: "codex", Did: string(carry.Kept)})
		}
	}, "ok: wsi's hooks last ran 0 s ago: 3 runs before a call, 3 after one"},
	{"claude-code.hook.fired", "noted as it should be", false, relayed("onn"), "ok: wsi relay last ran 0 s ago"},
	{"claude-code.hook.fired", "noted before and no more", false, relayed("orrr"), "warn: the hook last noted a call 1 h ago; since then 3 calls came through wsi relay"},
	{"claude-code.hook.fired", "calls at once", false, relayed("nrrr"), "ok: wsi relay last ran 0 s ago"},
	{"claude-code.hook.fired", "noted again", false, relayed("orrrn"), "ok: wsi relay last ran 0 s ago"},
}

// registers adds a server to the settings of Claude Code.
func registers(entry string) func(*world) {
	return func(w *world) {
		if runtime.GOOS == "windows" {
			w.t.Skip("other paths there")
		}
		w.write(".claude.json", `{"mcpServers":{"workflow-server":{`+entry+`}}}`)
	}
}

// meta has a server with these tools, and rules.
func meta(tools, rules string) func(*world) {
	return func(w *world) {
		w.serveAll(speaking(tools))
		if rules != "" {
			w.write(".config/wsi/rules.toml", rules)
		}
	}
}

const (
	variables = "the registration in HOME/.claude.json has variables that only Claude Code resolves"
	kept      = "ok: 2 of 2 tools take a session_index; get_trace gets the trace_tokens that wsi kept; the model reads validation and batch of _meta"
	lost      = " do not see _meta: get_trace does not get the trace_tokens, the model does not read validation and batch (fix: wsi setup --harness "
)

var serversSay = []saying{
	// Without --live nothing of the user's runs, but whether there is anything to run is said.
	{"claude-code.server.command", "on the PATH", false, registers(`"command":"node"`), "ok: /usr/bin/node"},
	{"claude-code.server.command", "an address", false, registers(`"url":"http://127.0.0.1:1/mcp"`), "skip: workflow-server is an HTTP server"},
	{"claude-code.server.command", "nothing", false, registers(`"type":"stdio"`), "fail: HOME/.claude.json registers workflow-server with neither a command nor an address"},
	{"claude-code.server.command", "not on the PATH", false, registers(`"command":"nod"`), "warn: the server's program is missing or not executable: nod"},
	{"claude-code.server.command", "not there", false, registers(`"command":"/no/such/server"`), "fail: the server's program is missing or not executable: /no/such/server"},
	{"claude-code.server.command", "another PATH", false, registers(`"command":"node","env":{"PATH":"/nowhere"}`), "fail: the server's program is missing or not executable: node"},
	{"claude-code.server.command", "a login", false, registers(`"command":"https://u:hunter2@host/x"`), "fail: the server's program is missing or not executable: https://***@host/x"},
	{
		"claude-code.server.command", "no script with a login", false, registers(`"command":"node","args":["/srv/https://u:hunter2@host/index.js"]`),
		"fail: the server's script does not exist: /srv/https://***@host/index.js",
	},
	{
		"claude-code.server.command", "no script", false, registers(`"command":"node","args":["/no/such/index.js"]`),
		"fail: the server's script does not exist: /no/such/index.js",
	},
	{"claude-code.server.command", "an argument that need not be there", false, registers(`"command":"node","args":["--cache","/no/such/folder"]`), "ok: /usr/bin/node"},
	{"claude-code.server.command", "no folder", false, registers(`"command":"node","cwd":"/no/such/folder"`), "fail: the server's working folder /no/such/folder does not exist"},
	{"claude-code.server.command", "a variable", false, registers(`"command":"${HOME}/server"`), "skip: " + variables},
	{"claude-code.server.command", "a variable of its own", false, registers(`"command":"node","env":{"KEY":"${KEY:-none}"}`), "skip: " + variables},
	{"claude-code.server.command", "switched off", false, registers(`"command":"nod","disabled":true`), "skip: no server named workflow-server is registered and enabled"},
	{"claude-code.server.answers", "not asked", false, registers(`"command":"node"`), "skip: wsi has not started workflow-server; wsi doctor --live starts it and asks for its tools"},
	{"claude-code.server.needs", "not asked", false, registers(`"command":"node"`), "skip: wsi has not started workflow-server; wsi doctor --live starts it and asks for its tools"},
	// With --live a server that cannot be started is broken, whether its program is missing or only not on this PATH.
	{"claude-code.server.answers", "not on the PATH", true, registers(`"command":"nod"`), "fail: workflow-server cannot be started: the server's program is missing or not executable: nod"},
	{
		"claude-code.server.answers", "no script", true, registers(`"command":"/bin/sh","args":["/no/such/index.js"]`),
		"fail: workflow-server cannot be started: the server's script does not exist: /no/such/index.js",
	},
	{"claude-code.server.answers", "a variable", true, registers(`"command":"node","env":{"KEY":"${KEY:-none}"}`), "skip: wsi did not ask workflow-server: " + variables},
	{"codex.server.answers", "never", true, func(w *world) {
		w.answerTime = 3 * time.Second // a busy machine takes its time to start a program
		w.serve(`echo "waiting" >&2; read line; read line`)
	}, "fail: workflow-server does not answer as Codex starts it: it has not answered within 3s; its last words: waiting"},
	// A server that is there may have nothing to do with the rules: the fix does not give it those of another one.
	{"codex.server.registered", "the only one is another one", false, func(w *world) {
		w.forget()
		w.replace(codexConfig, "mcp_servers.workflow-server", "mcp_servers.notes")
	}, "fail: …(fix: register it with Codex)"},
	// Hooks of Cursor and OpenCode 2 do not see what is in _meta; a server can also need nothing but that.
	{"cursor.server.needs", "_meta", true, meta(today, ""), "warn: 2 of 2 tools take a session_index; hooks of Cursor" + lost + "cursor --wiring relay)"},
	{"opencode.server.needs", "_meta", true, func(w *world) {
		w.versions[w.path("opencode")] = "2.0.15"
		meta(today, "")(w)
	}, "warn: 2 of 2 tools take a session_index; hooks of OpenCode 2.0.15" + lost + "opencode --wiring relay)"},
	{"opencode.server.needs", "_meta, in OpenCode 1", true, func(w *world) {
		w.versions[w.path("opencode")] = "1.18.33"
		meta(today, "")(w)
	}, kept},
	{"claude-code.server.needs", "_meta", true, meta(today, ""), kept},
	{"codex.server.needs", "nothing", true, meta(foreign, off("index")+off("trace")), "warn: no tool of workflow-server takes a session_token, so wsi has nothing to carry"},
	{"codex.server.needs", "only _meta", true, meta(foreign, showsOnly), "ok: the model reads quota of _meta"},
}

// tickets is a server with rules of the user's own. Its calls are not made, and its tools are examined by them.
func tickets(way setup.Mode) func(*world) {
	return func(w *world) {
		w.write(codexConfig, "[mcp_servers.tickets]\ncommand = \"node\"\n")
		w.write(codexHooks, "{}")
		w.harnessList = []setup.Harness{w.rewire("codex", way, "tickets", w.state())}
		w.goLive()
		w.write(".config/wsi/rules.toml", "[[carry]]\nname = 'tickets'\nservers = ['tickets']\n[carry.capture]\nfrom = ['meta:handle']\n[[carry.inject]]\ntools = ['comment']\nargument = 'handle'\n")
		w.serveAll(speaking(`{"name":"comment","inputSchema":{"type":"object","properties":{"handle":{"type":"string"}}}}`))
		w.live = func(context.Context, LiveCase) (LiveProof, error) {
			w.t.Error("the harness was run with a workflow-server")
			return LiveProof{}, nil
		}
	}
}

// slow is a harness that did not end in time. It is not broken if all calls that came were right.
func slow(p LiveProof) func(*world) {
	return func(w *world) {
		w.goLive()
		p.Late = "it did not end within 2m30s"
		w.live = proving(p)
	}
}

const saw = "wsi's test server saw 4 calls of 1 session"

// anotherName puts a relay in front of a workflow-server of another name. Without --server that one is examined.
func anotherName(w *world) {
	w.write(codexConfig, "[mcp_servers.wf]\ncommand = \"node\"\n")
	w.write(codexHooks, "{}")
	program := setup.Program{Servers: []string{"wf"}, As: map[string]string{"wf": "workflow-server"}}
	w.harnessList = []setup.Harness{w.rewireAs("codex", setup.ByRelay, program, w.state())}
}

// second puts wsi relay in front of a server without rules, next to one with hooks.
func second(dir, harness, server string) func(*world) {
	return func(w *world) {
		w.write(codexConfig, w.read(codexConfig)+fmt.Sprintf("[mcp_servers.memory]\ncommand = %q\nargs = ['relay', '--server', 'memory', '--harness', %q, '--state', %q, '--', %q]\n",
			filepath.Join(w.home, dir, filepath.Base(w.bin)), harness, w.state(), server))
	}
}

var proofsSay = []saying{
	// Every server for which wsi is registered is examined.
	{"codex.server.command", "of a second server", false, second("bin", "codex", "/no/such"), "fail: memory: the server's program is missing or not executable: /no/such"},
	{"codex.server.fronted", "of a second server", false, second("bin", "cursor", "node"), "fail: memory: wsi relay in HOME/.codex/config.toml has --harness …"},
	{"codex.server.fronted", "a second server is well", false, second("bin", "codex", "node"), "ok: memory: wsi relay is in front of memory everywhere…"},
	{"codex.relay.runnable", "of a second server", false, second("gone", "codex", "node"), "fail: memory: HOME/.codex/config.toml starts … in front of memory, but there is no such program"},
	{"codex.hook.registered", "a second server is well", false, second("bin", "codex", "node"), "ok: HOME/.codex/hooks.json"},
	// Two checks that are not made for one reason say it in the same words, so that a screen shows it once.
	{"codex.server.fronted", "no relay", false, func(*world) {}, "skip: no wsi relay is in front of the server workflow-server"},
	{"codex.relay.runnable", "no relay", false, func(*world) {}, "skip: no wsi relay is in front of the server workflow-server"},
	{"codex.token.delivered", "another name", false, anotherName, "ok: wsi made 20 test calls, 20 with the registered commands: each got the right value"},
	{"codex.server.fronted", "another name", false, anotherName, "ok: wsi relay is in front of wf everywhere…"},
	{"codex.token.delivered", "another server, by hooks", false, tickets(setup.ByHooks), "skip: " + onlyWorkflow},
	{"codex.live.delivered", "another server, by hooks", false, tickets(setup.ByHooks), "skip: " + onlyWorkflow},
	{"codex.server.needs", "another server, by hooks", false, tickets(setup.ByHooks), "ok: 1 of 1 tool take a handle"},
	{"codex.token.delivered", "another server, by a relay", false, tickets(setup.ByRelay), "skip: " + onlyWorkflow},
	{"codex.live.delivered", "another server, by a relay", false, tickets(setup.ByRelay), "skip: " + onlyWorkflow},
	{"codex.server.needs", "another server, by a relay", false, tickets(setup.ByRelay), "ok: 1 of 1 tool take a handle"},
	{
		"opencode.live.delivered", "late, and right until then", false, slow(LiveProof{Right: 3, Needed: 3, Saw: saw}),
		"warn: " + saw + ": 3 of the 3 calls that need a value had the right one, and then it did not end within 2m30s; OpenCode is slow here",
	},
	{
		"opencode.live.delivered", "late, and nothing came", false, slow(LiveProof{Saw: "wsi's test server saw no call"}),
		"fail: OpenCode could not be run: it did not end within 2m30s, and wsi's test server saw no call",
	},
	{
		"opencode.live.delivered", "late, and one was wrong", false, slow(LiveProof{Right: 2, Needed: 3, Wrong: "get_workflow: stale", Saw: saw}),
		"fail: " + saw + ": 2 of the 3 calls that need a value had the right one; get_workflow: stale",
	},
	// A rehearsal runs the commands in a plugin. After the file was edited, it cannot know whether the plugin still runs them.
	{"opencode.token.delivered", "an edited plugin", false, func(w *world) { w.write(plugin, w.read(plugin)+"\n// mine\n") }, "skip: wsi made no test calls: …"},
	// The check of the right value also says what was observed.
	{"codex.token.delivered", "seen in calls", false, func(w *world) {
		w.sends("codex", journal.With, journal.With, journal.Without)
		w.sends("codex", slices.Repeat([]string{journal.With}, window)...)
	}, "ok: …; Codex sent the value in 12 real calls"},
	{"cursor.token.delivered", "seen in calls", false, func(w *world) {
		w.sends("cursor", journal.With)
		w.journal(journal.Entry{Time: now, Verb: harnesses.Capture, Harness: "cursor", Did: "captured", Call: "typed by the model", Sent: journal.Without})
	}, "info: …; Cursor sent the value in 1 real call"},
	// A copy of this program that a project's file names is rehearsed with all that is registered there, the rules of a server of
	// another name too.
	{"claude-code.token.delivered", "a project's copy", false, func(w *world) {
		w.replace(".claude.json", "workflow-server", "mine")
		w.write(claudeHooks, "{}")
		program := setup.Program{Servers: []string{"mine"}, As: map[string]string{"mine": "workflow-server"}}
		w.harnessList = []setup.Harness{w.rewireAs("claude-code", setup.ByHooks, program, w.state())}
		link := w.path("project/tools/wsi")
		w.must(os.MkdirAll(filepath.Dir(link), 0o700))
		linktest.Make(w.t, wsi, link)
		w.write("project/"+claudeHooks, strings.ReplaceAll(w.read(claudeHooks), w.bin, link))
		w.write(claudeHooks, `{"hooks":{}}`)
	}, "ok: …"},
}
