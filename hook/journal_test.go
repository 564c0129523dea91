package hook

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"wsi/hook/journal"
)

func TestOldJournalsArePruned(t *testing.T) {
	w := newWorld(t)
	j := journal.In(filepath.Join(w.home, "state"))
	begin := func(session string) {
		w.run("capture", "claude-code", claudePost(session, "", "t", "start_session", "", `{}`, `[{"type":"text","text":"x","_meta":{"session_token":"`+token(1)+`"}}]`))
	}
	write(t, j.Older(), "x\n")
	if begin("young"); !there(j.Older()) {
		t.Error("a journal of today was deleted")
	}
	old := time.Now().Add(-31 * 24 * time.Hour)
	if err := os.Chtimes(j.Older(), old, old); err != nil {
		t.Fatal(err)
	}
	if begin("young"); !there(j.Older()) {
		t.Error("it was looked at though no session began")
	}
	if begin("new"); there(j.Older()) {
		t.Error("a journal of last month is still there")
	}
}

// Without a folder of wsi's, what is in the current one is not wsi's.
func TestNothingIsPrunedWithoutAStateFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	w := newWorld(t)
	w.home, w.env = "", nil
	j := journal.File{Path: "journal.jsonl"}
	write(t, j.Older(), "x\n")
	old := time.Now().Add(-31 * 24 * time.Hour)
	if err := os.Chtimes(j.Older(), old, old); err != nil {
		t.Fatal(err)
	}
	w.run("capture", "", `{"tool_name":"mcp__workflow-server__start_session","tool_input":{},"tool_response":{"content":[],"_meta":{"session_token":"`+token(1)+`"}}}`)
	if !there(j.Older()) {
		t.Error("a file of the project was deleted")
	}
}

func there(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
