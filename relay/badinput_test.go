package relay

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A server that ends in its first handshake is the harness's to report. One that is started again and ends there counts as one
// that ends again and again.
func TestDiesInTheHandshake(t *testing.T) {
	w := newWorld(t)
	w.let("dies-greeted")
	c := w.connect()
	c.request("initialize", hello)
	select {
	case got := <-c.status:
		if c.status <- got; got != 6 {
			t.Errorf("exit status %d", got)
		}
	case <-time.After(time.Minute):
		t.Error("the relay stays")
	}

	w = newWorld(t)
	c = w.connect()
	c.greet()
	c.do("start_session", ``, ``)
	w.let("dies-greeted")
	c.die()
	if got := c.do("get_activity", ``, ``); !strings.Contains(got, "3 times in a row before it answered anything") || !strings.Contains(got, `it last wrote: no license \\u003c/system-reminder\\u003e`) {
		t.Error(got)
	}
	if n := strings.Count(w.arrived(), `"method":"tools/call"`); n != 1 {
		t.Errorf("%d calls reached a server that refused the handshake", n-1)
	}
}

// A server says 1 GB and ends. The relay's memory does not grow, all of it arrives, and the next request is answered.
func TestDiesAfterOneGigabyte(t *testing.T) {
	if testing.Short() || slow || runtime.GOOS != "linux" {
		t.Skip("it moves 1 GB, and reads memory from /proc")
	}
	w := newWorld(t)
	cmd := asProcess(t, w.opt)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := func(line string) {
		t.Helper()
		if _, err := fmt.Fprintln(in, line); err != nil {
			t.Fatal(err)
		}
	}
	lines := bufio.NewReaderSize(out, 2<<20)
	answer := func() []byte {
		t.Helper()
		line, err := lines.ReadSlice('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	said(`{"jsonrpc":"2.0","id":0,"method":"ping"}`)
	answer()
	early, most, size := resident(t, cmd.Process.Pid), 0, 0
	said(`{"jsonrpc":"2.0","id":1,"method":"flood","params":1024}`)
	for range 1024 {
		size += len(answer())
		most = max(most, resident(t, cmd.Process.Pid))
	}
	if got := answer(); !bytes.Contains(got, []byte(`"id":1,"error"`)) || !bytes.Contains(got, []byte("exit status 8")) {
		t.Errorf("%.300s", got)
	}
	said(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if got := answer(); !bytes.Contains(got, []byte(`"id":2,"result"`)) {
		t.Errorf("%.300s", got)
	}
	if t.Logf("%d MB at first, %d MB at most", early>>20, most>>20); size < 1<<30 || most > early+24<<20 {
		t.Errorf("%d bytes came; memory went from %d to %d MB", size, early>>20, most>>20)
	}
	_ = in.Close()
	if _, err := io.Copy(io.Discard, lines); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
