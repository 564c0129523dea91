package printable

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                               "",
		"plain, ä 漢 🙂 ok\tand\n":         "plain, ä 漢 🙂 ok\tand\n",
		"CR LF\r\nlone\rCR\r":            "CR LF\r\nlone\\rCR\\r",
		"\x1b]0;title\a":                 `\u001b]0;title\u0007`,
		"\x00\b\x7f\v\f":                 `\u0000\u0008\u007f\u000b\u000c`,
		"\u0085\u009b31m":                `\u0085\u009b31m`,
		"\x9b31m\xff\xe2\x80":            `\x9b31m\xff\xe2\x80`,
		"\u061c\u200e\u200f\u2028\u2029": `\u061c\u200e\u200f\u2028\u2029`,
		"\u202a\u202e\u2066\u2069":       `\u202a\u202e\u2066\u2069`,
		"\u200d\u200b\u00a0\ufeff\ufffd": "\u200d\u200b\u00a0\ufeff\ufffd",
		"\x1b[10;10;10;1mforged":         `\u001b[10;10;10;1mforged`,
	} {
		if got := Text(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
	if got := Line("a\nb\r\nc\td"); got != `a\nb\r\nc\td` {
		t.Errorf("%q", got)
	}
}

// Escaped JSON is JSON with the same value.
func TestJSONKeepsItsValue(t *testing.T) {
	value := "\x1b[1m\u202e\u009b\x7f\u2028\\ \" \n\t\r é"
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var back string
	if err := json.Unmarshal([]byte(Text(string(text))), &back); err != nil || back != value {
		t.Errorf("%s: %q, %v", Text(string(text)), back, err)
	}
}

var driving = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f\x{80}-\x{9f}\x{61c}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}\x{2028}\x{2029}]`)

func FuzzText(f *testing.F) {
	f.Add("a\r\nb\r\x1b[1m\u202e\x9b")
	f.Add("\xc2\x9b")
	f.Fuzz(func(t *testing.T, s string) {
		shown := Text(s)
		if !utf8.ValidString(shown) || driving.MatchString(strings.ReplaceAll(shown, "\r\n", "\n")) {
			t.Errorf("%q is shown as %q", s, shown)
		}
		if Text(shown) != shown || strings.Count(shown, "\n") != strings.Count(s, "\n") {
			t.Errorf("%q is shown as %q", s, shown)
		}
	})
}
