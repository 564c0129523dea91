package wire

import "testing"

func TestSplit(t *testing.T) {
	const m = `{"jsonrpc":"2.0","id":1,"result":{}}`
	for line, want := range map[string][2]string{
		m + "\n":                               {m + "\n", ""},
		"  " + m + "\r\n":                      {"  " + m + "\r\n", ""},
		`{ "id":1, "jsonrpc" : "2.0" }`:        {`{ "id":1, "jsonrpc" : "2.0" }`, ""},
		"server ready " + m + "\n":             {m + "\n", "server ready "},
		"server ready\n":                       {"", "server ready\n"},
		`{"level":"info","message":"ready"}`:   {"", `{"level":"info","message":"ready"}`},
		`[1] ready`:                            {"", `[1] ready`},
		`{"id":1,"result":{}}`:                 {`{"id":1,"result":{}}`, ""},
		`{"method":"ping"}`:                    {`{"method":"ping"}`, ""},
		`[` + m + `]`:                          {`[` + m + `]`, ""},
		`{"jsonrpc":"2.0","id":1,"res`:         {`{"jsonrpc":"2.0","id":1,"res`, ""},
		" \t\r\n":                              {"", ""},
		"":                                     {"", ""},
		`the text {"jsonrpc" is no message {}`: {"", `the text {"jsonrpc" is no message {}`},
	} {
		message, other := Split([]byte(line))
		if string(message) != want[0] || string(other) != want[1] {
			t.Errorf("%q: %q and %q", line, message, other)
		}
	}
}
