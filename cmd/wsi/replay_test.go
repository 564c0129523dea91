package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The example in docs/replay.md is what replay prints of a recording of the tests.
func TestReplayMdExample(t *testing.T) {
	w := newWorld(t, nil, nil)
	out, exit := w.run("replay", filepath.Join("..", "..", "hook", "recorded", "testdata", "claude-code"))
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "replay.md"))
	if example, _, _ := strings.Cut(out, "\n\n"); err != nil || exit != 0 || !strings.Contains(string(doc), "```\n"+example+"\n```\n") {
		t.Errorf("%v, exit status %d: docs/replay.md does not have\n%s", err, exit, example)
	}
}

// The progress is shown now and then, and gone at the end. What is no terminal gets none.
func TestReplayProgress(t *testing.T) {
	var to bytes.Buffer
	p := progress{to: &to, last: time.Now().Add(-time.Second)}
	p.add(3e6)
	p.add(1e6)
	p.end()
	if got := to.String(); got != "\r3.0 MB read\r                    \r" {
		t.Errorf("%q", got)
	}
	quiet := newProgress(&to)
	to.Reset()
	quiet.last = time.Now().Add(-time.Second)
	quiet.add(1)
	if quiet.end(); to.Len() > 0 {
		t.Errorf("%q", to.String())
	}
}
