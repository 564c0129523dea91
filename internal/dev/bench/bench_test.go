package main

import (
	"encoding/json"
	"testing"
	"time"

	"wsi/harnesses"
)

func TestEventSizes(t *testing.T) {
	for _, size := range []int{2 << 10, 1 << 20} {
		for name, event := range map[string][]byte{"before": before(size), "after": after(session, 3, size)} {
			if !json.Valid(event) {
				t.Errorf("%s of %d bytes is not JSON", name, size)
			}
			if n := len(event); n < size*8/10 || n > size*12/10 {
				t.Errorf("%s of %d bytes has %d", name, size, n)
			}
		}
	}
}

// The benchmark must notice a program that does nothing.
func TestAgree(t *testing.T) {
	right := []byte(`{"hookSpecificOutput":{"updatedInput":{"a":1,"session_token":"x"}}}`)
	same := []byte(`{ "hookSpecificOutput": {"updatedInput": {"session_token":"x", "a":1}} }`)
	s := scene{verb: harnesses.Inject}
	programs := []program{{name: "wsi"}, {name: "other"}}
	if err := s.agree(programs, [][]byte{right, same}); err != nil {
		t.Error(err)
	}
	for name, answer := range map[string]string{"silent": "", "another answer": `{"hookSpecificOutput":{"updatedInput":{"a":1}}}`} {
		if s.agree(programs, [][]byte{right, []byte(answer)}) == nil {
			t.Errorf("%s was not noticed", name)
		}
	}
	s.verb = harnesses.Capture
	programs[0].home = t.TempDir()
	if s.agree(programs[:1], [][]byte{nil}) == nil {
		t.Error("a program that stores no token was not noticed")
	}
}

func TestJudge(t *testing.T) {
	took := func(ms ...float64) (s samples) {
		for _, m := range ms {
			s = append(s, time.Duration(m*float64(time.Millisecond)))
		}
		return s
	}
	programs := []program{{name: "wsi"}, {name: "wsi, 10,000 sessions", with: "10,000 sessions"}, {name: "bare Go"}, {name: "Node"}}
	s := scene{node: 10}
	for _, c := range []struct {
		name                  string
		wsi, many, bare, node samples
		want                  int
	}{
		{"all met", took(2, 2, 9), took(2.1), took(1.5), took(30), 0},
		{"slower than bare Go allows", took(2), took(2), took(1.2), took(30), 1},
		{"slower than Node allows", took(2), took(2), took(1.5), took(19), 1},
		{"grows with the sessions", took(2), took(2.4), took(1.5), took(30), 1},
		{"all missed", took(9), took(20), took(1), took(10), 3},
	} {
		if got := s.judge(programs, []samples{c.wsi, c.many, c.bare, c.node}); got != c.want {
			t.Errorf("%s: %d missed, want %d", c.name, got, c.want)
		}
	}
}
