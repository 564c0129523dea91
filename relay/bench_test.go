package relay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"wsi/internal/testkit/buildtest"
)

// fastServer does next to nothing: to a call it answers with a new value, and with as much text as its
// argument n says.
type fastServer struct {
	text string
	n    int
	out  []byte
}

func newFastServer() *fastServer {
	return &fastServer{text: strings.Repeat("all work and no play makes jack a dull boy ", 10<<20/43+1)}
}

// answer returns the answer to a request, a line that is good until the next one.
func (f *fastServer) answer(line []byte) []byte {
	if bytes.Contains(line, []byte(`"initialize"`)) {
		return fmt.Appendf(f.out[:0], `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"fast","version":"1"}}}`+"\n", idIn(line))
	}
	n := 0
	if at := bytes.Index(line, []byte(`"n":`)); at >= 0 {
		rest := line[at+4:]
		var err error
		n, err = strconv.Atoi(string(rest[:bytes.IndexAny(rest, ",}")]))
		must(err)
	}
	out := append(append(append(f.out[:0], `{"jsonrpc":"2.0","id":`...), idIn(line)...), `,"result":{`...)
	if bytes.Contains(line, []byte("tools/call")) {
		f.n++
		out = fmt.Appendf(out, `"_meta":{"session_token":"%s%08d"},`, "token-"+strings.Repeat("T", 470), f.n)
	}
	said, err := json.Marshal(f.text[:n]) // as any server must
	must(err)
	out = append(append(append(out, `"content":[{"type":"text","text":`...), said...), `}]`...)
	if bytes.Contains(line, []byte(`"both"`)) { // a tool with both kinds of results
		out = append(append(append(out, `,"structuredContent":{"size":`...), strconv.Itoa(n)...), `,"lines":["`...)
		out = append(append(out, strings.Repeat(`all work","`, n/11)...), `"]}`...)
	}
	f.out = append(out, "}}\n"...)
	return f.out
}

// idIn returns the raw id of a request, or nil; it may be the last member.
func idIn(line []byte) []byte {
	_, id, ok := bytes.Cut(line, []byte(`"id":`))
	if !ok {
		return nil
	}
	return id[:bytes.IndexAny(id, ",}")]
}

// answerFast is a fast server on stdio.
func answerFast() {
	in, f := bufio.NewReaderSize(os.Stdin, 1<<20), newFastServer()
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		if idIn(line) == nil {
			continue
		}
		_, err = os.Stdout.Write(f.answer(line))
		must(err)
	}
}

// speaker talks to a program in lines.
type speaker struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	n   int
}

func speak(tb testing.TB, cmd *exec.Cmd) *speaker {
	tb.Helper()
	in, out := startPiped(tb, cmd)
	s := &speaker{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	tb.Cleanup(s.end)
	return s
}

// end ends the program; it may have ended. How it ends is not what is measured.
func (s *speaker) end() {
	_ = s.in.Close()
	_ = s.cmd.Wait()
}

// ask makes one round trip.
func (s *speaker) ask(tb testing.TB, method, params string) (took time.Duration, size int) {
	tb.Helper()
	s.n++
	start := time.Now()
	if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", s.n, method, params); err != nil {
		tb.Fatal(err)
	}
	for {
		part, err := s.out.ReadSlice('\n')
		size += len(part)
		if err == nil {
			return time.Since(start), size
		}
		if err != bufio.ErrBufferFull { //nolint:errorlint // bufio returns it as it is
			tb.Fatal(err)
		}
	}
}

var built = flag.String("wsi", "", "the `program` to measure, to compare it with another (default: it is built)")

// builtProgram returns the wsi to measure.
func builtProgram(tb testing.TB) string {
	tb.Helper()
	if *built != "" {
		return *built
	}
	program, err := buildtest.Program(tb.TempDir(), buildtest.Wsi)
	if err != nil {
		tb.Fatal(err)
	}
	return program
}

// relayedFast returns the relay in front of a fast server.
func relayedFast(tb testing.TB) *speaker {
	tb.Helper()
	path, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	dir := tb.TempDir()
	cmd := exec.Command(builtProgram(tb), "relay", "--server", "workflow-server", "--harness", "codex", "--state", filepath.Join(dir, "state"), "--", path, "as-fast-server")
	cmd.Env = append(os.Environ(), "HOME="+dir)
	return speak(tb, cmd)
}

const asCodex = `"_meta":{"sessionId":"s","threadId":"s"}`

var calls = flag.Int("calls", 3000, "how many `calls` are made where memory is measured")

// Memory does not grow with the number of calls. The full length is -calls 100000.
func TestMemoryIsFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	if runtime.GOOS != "linux" {
		t.Skip("it is read from /proc")
	}
	for name, tool := range map[string]string{"a carried value": "get_activity", "nothing to carry": "echo"} {
		t.Run(name, func(t *testing.T) {
			relayed := relayedFast(t)
			relayed.ask(t, "tools/call", `{"name":"start_session","arguments":{},`+asCodex+`}`)
			var early int
			for i := range *calls {
				relayed.ask(t, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":{},%s}`, tool, asCodex))
				if i == *calls/3 {
					early = resident(t, relayed.cmd.Process.Pid)
				}
			}
			late := resident(t, relayed.cmd.Process.Pid)
			t.Logf("%d calls: %d KB after a third, %d KB at the end", *calls, early>>10, late>>10)
			if late > early+4<<20 {
				t.Errorf("it grew from %d to %d KB", early>>10, late>>10)
			}
		})
	}
}
