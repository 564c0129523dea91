package codectest

import (
	"testing"

	"wsi/harnesses"
	"wsi/hook/carry"
)

// Named is a tool's name as a harness writes it, the server that the event names, and the name that the tested
// server uses, or "" if the tool belongs to another server.
type Named struct{ Name, Server, Tool string }

// Tools tests to which server the codec assigns tools.
func Tools(t *testing.T, d harnesses.Codec, server string, cases ...Named) {
	t.Helper()
	for _, c := range cases {
		tool, ok := d.Tool(harnesses.Event{Name: c.Name, Server: c.Server}, server)
		if ok != (c.Tool != "") || ok && tool != c.Tool {
			t.Errorf("%+v: %q %v", c, tool, ok)
		}
	}
}

// Silent tests that the codec answers with this line, byte for byte, if the arguments change, and with nothing if
// they do not.
func Silent(t *testing.T, d harnesses.Codec, args, line string) {
	t.Helper()
	if got := string(d.Answer(carry.Change{Args: []byte(args)})); got != line+"\n" {
		t.Errorf("%q, want %q", got, line)
	}
	if got := d.Nothing(); len(got) > 0 {
		t.Errorf("nothing is %q", got)
	}
}
