package hook

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"wsi/harnesses"
	"wsi/hook/journal"
	"wsi/hook/vault"
	"wsi/internal/testkit/wine"
)

func TestWhateverHappensTheAnswerIsNothing(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000)
	valid := claudePre("s", "", "t", "get_activity", "")
	events := map[string]string{
		"empty": "", "blank": " \n", "text": "hello", "array": "[]", "null": "null", "truncated": valid[:len(valid)-9],
		"two documents": valid + valid, "NUL": "\x00" + valid, "deep": `{"tool_name":"mcp__workflow-server__x","tool_input":` + deep + "}",
		"no tool": `{"session_id":"s"}`, "arguments as text": strings.Replace(valid, `{"n":12345678901234567890}`, `"{"`, 1),
		"numbers for names": `{"session_id":1,"tool_name":2,"hook_event_name":3}`,
	}
	for _, h := range []struct{ id, nothing string }{{"", ""}, {"claude-code", ""}, {"codex", ""}, {"cursor", "{}\n"}, {"unknown", ""}} {
		for name, event := range events {
			for _, verb := range []string{"inject", "capture"} {
				if got := newWorld(t).run(verb, h.id, event); got != h.nothing {
					t.Errorf("%s %s on %s: %q", h.id, verb, name, got)
				}
			}
		}
	}
}

// session is the path of Claude Code's session s.
func (w *world) session() string {
	key := vault.SessionKey("claude-code", "s")
	return filepath.Join(w.home, "state", "vault", key[:2], key[2:]+".json")
}

func TestBrokenWorlds(t *testing.T) {
	pre := claudePre("s", "", "t2", "get_activity", "")
	post := claudePost("s", "", "t1", "start_session", "", `{}`, `[{"type":"text","text":"x","_meta":{"session_token":"`+token(1)+`"}}]`)
	for name, breakIt := range map[string]func(w *world){
		"state is a file": func(w *world) { write(t, filepath.Join(w.home, "state"), "x") },
		"no home":         func(w *world) { w.home, w.env = "", nil },
		"session is corrupt": func(w *world) {
			write(t, w.session(), `{"version":1,"chains":[{"value":"`+token(9)+`"`)
		},
		"session is newer":    func(w *world) { write(t, w.session(), `{"version":99}`) },
		"session is a folder": func(w *world) { write(t, filepath.Join(w.session(), "x"), "") },
	} {
		w := newWorld(t)
		t.Chdir(t.TempDir())
		breakIt(w)
		if got := w.run("inject", "claude-code", pre); got != "" {
			t.Errorf("%s: inject answered %q", name, got)
		}
		if got := w.run("capture", "claude-code", post); got != "" {
			t.Errorf("%s: capture answered %q", name, got)
		}
		if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v in the current folder (%v)", name, left, err)
		}
	}
	t.Run("a corrupt session is set aside and not lost", func(t *testing.T) {
		w := newWorld(t)
		path := w.session()
		write(t, path, "broken")
		w.run("capture", "claude-code", post)
		if raw, err := os.ReadFile(path + ".corrupt"); err != nil || string(raw) != "broken" {
			t.Errorf("set aside: %q %v", raw, err)
		}
		if got := w.run("inject", "claude-code", pre); !strings.Contains(got, token(1)) {
			t.Errorf("after that: %q", got)
		}
	})
	t.Run("a newer session is not touched", func(t *testing.T) {
		w := newWorld(t)
		path := w.session()
		write(t, path, `{"version":99}`)
		w.run("capture", "claude-code", post)
		if raw, err := os.ReadFile(path); err != nil || string(raw) != `{"version":99}` {
			t.Errorf("%q %v", raw, err)
		}
		if e := w.last(); e.Did != "error" || !strings.Contains(e.Why, "newer") {
			t.Errorf("journal %+v", e)
		}
	})
}

// stream is a standard input or output of which each use is this function.
type stream func([]byte) (int, error)

func (s stream) Read(b []byte) (int, error)  { return s(b) }
func (s stream) Write(b []byte) (int, error) { return s(b) }

var panics stream = func([]byte) (int, error) { panic("secret") }

// Go ends a program that panics with status 2, with which Claude Code blocks the call. So nothing may panic, wherever it is.
func TestBrokenStreams(t *testing.T) {
	for _, in := range []io.Reader{iotest.ErrReader(errors.New("no standard input")), panics} {
		w := newWorld(t)
		if got := w.read(Options{Verb: "inject", Harness: "cursor"}, in); got != "{}\n" {
			t.Errorf("answered %q", got)
		}
		if e := w.last(); e.Did != "error" || strings.Contains(e.Why, "secret") {
			t.Errorf("journal %+v", e)
		}
	}
	none := func(string) string { return "" }
	env := Env{Stdin: strings.NewReader("{"), Stdout: panics, Home: t.TempDir(), GOOS: "linux", Getenv: none}
	Run(env, Options{Verb: harnesses.Inject, Harness: "cursor"})
}

func TestLargeEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := strings.Repeat("a long \"line\" of text\n", 1<<20)
	response, _ := json.Marshal([]map[string]any{{"type": "text", "text": text, "_meta": map[string]string{"session_token": token(1)}}})
	w.run("capture", "claude-code", claudePost("s", "", "t", "start_session", "", `{}`, string(response)))
	if e := w.last(); e.Did != "captured" {
		t.Errorf("20 MB result: %+v", e)
	}
	endless := stream(func(b []byte) (int, error) { return copy(b, bytes.Repeat([]byte("x"), len(b))), nil })
	w.read(Options{Verb: "inject", Harness: "codex"}, io.MultiReader(strings.NewReader(`{"a":"`), endless))
	if e := w.last(); e.Did != "error" || !strings.Contains(e.Why, "larger") {
		t.Errorf("endless event: %+v", e)
	}
}

func TestManyAtOnce(t *testing.T) {
	w := newWorld(t)
	post := func(agent string, n int, args string) string {
		return claudePost("s", agent, fmt.Sprint("t", agent, n), "start_session", "", args, `[{"type":"text","text":"x","_meta":{"session_token":"`+token(n)+`"}}]`)
	}
	agents := 40
	if wine.Version() != "" {
		agents = 8 // there a file is not replaced while another agent reads it, so each waits for all others
	}
	var all sync.WaitGroup
	for n := range agents {
		all.Go(func() { w.run("capture", "claude-code", post(fmt.Sprint("agent", n), n, `{}`)) })
		all.Go(func() {
			w.run("inject", "claude-code", claudePre("s", fmt.Sprint("agent", n), "x", "get_activity", ""))
		})
	}
	all.Wait()
	for n := range agents {
		if got := w.run("inject", "claude-code", claudePre("s", fmt.Sprint("agent", n), "x", "get_activity", "")); !strings.Contains(got, token(n)) {
			t.Errorf("agent %d lost its newest value: %q", n, got)
		}
	}
}

// TestNoValueLeavesItsPlace checks that a value is in the vault, in current.token and
// in answers, and nowhere else.
func TestNoValueLeavesItsPlace(t *testing.T) {
	w := newWorld(t)
	post := claudePost("../../"+token(7), "", "t1", "start_session", "", `{}`, `[{"type":"text","text":"x","_meta":{"session_token":"`+token(1)+`"}}]`)
	w.run("capture", "claude-code", post)
	w.run("capture", "claude-code", post[:len(post)-20])
	w.run("inject", "claude-code", claudePre("../../"+token(7), "", "t2", "get_activity\\n"+token(1)+"\\u0000", ""))
	w.run("inject", "claude-code", strings.Replace(post, "PostToolUse", "PreToolUse", 1))
	err := filepath.WalkDir(w.home, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		vaulted := strings.HasPrefix(path, filepath.Join(w.home, "state", "vault")) || strings.HasSuffix(path, "current.token")
		if !vaulted && bytes.Contains(raw, []byte(token(1)[:60])) {
			t.Errorf("%s holds a value: %s", path, raw)
		}
		if info, err := d.Info(); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v %v", path, info.Mode(), err)
		}
		if strings.Contains(path, token(0)[:16]) {
			t.Errorf("a session id became a path: %s", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOldJournalsArePruned(t *testing.T) {
	w := newWorld(t)
	j := journal.In(filepath.Join(w.home, "state"))
	begin := func(session string) {
		w.run("capture", "claude-code", claudePost(session, "", "t", "start_session", "", `{}`, `[{"type":"text","text":"x","_meta":{"session_token":"`+token(1)+`"}}]`))
	}
	write(t, j.Older(), "x\n")
	if begin("young"); !there(j.Older()) {
		t.Error("a journal of today was deleted")
	}
	old := time.Now().Add(-31 * 24 * time.Hour)
	if err := os.Chtimes(j.Older(), old, old); err != nil {
		t.Fatal(err)
	}
	if begin("young"); !there(j.Older()) {
		t.Error("it was looked at though no session began")
	}
	// Without a folder of wsi's, what is in the current one is not wsi's.
	t.Chdir(filepath.Join(w.home, "state"))
	of := *w
	of.home, of.env = "", nil
	of.run("capture", "", `{"tool_name":"mcp__workflow-server__start_session","tool_input":{},"tool_response":{"content":[],"_meta":{"session_token":"`+token(1)+`"}}}`)
	if !there(j.Older()) {
		t.Error("a file of the project was deleted")
	}
	if begin("new"); there(j.Older()) {
		t.Error("a journal of last month is still there")
	}
}

func there(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// signed makes a value of one session that is as unlike its like as real ones are.
func signed(n int) string {
	s := fmt.Sprint(n)
	says := fmt.Sprintf(`{"sid":"11111111-2222-3333-4444-555555555555","aid":"a","seq":%d,"pad":"%x"}`, n, sha512.Sum512([]byte(s)))
	return base64.RawURLEncoding.EncodeToString([]byte(says)) + fmt.Sprintf(".%x", sha256.Sum256([]byte(s)))
}

// A harness may show after a call what the model wrote, not what was sent: a repaired token's answer
// continues the chain all the same, for everybody who works with it.
func TestAfterShowsWhatWasTyped(t *testing.T) {
	w := newWorld(t)
	n := 0
	call := func(agent, typed string, newest int) {
		n++
		w.run("capture", "claude-code", claudePost("s", agent, fmt.Sprint("t", n), "next_activity", "", `{"session_token":"`+typed+`"}`, `[{"type":"text","text":"session_token: `+signed(newest)+`"}]`))
	}
	w.run("capture", "claude-code", claudePost("s", "", "t0", "start_session", "", `{}`, `[{"type":"text","text":"session_token: `+signed(1)+`"}]`))
	for i, typed := range []string{"'" + signed(1) + "' ", signed(2)[:50] + signed(2)[51:]} {
		call("worker", typed, i+2)
		if got := w.run("inject", "claude-code", claudePre("s", "", "p", "get_activity", "")); !strings.Contains(got, signed(i+2)) {
			t.Errorf("%.20s: the main agent goes on with %q", typed, got)
		}
	}
}

// sentForms are the events of a call in the form of each harness, in the members that were recorded: kind, id, tool, arguments and
// result. Cursor's are by its documentation.
var sentForms = map[string]struct{ before, after, kinds, result, prefix string }{
	"claude-code": {
		`{"session_id":"s","transcript_path":"","hook_event_name":%q,"tool_use_id":%q,"tool_name":%q,"tool_input":%s}`,
		`{"session_id":"s","transcript_path":"","hook_event_name":%q,"tool_use_id":%q,"tool_name":%q,"tool_input":%s,"tool_response":%s}`,
		"PreToolUse PostToolUse", `[{"type":"text","text":"session_token: %s"}]`, "mcp__workflow-server__",
	},
	"codex": {
		`{"session_id":"s","hook_event_name":%q,"tool_use_id":%q,"tool_name":%q,"tool_input":%s}`,
		`{"session_id":"s","hook_event_name":%q,"tool_use_id":%q,"tool_name":%q,"tool_input":%s,"tool_response":%s}`,
		"PreToolUse PostToolUse", `{"content":[{"type":"text","text":"session_token: %s"}]}`, "mcp__workflow_server__",
	},
	"cursor": {
		`{"conversation_id":"s","hook_event_name":%q,"tool_use_id":%q,"tool_name":%q,"tool_input":%s}`,
		`{"conversation_id":"s","hook_event_name":%q,"tool_use_id":%q,"tool_name":%q,"tool_input":%s,"tool_output":%s}`,
		"preToolUse postToolUse", `"{\"content\":[{\"type\":\"text\",\"text\":\"session_token: %s\"}]}"`, "MCP:",
	},
	"opencode": {
		`{"sessionID":"s","rootID":"s","server":"workflow-server","event":%q,"callID":%q,"tool":%q,"args":%s}`,
		`{"sessionID":"s","rootID":"s","server":"workflow-server","event":%q,"callID":%q,"tool":%q,"args":%s,"result":%s}`,
		"before after", `{"content":[{"type":"text","text":"session_token: %s"}]}`, "workflow-server_",
	},
}

// The event after a call has the arguments that were really sent: the journal says whether a stored value was among them.
func TestWhatWasSent(t *testing.T) {
	for harness, form := range sentForms {
		t.Run(harness, func(t *testing.T) {
			w := newWorld(t)
			var pre, post string
			if _, err := fmt.Sscan(form.kinds, &pre, &post); err != nil {
				t.Fatal(err)
			}
			before := func(id string) journal.Entry {
				w.run("inject", harness, fmt.Sprintf(form.before, pre, id, form.prefix+"get_activity", `{}`))
				return w.last()
			}
			after := func(id, tool, args string, n int) journal.Entry {
				w.run("capture", harness, fmt.Sprintf(form.after, post, id, form.prefix+tool, args, fmt.Sprintf(form.result, token(n))))
				return w.last()
			}
			if e := after("1", "get_activity", `{}`, 1); e.Sent != "" {
				t.Errorf("nothing was stored: %+v", e)
			}
			if e := after("2", "start_session", `{}`, 1); e.Sent != "" || e.Call == "" {
				t.Errorf("the tool takes no value: %+v", e)
			}
			for i, c := range []struct{ args, want string }{
				{`{"session_token":"` + token(1) + `"}`, journal.With},
				{`{}`, journal.Without},
				{`{"session_token":""}`, journal.Without},
				{`{"session_token":"` + token(1) + `x"}`, journal.Without}, // another hook has damaged it
				{`"text"`, ""},
			} {
				id := fmt.Sprint("call", i)
				put, e := before(id), after(id, "get_activity", c.args, i+2)
				if e.Sent != c.want || e.Call == "" || e.Call != put.Call || i == 0 && put.Did != "injected" {
					t.Errorf("sent %s: %+v, and before it %+v", c.args, e, put)
				}
			}
		})
	}
}
