package stdiorpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"
)

// parts are the programs that this test binary can play.
var parts = map[string]func(){
	"honest": func() {
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			var m message
			if json.Unmarshal(in.Bytes(), &m) == nil && m.ID != nil && m.Method != "" {
				say(`{"jsonrpc":"2.0","id":%s,"result":{"asked":%q}}`, m.ID, m.Method)
			}
		}
	},
	"environment": func() {
		dir, _ := os.Getwd()
		line, _ := json.Marshal(append(os.Environ(), "in "+dir))
		say(`{"id":1,"result":%s}`, line)
		wait()
	},
	"noisy": func() {
		fmt.Print("\n\n[debug] starting\n[[[\n{\"id\":")
		say(`}`)
		say(`{"method":"notifications/message","params":{}}`)
		say(`{"id":1,"method":"roots/list"}`) // its ids are not ours
		say(`{"id":"p","method":"ping"}`)
		in := bufio.NewScanner(os.Stdin)
		var got []string
		for range 3 {
			in.Scan()
			got = append(got, in.Text())
		}
		line, _ := json.Marshal(got)
		say(`{"id":1,"result":%s}`, line)
		wait()
	},
	"refuses":         func() { say(`{"id":1,"error":{"code":-32601,"message":"no; token=abcdef"}}`); wait() },
	"talks too early": func() { say(`{"id":2,"result":"early"}`); say(`{"id":1,"result":"one"}`); wait() },
	"id as a string":  func() { say(`{"id":"1","result":"wrong"}`); wait() },
	"never answers":   wait,
	"ends":            func() { fmt.Fprint(os.Stderr, "first\n\nlast words\n\n"); os.Exit(3) },
	"answers, ends":   func() { say(`{"id":1,"result":7}`) },
	"no newline":      func() { fmt.Print(`{"id":1,"result":7}`) },
	"pings, ends":     func() { say(`{"id":1,"method":"ping"}`); say(`{"id":1,"result":7}`) },
	"closes output":   func() { _ = os.Stdout.Close(); wait() },
	"closes input":    func() { _ = os.Stdin.Close(); time.Sleep(time.Hour) },
	"a long line":     func() { pour(os.Stdout, "xxxxxxxx", 100<<20) },
	"much":            func() { pour(os.Stdout, "{}\n", 100<<20) },
	"stderr flooded":  func() { pour(os.Stderr, "complaint\n", 20<<20); say(`{"id":1,"result":7}`); wait() },
	"stderr unending": func() { pour(os.Stderr, "complaint", 20<<20); say(`{"id":1,"result":7}`); wait() },
	"ignores TERM":    func() { signal.Ignore(syscall.SIGTERM); say(`{"id":1,"result":7}`); time.Sleep(time.Hour) },
	"obeys TERM":      func() { say(`{"id":1,"result":7}`); time.Sleep(time.Hour) },
	"deep":            func() { say("%s", strings.Repeat("[", 1<<20)); say(`{"id":1,"result":7}`); wait() },
}

func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// wait waits until stdin ends.
func wait() { _, _ = bytes.NewBuffer(nil).ReadFrom(os.Stdin) }

func pour(f *os.File, what string, n int) {
	chunk := []byte(strings.Repeat(what, 64<<10/len(what)))
	for ; n > 0; n -= len(chunk) {
		if _, err := f.Write(chunk); err != nil {
			return
		}
	}
}

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "play" {
		parts[os.Args[2]]()
		return
	}
	flag.Parse()
	_ = flag.Set("test.parallel", "16") // the flag exists; most tests wait for a program
	os.Exit(m.Run())
}

func startPart(t *testing.T, part string, limit time.Duration) *Client {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	talk, err := Start(ctx, Program{Path: self, Args: []string{"play", part}, Dir: t.TempDir(), Env: []string{"ONLY=this"}, Secrets: []string{"abcdef"}})
	if err != nil {
		t.Fatal(err)
	}
	return talk
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	for part, want := range map[string]string{
		"honest":          `{"asked":"q"}`,
		"noisy":           `["{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"q\"}","{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"not supported\"}}","{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"result\":{}}"]`,
		"refuses":         "error -32601: no; token=[...]",
		"talks too early": `"one"`,
		"ends":            "it ended before it answered q: exit status 3",
		"answers, ends":   "7",
		"no newline":      "7",
		"closes output":   "it closed its input or output before it answered q",
		"a long line":     "it printed a line of more than 16 MB",
		"much":            "it printed more than 64 MB, or as much in short lines",
		"stderr flooded":  "7",
		"stderr unending": "7",
		"ignores TERM":    "7",
		"obeys TERM":      "7",
		"deep":            "7",
	} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			talk := startPart(t, part, 2*time.Minute)
			wantAnswer(t, talk, want)
			select {
			case <-talk.exited:
			default:
				t.Error("the program still runs")
			}
		})
	}
}

// wantAnswer asks a program for q and closes it.
func wantAnswer(t *testing.T, talk *Client, want string) {
	t.Helper()
	got, err := talk.Call("q", nil)
	talk.Close()
	if err != nil {
		got = json.RawMessage(err.Error())
	}
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// What a program wrote before it ended is read, although the request can no longer be sent.
func TestAnsweredBeforeItEnded(t *testing.T) {
	for part, want := range map[string]string{
		"answers, ends": "7",
		"no newline":    "7",
		"pings, ends":   "7",
		"ends":          "it ended before it answered q: exit status 3",
	} {
		talk := startPart(t, part, 2*time.Minute)
		<-talk.exited
		wantAnswer(t, talk, want)
	}
}

func TestNoAnswer(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"never answers", "id as a string", "closes input"} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			talk := startPart(t, part, 300*time.Millisecond)
			_, err := talk.Call("q", nil)
			talk.Close()
			if err == nil || !strings.Contains(err.Error(), "it closed its input") && (!errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "no answer to q: ")) {
				t.Error(err)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// A program is told something without an answer, and its last words are known.
func TestNotifyAndLastStderr(t *testing.T) {
	talk := startPart(t, "honest", 2*time.Minute)
	if err := talk.Notify("notifications/initialized"); err != nil {
		t.Error(err)
	}
	wantAnswer(t, talk, `{"asked":"q"}`)
	talk = startPart(t, "ends", 2*time.Minute)
	talk.Close()
	if got := talk.LastStderr(); !strings.HasPrefix(got, "last words") {
		t.Errorf("%q", got)
	}
}

// The program gets only the given environment.
func TestEnvironment(t *testing.T) {
	talk := startPart(t, "environment", 2*time.Minute)
	defer talk.Close()
	got, err := talk.Call("q", nil)
	if err != nil {
		t.Fatal(err)
	}
	var env []string
	if err := json.Unmarshal(got, &env); err != nil || env[0] != "ONLY=this" || !strings.Contains(env[len(env)-1], t.Name()) {
		t.Errorf("%q %v", env, err)
	}
	if slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "HOME=") }) {
		t.Errorf("%q", env)
	}
}

func TestNoProgram(t *testing.T) {
	if _, err := Start(t.Context(), Program{Path: "/no/such/program"}); !errors.Is(err, os.ErrNotExist) && !errors.Is(err, exec.ErrNotFound) {
		t.Error(err)
	}
}

func FuzzLines(f *testing.F) {
	for _, seed := range []string{"", "\n", "a\nbb\n", "a\nbb", "0123456789\n", "01234567890\n", "\n\n\r\n"} {
		f.Add([]byte(seed), 10, 400)
	}
	f.Fuzz(func(t *testing.T, stream []byte, maxLine, maxTotal int) {
		if maxLine < 1 || maxLine > 1<<16 || maxTotal < 1 || maxTotal > 1<<20 {
			return
		}
		var want [][]byte
		for line := range bytes.Lines(stream) {
			want = append(want, bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")))
		}
		n, read := 0, 0
		err := eachLine(iotest.OneByteReader(bytes.NewReader(stream)), maxLine, maxTotal, func(line []byte) {
			if n >= len(want) || !bytes.Equal(line, want[n]) || len(line) > maxLine {
				t.Fatalf("line %d is %q", n, line)
			}
			if read += len(line) + perLine; read > maxTotal {
				t.Fatalf("%d counted, %d allowed", read, maxTotal)
			}
			n++
		})
		switch {
		case errors.Is(err, io.EOF) && n == len(want):
		case n < len(want) && errors.Is(err, ErrTooLong) && len(want[n]) >= maxLine: // one that ends in a carriage return
		case n < len(want) && errors.Is(err, ErrTooMuch) && read+len(want[n])+perLine > maxTotal:
		default:
			t.Fatalf("%v after %d of %d lines", err, n, len(want))
		}
	})
}

// Whatever a program prints, listen passes on only valid JSON.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{`{"id":1,"result":7}`, `{"id":"1","result":7}`, `{"id":1,"error":{"code":"x"}}`, `[]`, `{"ID":1}`, `{"id":1,"id":2}`, `{"id":1,"method":"x"}`, `null`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		talk := Client{answers: make(chan message), over: make(chan struct{}), stdout: io.NopCloser(bytes.NewReader(stream))}
		go talk.listen()
		for m := range talk.answers {
			if m.ID != nil && !json.Valid(m.ID) || m.Result != nil && !json.Valid(m.Result) {
				t.Fatalf("%q", stream)
			}
		}
	})
}
