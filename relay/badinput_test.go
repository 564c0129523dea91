package relay

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"
)

// A server says 1 GB and ends. The relay's memory does not grow, all of it arrives, and the next request is answered.
func TestDiesAfterOneGigabyte(t *testing.T) {
	if testing.Short() || slow || runtime.GOOS != "linux" {
		t.Skip("it moves 1 GB, and reads memory from /proc")
	}
	w := newWorld(t)
	cmd := asProcess(t, w.opt)
	in, out := startPiped(t, cmd)
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
