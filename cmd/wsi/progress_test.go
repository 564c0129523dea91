package main

import (
	"bytes"
	"strings"
	"testing"

	"wsi/doctor"
)

// Lines name the checks that are running, and are printed again only if these are others. A terminal's line is replaced.
func TestProgress(t *testing.T) {
	for _, c := range []struct {
		terminal bool
		want     string
	}{
		{false, "checking codex.a\nchecking claude-code.b, codex.a\nchecking claude-code.b\n"},
		{true, "\r\x1b[Kchecking codex.a\r\x1b[Kchecking claude-code.b, codex.a\r\x1b[Kchecking claude-code.b"},
	} {
		var out bytes.Buffer
		p := &progress{out: &out, terminal: c.terminal, running: map[string]string{}}
		p.say()
		p.note(doctor.Event{Kind: doctor.Began, Harness: "codex", Check: "codex.a"})
		p.say()
		p.say()
		p.note(doctor.Event{Kind: doctor.Found, Harness: "codex", Check: "codex.a"})
		p.note(doctor.Event{Kind: doctor.Began, Harness: "claude-code", Check: "claude-code.b"})
		p.say()
		p.note(doctor.Event{Kind: doctor.Ended, Harness: "codex"})
		p.say()
		p.note(doctor.Event{Kind: doctor.Ended, Harness: "claude-code"})
		p.say()
		if out.String() != c.want {
			t.Errorf("got %q, want %q", out.String(), c.want)
		}
	}
	var out bytes.Buffer
	many := &progress{out: &out, running: map[string]string{}}
	for _, id := range []string{"claude-code", "codex", "cursor", "gemini-cli", "opencode"} {
		many.note(doctor.Event{Kind: doctor.Began, Harness: id, Check: id + ".server.answers"})
	}
	many.say()
	if want := "checking claude-code.server.answers, codex.server.answers and 3 more\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	long := &progress{out: &bytes.Buffer{}, terminal: true, running: map[string]string{"": strings.Repeat("x", 200)}}
	long.say()
	if n := long.out.(*bytes.Buffer).Len(); n > 90 {
		t.Errorf("a line of %d bytes", n)
	}
}
