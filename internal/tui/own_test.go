package tui

import (
	"bytes"
	"strings"
	"testing"

	"wsi/internal/printable"
)

// Only wsi's own sequences pass.
func TestScreen(t *testing.T) {
	got := Screen(Own("1;38;2;1;2;3") + "bold\x1b[31m" + Own("") + "\x1b[" + mark())
	if want := "\x1b[1;38;2;1;2;3mbold\\u001b[31m\x1b[m\\u001b[" + mark(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var out bytes.Buffer
	if n, err := (Writer{&out}).Write([]byte(Own("2") + "\x1bc")); n != len(Own("2"))+2 || err != nil || out.String() != "\x1b[2m\\u001bc" {
		t.Errorf("%d %v %q", n, err, out.String())
	}
}

func TestTextFromOutsideHasNoSequence(t *testing.T) {
	if got, want := printable.Text(Own("1")+"ours, from outside"), strings.ReplaceAll(Own("1"), "\x1b", `\u001b`)+"ours, from outside"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzScreen(f *testing.F) {
	f.Add("a\r\nb\r\x1b[1m\u202e\x9b")
	f.Add("\xc2\x9b")
	f.Fuzz(func(t *testing.T, s string) {
		if !strings.Contains(s, csi+mark()) && Screen(s) != printable.Text(s) {
			t.Errorf("%q is on a screen %q", s, Screen(s))
		}
	})
}
