package live

import (
	"bytes"
	"strings"
	"testing"
)

// A harness that floods is ended, and of what it printed the beginning and the end are kept.
func TestOutput(t *testing.T) {
	ended := false
	o := &output{flooded: func() { ended = true }}
	write := func(s string) {
		t.Helper()
		if n, err := o.Write([]byte(s)); n != len(s) || err != nil {
			t.Fatal(n, err)
		}
	}
	write("the session is 42\n")
	for range 100 {
		write(strings.Repeat("x", 100<<10) + "\n")
	}
	write("the last words")
	kept := o.bytes()
	if !bytes.HasPrefix(kept, []byte("the session is 42\n")) || !bytes.HasSuffix(kept, []byte("the last words")) || len(kept) > keptHead+2*keptTail || ended {
		t.Errorf("%d bytes, ended: %v", len(kept), ended)
	}
	for o.total <= mostOutput {
		write(strings.Repeat("x", 1<<20))
	}
	if !ended {
		t.Error("it goes on")
	}
}
