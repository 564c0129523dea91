package callers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wsi/harnesses"
)

func TestNotes(t *testing.T) {
	n := In(t.TempDir())
	if got, err := n.Read("claude-code", "toolu_1"); got != (harnesses.Caller{}) || err != nil {
		t.Fatalf("found before it was noted: %v", err)
	}
	for id, want := range map[string]harnesses.Caller{
		"toolu_1":                {Session: "s1"},
		"toolu_2":                {Session: "s1", Agent: "a1"},
		"../../../etc/passwd":    {Session: "quote \" and \n line", Agent: "ü"},
		strings.Repeat("x", 999): {Session: "s2"},
	} {
		if err := n.Write("claude-code", id, want); err != nil {
			t.Fatal(err)
		}
		if got, err := n.Read("claude-code", id); err != nil || got != want {
			t.Errorf("%.20q: got %+v, %v", id, got, err)
		}
	}
	if got, _ := n.Read("codex", "toolu_1"); got != (harnesses.Caller{}) {
		t.Error("another harness's call was found")
	}
	if err := n.Write("claude-code", "toolu_1", harnesses.Caller{Session: "s3"}); err != nil {
		t.Fatal(err)
	}
	if got, _ := n.Read("claude-code", "toolu_1"); got.Session != "s3" {
		t.Errorf("the newest note does not count: %+v", got)
	}
}

func TestOldNotesGo(t *testing.T) {
	n := In(t.TempDir())
	if err := n.Write("claude-code", "toolu_1", harnesses.Caller{Session: "s"}); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(n.path("claude-code", "toolu_1"))
	for name, age := range map[string]time.Duration{"recent": kept / 2, "old": 2 * kept} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Write("claude-code", "toolu_1", harnesses.Caller{Session: "s"}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 || entries[1].Name() != "recent" {
		t.Errorf("left: %v %v", entries, err)
	}
}

func TestHalfANoteIsNone(t *testing.T) {
	n := In(t.TempDir())
	if err := n.Write("claude-code", "toolu_1", harnesses.Caller{Session: "s"}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(n.path("claude-code", "toolu_1"), []byte(`{"session":"s`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := n.Read("claude-code", "toolu_1"); got != (harnesses.Caller{}) || err != nil {
		t.Errorf("half a note was taken for one: %v", err)
	}
}
