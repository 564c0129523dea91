package hook

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wsi/hook/vault"
)

func TestValueThatCannotBeKept(t *testing.T) {
	w := newWorld(t)
	post := func(n int, args string) string {
		return claudePost("s", "", fmt.Sprint("t", n), "get_activity", "", args, `[{"type":"text","text":"x","_meta":{"session_token":"`+token(n)+`"}}]`)
	}
	w.run("capture", "claude-code", strings.Replace(post(1, `{}`), "get_activity", "start_session", 1))
	key := vault.SessionKey("claude-code", "s")
	lock := filepath.Join(w.home, "state", "vault", key[:2], "lock")
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

func TestCurrentTokenThatCannotBeWritten(t *testing.T) {
	w := newWorld(t)
	write(t, filepath.Join(w.home, ".claude", "workflow-server-tokens"), "a file")
	main := filepath.Join(w.home, "s1.jsonl")
	w.run("capture", "claude-code", claudePost("s1", "", "toolu_1", "start_session", main, `{}`, `[]`))
	appendTo(t, main, claudeLine("toolu_1", token(1)))
	if got := w.run("inject", "claude-code", claudePre("s1", "", "toolu_2", "get_activity", main)); !strings.Contains(got, token(1)) {
		t.Errorf("the vault has the value, the answer is %q (%+v)", got, w.last())
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

// A long line may have been written before its call is noted.
func TestLongLineInTranscript(t *testing.T) {
	w := newWorld(t)
	main := filepath.Join(w.home, "s1.jsonl")
	appendTo(t, main, "{}\n"+strings.Replace(claudeLine("toolu_1", token(1)), `"x"`, `"`+strings.Repeat("x", 5<<20)+`"`, 1))
	w.run("capture", "claude-code", claudePost("s1", "", "toolu_1", "start_session", main, `{}`, `[]`))
	if got := w.run("inject", "claude-code", claudePre("s1", "", "toolu_2", "get_activity", main)); !strings.Contains(got, token(1)) {
		t.Errorf("got %q (%+v)", got, w.last())
	}
}
