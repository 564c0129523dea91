package hook

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"wsi/harnesses"
	"wsi/hook/callers"
	"wsi/hook/journal"
)

// world is a home of its own in which hooks run.
type world struct {
	t    *testing.T
	home string
	env  map[string]string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	home := t.TempDir()
	return &world{t, home, map[string]string{"WSI_STATE_DIR": filepath.Join(home, "state")}}
}

// run runs one hook and returns its answer.
func (w *world) run(verb, harness, event string) string {
	return w.with(Options{Verb: verb, Harness: harness}, event)
}

func (w *world) with(opt Options, event string) string {
	return w.read(opt, strings.NewReader(event))
}

func (w *world) read(opt Options, event io.Reader) string {
	w.t.Helper()
	var out bytes.Buffer
	Run(Env{Stdin: event, Stdout: &out, Getenv: func(k string) string { return w.env[k] }, Home: w.home, GOOS: "linux"}, opt)
	return out.String()
}

func TestCurrentTokenIsOneServers(t *testing.T) {
	w := newWorld(t)
	run := func(verb, event string) string {
		as := map[string]string{"one": "workflow-server", "two": "workflow-server"}
		return w.with(Options{Verb: verb, Servers: []string{"one", "two"}, As: as}, event)
	}
	run("capture", `{"tool_name":"mcp__one__start_session","tool_input":{},"tool_response":{"_meta":{"session_token":"`+token(1)+`"}}}`)
	run("capture", `{"tool_name":"mcp__two__start_session","tool_input":{},"tool_response":{"_meta":{"session_token":"`+token(2)+`"}}}`)
	if got := run("inject", `{"tool_name":"mcp__two__next_activity","tool_input":{}}`); got != "" {
		t.Errorf("a value of server one was given to two: %s", got)
	}
	if got := run("inject", `{"tool_name":"mcp__one__next_activity","tool_input":{}}`); !strings.Contains(got, token(1)) {
		t.Errorf("server one got %q", got)
	}
}

func (w *world) journal() []journal.Entry {
	w.t.Helper()
	entries, err := journal.In(filepath.Join(w.home, "state")).Entries()
	if err != nil {
		w.t.Fatal(err)
	}
	return entries
}

func (w *world) last() journal.Entry {
	w.t.Helper()
	all := w.journal()
	if len(all) == 0 {
		w.t.Fatal("the journal is empty")
	}
	return all[len(all)-1]
}

// token makes a value that could be a real one and can be found again.
func token(n int) string {
	says := fmt.Sprintf(`{"tOkEn":%q,"n":%d}`, strings.Repeat("long-", 30), n)
	return base64.RawURLEncoding.EncodeToString([]byte(says)) + "." + strings.Repeat("0f", 32)
}

func claudePre(session, agent, id, tool, transcript string) string {
	return fmt.Sprintf(`{"session_id":%q,"transcript_path":%q,"agent_id":%q,"hook_event_name":"PreToolUse","tool_name":"mcp__workflow-server__%s","tool_input":{"n":12345678901234567890},"tool_use_id":%q}`,
		session, transcript, agent, tool, id)
}

func claudePost(session, agent, id, tool, transcript, args, response string) string {
	return fmt.Sprintf(`{"session_id":%q,"transcript_path":%q,"agent_id":%q,"hook_event_name":"PostToolUse","tool_name":"mcp__workflow-server__%s","tool_input":%s,"tool_response":%s,"tool_use_id":%q}`,
		session, transcript, agent, tool, args, response, id)
}

func claudeLine(id, tok string) string {
	return fmt.Sprintf(`{"type":"user","message":{"role":"user","content":[{"tool_use_id":%q,"type":"tool_result","content":"x"}]},"mcpMeta":{"_meta":{"session_token":%q}}}`+"\n", id, tok)
}

// An event without a session is given what current.token holds, but not in each call. One with a session has its own value or none.
func TestSpecification(t *testing.T) {
	w := newWorld(t)
	w.run("capture", "", `{"tool_name":"mcp__workflow-server__start_session","tool_input":{},"tool_response":{"content":[],"_meta":{"session_token":"`+token(1)+`"}}}`)
	raw, err := os.ReadFile(filepath.Join(w.home, ".claude", "workflow-server-tokens", "current.token"))
	if err != nil || string(raw) != token(1) {
		t.Errorf("current.token holds %q, %v", raw, err)
	}
	for _, silent := range []string{
		`{"tool_name":"mcp__workflow-server__start_session","tool_input":{}}`,
		`{"tool_name":"mcp__workflow-server__get_workflow","tool_input":{"session_token":"mine"}}`,
		`{"tool_name":"mcp__workflow-server__respond_checkpoint","tool_input":{"checkpoint_handle":"mine"}}`,
		`{"tool_name":"mcp__other-server__get_workflow","tool_input":{}}`,
		`{"tool_name":"Bash","tool_input":{}}`,
		`{"session_id":"s","tool_name":"mcp__workflow-server__get_workflow","tool_input":{}}`,
	} {
		if got := w.run("inject", "", silent); got != "" {
			t.Errorf("%s\nanswered with %s", silent, got)
		}
	}
}

func TestClaudeCodeTakesTheValueFromTheTranscript(t *testing.T) {
	w := newWorld(t)
	transcript := filepath.Join(w.home, "s1.jsonl")
	appendTo(t, transcript, `{"type":"user"}`+"\n")
	if got := w.run("capture", "claude-code", claudePost("s1", "", "toolu_1", "start_session", transcript, `{}`, `[{"type":"text","text":"ok"}]`)); got != "" {
		t.Errorf("capture answered %q", got)
	}
	if did := w.last().Did; did != "noted" {
		t.Fatalf("capture %s", did)
	}
	// The harness writes the line while the next hook already runs, in two pieces.
	line := claudeLine("toolu_1", token(1))
	var wait sync.WaitGroup
	wait.Go(func() {
		appendTo(t, transcript, line[:40])
		appendTo(t, transcript, line[40:])
	})
	got := w.run("inject", "claude-code", claudePre("s1", "", "toolu_2", "get_activity", transcript))
	wait.Wait()
	want := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"n":12345678901234567890,"session_token":"` + token(1) + `"}}}` + "\n"
	if got != want {
		t.Errorf("got %s\nwant %s\njournal %+v", got, want, w.last())
	}
}

func TestResultThatDoesNotAppearLeavesTheCallAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		main := filepath.Join(w.home, "s1.jsonl")
		w.run("capture", "claude-code", claudePost("s1", "", "toolu_1", "start_session", main, `{}`, `[{"type":"text","text":"{\"session_token\":\"`+token(1)+`\"}"}]`))
		w.run("capture", "claude-code", claudePost("s1", "", "toolu_2", "get_activity", main, `{"session_token":"`+token(1)+`"}`, `[]`))
		pre := claudePre("s1", "", "toolu_3", "get_activity", main)

		appendTo(t, main, "{}\n")
		if got := w.run("inject", "claude-code", pre); got != "" {
			t.Errorf("an older value was injected: %s", got)
		}
		if e := w.last(); e.Did != "left" || e.Waited < 1_000_000 {
			t.Errorf("journal %+v", e)
		}
		if err := os.Remove(main); err != nil {
			t.Fatal(err)
		}
		got := w.run("inject", "claude-code", pre) // without a transcript the value is lost
		if strings.Contains(got, "updatedInput") || strings.Contains(got, token(1)) {
			t.Errorf("an older value was injected: %s", got)
		}
		if !strings.Contains(got, "no session_token was put into this call, because wsi could not see the newest value; pass the session_token of the last answer, if it shows one.") {
			t.Errorf("the model was not told: %q", got)
		}
	})
}

func TestCodexFindsTheValueOfAFailedCall(t *testing.T) {
	w := newWorld(t)
	rollout := filepath.Join(w.home, "rollout.jsonl")
	pre := func(id string) string {
		return fmt.Sprintf(`{"session_id":"s","transcript_path":%q,"hook_event_name":"PreToolUse","tool_name":"mcp__workflow_server__next_activity","tool_input":{},"tool_use_id":%q}`, rollout, id)
	}
	w.run("capture", "codex", fmt.Sprintf(`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"mcp__workflow_server__start_session","tool_input":{},"tool_response":{"content":[],"_meta":{"session_token":%q}},"tool_use_id":"c0"}`, token(1)))
	want := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"session_token":"` + token(1) + `"}}}` + "\n"
	if got := w.run("inject", "codex", pre("c1")); got != want {
		t.Fatalf("got %s\nwant %s", got, want)
	}
	// c1 fails: no hook runs, the rollout has it.
	appendTo(t, rollout, fmt.Sprintf(`{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"McpToolCall","id":"c1","server":"workflow-server","result":{"content":[],"isError":true,"_meta":{"session_token":%q}}}}}`+"\n", token(2)))
	if got := w.run("inject", "codex", pre("c2")); !strings.Contains(got, token(2)) {
		t.Errorf("after the failed call got %s", got)
	}
	// c2 is refused by the user: nothing is written, and nothing is waited for.
	if got := w.run("inject", "codex", pre("c3")); !strings.Contains(got, token(2)) {
		t.Errorf("after the refused call got %s", got)
	}
	if e := w.last(); e.Waited > 500_000 {
		t.Errorf("waited %d us for a call that was never made", e.Waited)
	}
}

func TestHooksOfAnotherHarnessDoNothing(t *testing.T) {
	w := newWorld(t)
	w.run("capture", "claude-code", claudePost("s", "", "t1", "start_session", "", `{}`, `[{"type":"text","text":"x","_meta":{"session_token":"`+token(1)+`"}}]`))
	pre := claudePre("s", "", "t2", "get_activity", "")
	if got := w.run("inject", "claude-code", pre); got == "" {
		t.Fatal("no injection to begin with")
	}
	if got := w.run("inject", "claude-code", strings.Replace(pre, "{", `{"cursor_version":"3.14.7",`, 1)); got != "" {
		t.Errorf("Cursor's payload is answered: %s", got)
	}
	w.env["CURSOR_VERSION"] = "3.14.7"
	if got := w.run("inject", "claude-code", pre); got != "" {
		t.Errorf("Cursor's environment is answered: %s", got)
	}
	w.env["CLAUDECODE"] = "1" // Claude Code in a terminal of Cursor's
	if got := w.run("inject", "claude-code", pre); got == "" {
		t.Error("Claude Code in Cursor's terminal is not answered")
	}
}

func TestCursorKnowsItsServerByTheTool(t *testing.T) {
	w := newWorld(t)
	w.run("capture", "cursor", `{"conversation_id":"c","hook_event_name":"afterMCPExecution","tool_name":"start_session","mcp_server_name":"workflow-server","tool_input":"{}","result_json":"{\"structuredContent\":{\"session_token\":\"`+token(1)+`\"}}"}`)
	pre := func(tool, session string) string {
		return `{"conversation_id":"` + session + `","hook_event_name":"preToolUse","tool_name":"MCP:` + tool + `","tool_input":"{\"a\":1}"}`
	}
	if got, want := w.run("inject", "cursor", pre("next_activity", "c")), `{"updated_input":{"a":1,"session_token":"`+token(1)+`"}}`+"\n"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	for _, other := range []string{pre("search_issues", "c"), pre("next_activity", ""), pre("next_activity", "d")} {
		if got := w.run("inject", "cursor", other); got != "{}\n" {
			t.Errorf("%s\nis answered with %s", other, got)
		}
	}
}

func TestServersWhoseNamesLookAlike(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ harness, one, other string }{
		{"claude-code", "mcp__workflow-server__", "mcp__plugin_p_workflow-server__"},
		{"codex", "mcp__workflow_server_1c2b348fa260__", "mcp__workflow_server_aaaaaaaaaaaa__"},
	} {
		event := func(kind, name, response string) string {
			return `{"session_id":"s","hook_event_name":"` + kind + `","tool_name":"` + name + `","tool_input":{},"tool_use_id":"t","tool_response":` + response + `}`
		}
		w.run("capture", c.harness, event("PostToolUse", c.one+"start_session", `[{"type":"text","text":"x","_meta":{"session_token":"`+token(1)+`"}}]`))
		if got := w.run("inject", c.harness, event("PreToolUse", c.other+"get_activity", "null")); got != "" {
			t.Errorf("%s: a value of %s was given to %s", c.harness, c.one, c.other)
		}
		if got := w.run("inject", c.harness, event("PreToolUse", c.one+"get_activity", "null")); !strings.Contains(got, token(1)) {
			t.Errorf("%s: its own server got %q", c.harness, got)
		}
	}
}

// The tools of my.server and my_server have the same names; other members of the event tell them
// apart.
func TestServersWithToolsOfOneName(t *testing.T) {
	for harness, event := range map[string]func(when, server, tool, block string) string{
		"claude-code": func(when, server, tool, block string) string {
			name := map[string]string{"before": "PreToolUse", "after": "PostToolUse"}[when]
			return `{"session_id":"s","hook_event_name":"` + name + `","tool_name":"mcp__my_server__` + tool + `","mcp_server":{"name":"` + server +
				`"},"tool_input":{},"tool_use_id":"t","tool_response":[` + block + `]}`
		},
		"opencode": func(when, server, tool, block string) string {
			return `{"event":"` + when + `","sessionID":"s","rootID":"s","callID":"t","server":"` + server + `","tool":"my_server_` + tool +
				`","args":{},"result":{"content":[` + block + `]}}`
		},
	} {
		w := newWorld(t)
		run := func(verb, event string) string {
			as := map[string]string{"my.server": "workflow-server", "my_server": "workflow-server"}
			return w.with(Options{Verb: verb, Harness: harness, Servers: []string{"my.server", "my_server"}, As: as}, event)
		}
		tokens := map[string]string{"my.server": token(1), "my_server": token(2)}
		for server, value := range tokens {
			run("capture", event("after", server, "start_session", `{"type":"text","text":"x","_meta":{"session_token":"`+value+`"}}`))
		}
		for server, value := range tokens {
			if got := run("inject", event("before", server, "get_activity", "")); !strings.Contains(got, value) {
				t.Errorf("%s: %s got %q", harness, server, got)
			}
		}
	}
}

// With --relay the hook only tells the relay who makes a call: it prints nothing, whatever is stored. OpenCode sends servers no id of
// a call: there the plugin puts the note's into the arguments.
func TestOnlyNotes(t *testing.T) {
	const (
		claude   = `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"mcp__workflow-server__get_activity","tool_input":{}`
		opencode = `{"event":"before","sessionID":"ses_1","callID":"call_1","server":"workflow-server",` +
			`"tool":"workflow-server_get_activity","args":{}`
	)
	w := newWorld(t)
	text := `[{"type":"text","text":"session_token: ` + token(1) + `"}]`
	w.run("capture", "claude-code", claudePost("s", "", "t0", "start_session", "", `{}`, text))
	if got := w.run("inject", "claude-code", claude+`,"tool_use_id":"t1"}`); !strings.Contains(got, token(1)) {
		t.Fatalf("nothing is stored: %q", got)
	}
	for _, c := range []struct {
		harness, event, id, answer string
		owner                      harnesses.Caller
	}{
		{"claude-code", claude + `,"tool_use_id":"t1"}`, "t1", "", harnesses.Caller{Session: "s"}},
		{"claude-code", claude + `,"tool_use_id":"t2","agent_id":"a"}`, "t2", "", harnesses.Caller{Session: "s", Agent: "a"}},
		{"opencode", opencode + `}`, "ses_1:call_1", `{"set":{"_wsi":"ses_1:call_1"}}` + "\n", harnesses.Caller{Session: "ses_1"}},
		{
			"opencode", opencode + `,"rootID":"ses_root"}`, "ses_root/ses_1:call_1", `{"set":{"_wsi":"ses_root/ses_1:call_1"}}` + "\n",
			harnesses.Caller{Session: "ses_root", Agent: "ses_1"},
		},
	} {
		if got := w.with(Options{Verb: "inject", Harness: c.harness, Relay: true}, c.event); got != c.answer {
			t.Errorf("%s: it said %q", c.id, got)
		}
		if last := w.last(); last.Did != "noted" || last.Verb != "inject" {
			t.Errorf("%s: journal: %+v", c.id, last)
		}
		if got, err := callers.In(filepath.Join(w.home, "state")).Read(c.harness, c.id); err != nil || got != c.owner {
			t.Errorf("%s: got %+v, %v", c.id, got, err)
		}
	}
	w.with(Options{Verb: "inject", Harness: "claude-code", Relay: true}, claude+`}`) // no id
	if last := w.last(); last.Did != "left" {
		t.Errorf("journal: %+v", last)
	}
}

// inTime runs a test with a clock of its own, in a new home with a transcript.
func inTime(t *testing.T, test func(w *world, transcript string)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		transcript := filepath.Join(w.home, "s.jsonl")
		appendTo(t, transcript, "{}\n")
		test(w, transcript)
	})
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Error(err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Error(err)
		return
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Error(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
