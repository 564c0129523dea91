package edit

import (
	"testing"

	"wsi/harnesses/setup"
)

func record(value string) setup.TrustRecord {
	return setup.TrustRecord{Table: []string{"hooks", "state", "/home/u/.codex/hooks.json:pre_tool_use:0:0"}, Key: "trusted_hash", Value: value}
}

// Each case is one notation of the table of a trust record: before, with the record, and after its removal ("=": as
// before).
func TestTrust(t *testing.T) {
	const key = `"/home/u/.codex/hooks.json:pre_tool_use:0:0"`
	for _, c := range []struct{ name, before, after, left string }{
		{"empty file", "", "[hooks.state." + key + "]\ntrusted_hash = \"sha256:1\"\n", "="},
		{
			"others' state", "[hooks.state]\n\n[hooks.state.\"x:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:9\" # mine\n",
			"[hooks.state]\n\n[hooks.state.\"x:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:9\" # mine\n\n[hooks.state." + key + "]\ntrusted_hash = \"sha256:1\"\n", "=",
		},
		{
			"an older hash", "[hooks.state." + key + "]\ntrusted_hash = 'sha256:0' # old\n[tui]\n",
			"[hooks.state." + key + "]\ntrusted_hash = \"sha256:1\" # old\n[tui]\n", "[tui]\n",
		},
		{
			"a table without the hash", "[hooks.state." + key + "]\n  enabled = false\n\n[tui]\nx = 1\n",
			"[hooks.state." + key + "]\n  enabled = false\n  trusted_hash = \"sha256:1\"\n\n[tui]\nx = 1\n", "=",
		},
		{"a header alone", "[hooks.state." + key + "]", "[hooks.state." + key + "]\ntrusted_hash = \"sha256:1\"", ""},
		{
			"dotted keys", "[hooks.state]\n" + key + ".enabled = true\n\n[tui]\n",
			"[hooks.state]\n" + key + ".enabled = true\n" + key + ".trusted_hash = \"sha256:1\"\n\n[tui]\n", "=",
		},
		{
			"braces", "[hooks.state]\n" + key + " = { enabled = true }\n", "[hooks.state]\n" + key + " = { enabled = true, trusted_hash = \"sha256:1\" }\n", "=",
		},
		{"state in braces", "hooks.state = {}\n", "hooks.state = { " + key + " = { trusted_hash = \"sha256:1\" } }\n", "="},
		{
			"hooks in braces", "hooks = { Stop = [] }\n", "hooks = { Stop = [], state = { " + key + " = { trusted_hash = \"sha256:1\" } } }\n",
			"=",
		},
		{"hooks in empty braces", "hooks = {}\n", "hooks = { state = { " + key + " = { trusted_hash = \"sha256:1\" } } }\n", "="},
		{
			"a state in braces that others are in", "hooks = { state = { x = { enabled = true } } }\n",
			"hooks = { state = { x = { enabled = true }, " + key + " = { trusted_hash = \"sha256:1\" } } }\n", "=",
		},
		{"a last line without an end", "a = 1", "a = 1\n\n[hooks.state." + key + "]\ntrusted_hash = \"sha256:1\"", "="},
		{"the same with CRLF", "b = 2\r\na = 1", "b = 2\r\na = 1\r\n\r\n[hooks.state." + key + "]\r\ntrusted_hash = \"sha256:1\"", "="},
		{"there already", "[hooks.state." + key + "]\ntrusted_hash = '''sha256:1'''\n", "=", ""},
		{"CRLF", "a = 1\r\n", "a = 1\r\n\r\n[hooks.state." + key + "]\r\ntrusted_hash = \"sha256:1\"\r\n", "="},
	} {
		t.Run(c.name, func(t *testing.T) {
			orBefore := func(s string) string {
				if s == "=" {
					return c.before
				}
				return s
			}
			after, err := SetTrust([]byte(c.before), record("sha256:1"))
			if err != nil || string(after) != orBefore(c.after) {
				t.Fatalf("got %v\n%s\nwant\n%s", err, after, c.after)
			}
			again, err := SetTrust(after, record("sha256:1"))
			if err != nil || string(again) != string(after) {
				t.Errorf("the second run: %v\n%s", err, again)
			}
			other, err := RemoveTrust(after, []setup.TrustRecord{record("sha256:2")})
			if err != nil || string(other) != string(after) {
				t.Errorf("another value was removed: %v\n%s", err, other)
			}
			left, err := RemoveTrust(after, []setup.TrustRecord{record("sha256:1")})
			if err != nil || string(left) != orBefore(c.left) {
				t.Errorf("removed: %v\n%q\nwant\n%q", err, left, orBefore(c.left))
			}
		})
	}
	for _, bad := range []string{"hooks = 1\n", "[hooks]\nstate = 'x'\n", "a = \n", "[hooks.state]\n" + key + " = 1\n"} {
		if _, err := SetTrust([]byte(bad), record("sha256:1")); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
