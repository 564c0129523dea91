package hook

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"wsi/hook/carry"
	"wsi/hook/vault"
)

// turnEnd returns an event at the end of a turn. goes says that a hook has already made the agent go on.
func turnEnd(name, transcript string, goes bool) string {
	return fmt.Sprintf(`{"session_id":"S","transcript_path":%q,"hook_event_name":%q,"stop_hook_active":%t,"last_assistant_message":"done"}`, transcript, name, goes)
}

// getTrace returns an event before a call of get_trace in a session of the harness.
func getTrace(session, transcript string) string {
	event := claudePre(session, "", "t", "get_trace", transcript)
	return strings.Replace(event, `"tool_input":{`, `"tool_input":{"session_index":"K7Q2ZD",`, 1)
}

// The end of a turn is the last hook that can show something. It makes the agent go on only for that, and only once.
func TestTheEndOfATurnShowsWhatIsLeft(t *testing.T) {
	inTime(t, func(w *world, transcript string) {
		if got := w.run("capture", "claude-code", turnEnd("Stop", transcript, false)); got != "" || len(w.journal()) > 0 {
			w.t.Errorf("a turn without a call: %q", got)
		}
		w.run("capture", "claude-code", batchOf(transcript, "1"))
		go func() {
			time.Sleep(70 * time.Millisecond)
			appendTo(w.t, transcript, metaLine("1", "K7Q2ZD", "no manifest", ""))
		}()
		got := w.run("capture", "claude-code", turnEnd("Stop", transcript, false))
		if !strings.Contains(texts(w.t, got), "no manifest") || !strings.Contains(got, `"hookEventName":"Stop"`) {
			w.t.Errorf("the model reads %q: %+v", got, w.journal())
		}
		if e := w.last(); e.Waited < 70_000 || e.Waited > 100_000 || e.Micros < e.Waited {
			w.t.Errorf("waited 70 ms, and the journal has %+v", e)
		}
		appendTo(w.t, transcript, metaLine("2", "K7Q2ZD", "another warning", ""))
		w.run("capture", "claude-code", batchOf(transcript, "3"))
		appendTo(w.t, transcript, metaLine("3", "K7Q2ZD", "a third one", ""))
		if got := w.run("capture", "claude-code", turnEnd("Stop", transcript, true)); got != "" {
			w.t.Errorf("the agent has to go on again: %s", got)
		}
		if got := w.run("capture", "claude-code", batchOf(transcript)); !strings.Contains(got, "a third one") || strings.Contains(got, "another") {
			w.t.Errorf("in the next turn the model reads %q", got)
		}
	})
}

// The journal also has how long a run waited for the vault, which another process uses.
func TestTheJournalHasTheWaitForTheVault(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := vault.Vault{Dir: filepath.Join(w.home, "state", "vault")}
	err := v.Update("claude-code", "s", func(*carry.State) bool {
		w.run("capture", "claude-code", claudePost("s", "", "t", "start_session", "", `{}`, `[{"type":"text","text":"session_token: `+token(1)+`"}]`))
		return false
	})
	if e := w.last(); err != nil || e.Did != "error" || e.Waited < 1_000_000 || e.Micros < e.Waited {
		t.Errorf("%v, %+v", err, e)
	}
}

// A result that cannot be kept, as another process holds the vault up, costs no other session its value. Its own session has no older one.
func TestWhatSurvivesTheSessionSurvivesAFailure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ lost, left int }{"another session": {2, 1}, "the same session": {1, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			capture := func(session, token int) {
				text := fmt.Sprintf(`[{"type":"text","text":"{\"sessionId\":\"11111111-2222-4333-8444-%012d\",\"resumeToken\":\"%043d\"}"}]`, session, token)
				w.as("capture", "claude-code", "claude-code", fmt.Sprintf(`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"mcp__claude-code__claude_code","tool_input":{},"tool_use_id":"t%d","tool_response":%s}`, token, text))
			}
			const harness, session = "all", "claude-code-mcp resume token"
			v := vault.Vault{Dir: filepath.Join(w.home, "state", "vault")}
			capture(1, 1)
			held := v.Update(harness, session, func(*carry.State) bool { capture(c.lost, 2); return false })
			state, err := v.Load(harness, session)
			if held != nil || err != nil || len(state.Chains) != c.left || c.left == 1 && state.Chains[0].Value != fmt.Sprintf("%043d", 1) {
				t.Errorf("%+v are kept, %v, %v", state.Chains, err, held)
			}
		})
	}
}

// A result that never comes is waited for once. After that, hooks of the session wait at most 100 ms until results come again.
func TestAResultThatNeverComesIsWaitedForOnce(t *testing.T) {
	for name, c := range map[string]struct {
		comes func(call int) bool
		waits []time.Duration // of the calls
	}{
		"one":      {func(call int) bool { return call != 0 }, []time.Duration{0, patience, impatience, impatience, 0, 0}},
		"none":     {func(int) bool { return false }, []time.Duration{0, patience, impatience, impatience, impatience, impatience}},
		"two ever": {func(call int) bool { return call != 0 && call != 4 }, []time.Duration{0, patience, impatience, impatience, 0, patience, impatience}},
	} {
		t.Run(name, func(t *testing.T) {
			inTime(t, func(w *world, transcript string) {
				capture := func(id, tool string, comes bool) {
					w.run("capture", "claude-code", claudePost("S", "", id, tool, transcript, `{}`, `[{"type":"text","text":"ok"}]`))
					if comes {
						appendTo(w.t, transcript, claudeLine(id, token(1)))
					}
				}
				capture("first", "start_session", true)
				for i, most := range c.waits {
					start, id := time.Now(), fmt.Sprint("call", i)
					w.run("inject", "claude-code", claudePre("S", "", id, "next_activity", transcript))
					waited := time.Since(start)
					if waited < most || waited > most+20*time.Millisecond {
						w.t.Errorf("call %d waited %v, not %v", i, waited, most)
					}
					if e := w.last(); e.Waited != waited.Microseconds() {
						w.t.Errorf("call %d waited %v, and the journal has %+v", i, waited, e)
					}
					capture(id, "next_activity", c.comes(i))
				}
			})
		})
	}
}

// Rules of two scopes have a state each, and miss the same result. The hook waits for it once.
func TestOneHookWaitsForAResultOnce(t *testing.T) {
	inTime(t, func(w *world, transcript string) {
		w.rulesFile("[[carry]]\nname = 'ticket'\nservers = ['workflow-server']\nscope = 'user'\n[carry.capture]\nfrom = ['meta:ticket']\n" +
			"[[carry.inject]]\ntools = ['next_activity']\nargument = 'ticket'\n")
		w.run("capture", "claude-code", claudePost("S", "", "1", "start_session", transcript, `{}`, `[{"type":"text","text":"ok"}]`))
		start := time.Now()
		w.run("inject", "claude-code", claudePre("S", "", "2", "next_activity", transcript))
		if waited := time.Since(start); waited < patience+impatience || waited > patience+impatience+40*time.Millisecond {
			w.t.Errorf("waited %v", waited)
		}
	})
}

// A call that takes a collection waits for the results of earlier calls that have values for it, those of sub-agents as well.
func TestACollectionIsCompleteBeforeItIsTaken(t *testing.T) {
	inTime(t, func(w *world, transcript string) {
		agents := filepath.Join(w.home, "s", "subagents", "agent-a1.jsonl")
		w.run("capture", "claude-code", batchOf(transcript, "1"))
		w.run("capture", "claude-code", strings.Replace(batchOf(transcript, "2"), `"session_id"`, `"agent_id":"a1","session_id"`, 1))
		go func() {
			time.Sleep(30 * time.Millisecond)
			appendTo(w.t, transcript, metaLine("1", "K7Q2ZD", "no manifest", traceToken("K7Q2ZD", 1)))
			time.Sleep(30 * time.Millisecond)
			appendTo(w.t, agents, metaLine("2", "K7Q2ZD", "no manifest", traceToken("K7Q2ZD", 2)))
		}()
		if got := gathered(w.t, w.run("inject", "claude-code", getTrace("S", transcript))); !slices.Equal(got, traceTokens(1, 2)) {
			w.t.Errorf("the call has %q", got)
		}
		if e := w.last(); e.Did != "collected" || e.Waited < 60_000 || e.Why != "" {
			w.t.Errorf("%+v", e)
		}
		if got := w.run("capture", "claude-code", batchOf(transcript)); !strings.Contains(got, "no manifest") || w.last().Kept != 0 {
			w.t.Errorf("the warning is still to be shown, and the value is kept: %q, %+v", got, w.last())
		}
	})
}

// A session that was ended before its next hook has left a value. Another session's call takes it, too.
func TestACollectionHasWhatAnEndedSessionLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		old, now := filepath.Join(w.home, "old.jsonl"), filepath.Join(w.home, "now.jsonl")
		appendTo(t, old, "{}\n")
		appendTo(t, now, "{}\n")
		w.run("capture", "claude-code", batchOf(old, "1", "never"))
		appendTo(t, old, metaLine("1", "K7Q2ZD", "no manifest", traceToken("K7Q2ZD", 1)))
		for range 2 {
			start := time.Now()
			if got := gathered(t, w.run("inject", "claude-code", getTrace("another", now))); !slices.Equal(got, []string{traceToken("K7Q2ZD", 1)}) {
				t.Errorf("the call has %q: %+v", got, w.last())
			}
			if waited := time.Since(start); waited > 0 || w.last().Session == "" {
				t.Errorf("waited %v for another session: %+v", waited, w.last())
			}
		}
		before := len(w.journal())
		if w.run("capture", "claude-code", batchOf(old)); len(w.journal()) != before+1 || w.last().Kept != 0 {
			t.Errorf("kept twice: %+v", w.last())
		}
	})
}

// A session_index stays the same, so that no result that may show it is worth a wait once it is known.
func TestAKnownValueThatNothingChangesIsNotWaitedFor(t *testing.T) {
	inTime(t, func(w *world, transcript string) {
		post := func(id, tool, args, text string) {
			w.run("capture", "claude-code", claudePost("S", "", id, tool, transcript, args, `[{"type":"text","text":"`+text+`"}]`))
		}
		post("1", "start_session", `{}`, `session_index: K7Q2ZD`) // with an index it would open a child of that session
		post("2", "get_technique", `{"session_index":"K7Q2ZD"}`, `how to`)
		start := time.Now()
		if got := w.run("inject", "claude-code", claudePre("S", "", "3", "next_activity", transcript)); !strings.Contains(got, "K7Q2ZD") || time.Since(start) > 0 {
			w.t.Errorf("waited %v: %s", time.Since(start), got)
		}
	})
}

func TestValueThatCannotBeKept(t *testing.T) {
	w := newWorld(t)
	post := func(n int, args string) string {
		return claudePost("s", "", fmt.Sprint("t", n), "get_activity", "", args, `[{"type":"text","text":"x","_meta":{"session_token":"`+token(n)+`"}}]`)
	}
	w.run("capture", "claude-code", strings.Replace(post(1, `{}`), "get_activity", "start_session", 1))
	lock := filepath.Join(filepath.Dir(w.session()), "lock")
	if err := errors.Join(os.Remove(lock), os.Mkdir(lock, 0o700)); err != nil { // what cannot be locked cannot be written
		t.Fatal(err)
	}
	w.run("capture", "claude-code", post(2, `{"session_token":"`+token(1)+`"}`))
	if e := w.last(); e.Did != "error" {
		t.Fatalf("journal %+v", e)
	}
	if got := w.run("inject", "claude-code", claudePre("s", "", "t3", "get_activity", "")); got != "" {
		t.Errorf("an older value was injected: %s", got)
	}
}

// A long line may have been written before its call is noted. Where current.token cannot be written, the vault has the value.
func TestTheTranscriptHasTheValue(t *testing.T) {
	long := strings.Replace(claudeLine("toolu_1", token(1)), `"x"`, `"`+strings.Repeat("x", 5<<20)+`"`, 1)
	for name, texts := range map[string][2]string{
		"a long line": {"{}\n" + long, ""}, "no current.token": {"", claudeLine("toolu_1", token(1))},
	} {
		w := newWorld(t)
		main := filepath.Join(w.home, "s1.jsonl")
		if appendTo(t, main, texts[0]); name == "no current.token" {
			write(t, filepath.Join(w.home, ".claude", "workflow-server-tokens"), "a file")
		}
		w.run("capture", "claude-code", claudePost("s1", "", "toolu_1", "start_session", main, `{}`, `[]`))
		appendTo(t, main, texts[1])
		if got := w.run("inject", "claude-code", claudePre("s1", "", "toolu_2", "get_activity", main)); !strings.Contains(got, token(1)) {
			t.Errorf("%s: the answer is %q (%+v)", name, got, w.last())
		}
	}
}

func TestTranscriptsThatAreNone(t *testing.T) {
	w := newWorld(t)
	fifo := filepath.Join(w.home, "fifo")
	if out, err := exec.Command("mkfifo", fifo).CombinedOutput(); err != nil {
		t.Skipf("no mkfifo on this system: %s", out)
	}
	for _, path := range []string{fifo, w.home, "/dev/zero", "a\u0000b"} {
		w.run("capture", "claude-code", claudePost("s1", "", "t1", "start_session", path, `{}`, `[]`))
		done := make(chan string, 1)
		go func() { done <- w.run("inject", "claude-code", claudePre("s1", "", "t2", "get_activity", path)) }()
		select {
		case got := <-done:
			if strings.Contains(got, "updatedInput") {
				t.Errorf("%s: %s", path, got)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("%s holds the hook up", path)
		}
	}
}

// A rule of the user's for the same server must not stand in the way of the built-in one, wherever it
// comes in the order of rules.
const rulesNextTo = `
[[carry]]
name = "labels"
servers = ["workflow-server"]
shape = '^[a-z]{20,40}$'
scope = "session"
[carry.capture]
from = ["json:label"]
[[carry.repair]]
arguments = ["label"]
`

// Where the last result is not in the transcript yet, no older value is injected, not even next to an
// argument that another rule repairs.
func TestNothingStaleNextToARepairedArgument(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.rulesFile(rulesNextTo)
		main := filepath.Join(w.home, "s1.jsonl")
		const label = "thelabelofthisactivity"
		w.run("capture", "claude-code", claudePost("s1", "", "toolu_1", "start_session", main, `{}`,
			`[{"type":"text","text":"{\"session_token\":\"`+token(1)+`\",\"label\":\"`+label+`\"}"}]`))
		w.run("capture", "claude-code", claudePost("s1", "", "toolu_2", "get_activity", main, `{"session_token":"`+token(1)+`"}`, `[]`))
		appendTo(t, main, "{}\n")
		pre := strings.Replace(claudePre("s1", "", "toolu_3", "get_activity", main), `{"n":12345678901234567890}`, `{"label":"`+label+`x"}`, 1)
		got := w.run("inject", "claude-code", pre)
		if strings.Contains(got, token(1)) {
			t.Errorf("an older value was put in: %s", got)
		}
		if e := w.last(); e.Waited == 0 || e.Why == "" {
			t.Errorf("journal %+v", e)
		}
	})
}

// With --no-session-persistence Claude Code names a transcript that it never writes (2.1.330). There is
// nothing to wait for, and a call that the server refused leaves the value as it was.
func TestWithoutATranscriptAnErrorChangesNothing(t *testing.T) {
	w := newWorld(t)
	missing := filepath.Join(w.home, "never-written.jsonl")
	w.run("capture", "claude-code", claudePost("s1", "", "toolu_0", "start_session", missing, `{}`, `[{"type":"text","text":"session_token: `+token(0)+`"}]`))
	for n := 1; n <= 12; n++ {
		id := fmt.Sprint("toolu_", n)
		got := w.run("inject", "claude-code", claudePre("s1", "", id, "get_activity", missing))
		newest := token((n - 1) - (n-1)/3)
		if !strings.Contains(got, newest) {
			t.Fatalf("call %d: %s (%+v)", n, got, w.last())
		}
		if e := w.last(); e.Waited > 200_000 {
			t.Errorf("call %d waited: %+v", n, e)
		}
		args := `{"session_token":"` + newest + `"}`
		if n%3 == 0 { // an ordinary error of the server's, which returns no value
			failed := strings.Replace(claudePost("s1", "", id, "get_activity", missing, args, `"x"`), "PostToolUse", "PostToolUseFailure", 1)
			w.run("capture", "claude-code", strings.Replace(failed, `"tool_response"`, `"error"`, 1))
			continue
		}
		w.run("capture", "claude-code", claudePost("s1", "", id, "get_activity", missing, args, `[{"type":"text","text":"session_token: `+token(n-n/3)+`"}]`))
	}
}
