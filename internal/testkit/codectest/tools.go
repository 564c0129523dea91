package codectest

import (
	"testing"

	"wsi/harnesses"
)

// Tools tests to which server the codec assigns tools. Each case has a tool's name as a harness writes it, the server that the event
// names, the name of a registered server, and the name that this server uses, or "" if the tool belongs to another one.
func Tools(t *testing.T, d harnesses.Codec, cases [][4]string) {
	t.Helper()
	for _, c := range cases {
		tool, ok := d.Tool(harnesses.Event{Name: c[0], Server: c[1]}, c[2])
		if ok != (c[3] != "") || ok && tool != c[3] {
			t.Errorf("%q: %q %v", c, tool, ok)
		}
	}
}
