package handlestore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"wsi/hook/handles"
	"wsi/internal/testkit/wine"
)

const uuid = "550e8400-e29b-41d4-a716-446655440000"

func record(n int) handles.Record {
	id := fmt.Sprintf("%s%04d", uuid[:32], n)
	return handles.Record{
		Time: time.Unix(1764000000, 0), Harness: "codex", Server: "shop", Tool: "create",
		Result: handles.InResult([]byte(`{"id":"`+id+`"}`), nil, nil),
	}
}

// Hooks of one session run at the same time, each in a process of its own; no call is lost.
func TestAppendFromMany(t *testing.T) {
	wine.Skip(t, "an append that no other process divides (it looks for the end of the file first)")
	s := In(t.TempDir())
	var all sync.WaitGroup
	for n := range 200 {
		all.Go(func() {
			if err := s.Append("k", record(n)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	session, err := s.Load("k")
	if err != nil || session.Calls() != 200 || len(session.Servers()[0].Handles) != 200 {
		t.Errorf("%d calls, %v", session.Calls(), err)
	}
}

func TestLoadLeavesOutWhatWasCutOff(t *testing.T) {
	s := In(t.TempDir())
	for n := range 3 {
		if err := s.Append("k", record(n)); err != nil {
			t.Fatal(err)
		}
	}
	path := s.path("k", newest)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(content), "\n")
	for _, broken := range []string{
		lines[0] + lines[1][:20] + "\n" + lines[2],
		lines[0] + "\x00\x00\x00\n" + lines[2],
		lines[0] + lines[2] + lines[1][:len(lines[1])-5],
	} {
		if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		if session, err := s.Load("k"); err != nil || session.Calls() != 2 {
			t.Errorf("%d calls, %v in %q", session.Calls(), err, broken)
		}
	}
}

// A long session keeps its last calls, and its files stay small.
func TestSizeIsBounded(t *testing.T) {
	s := In(t.TempDir())
	r := record(0)
	for n := range 250 {
		r.Result = append(r.Result, record(n).Result...)
	}
	total := 3 * maxSize / len(r.Append(nil))
	for range total {
		if err := s.Append("k", r); err != nil {
			t.Fatal(err)
		}
	}
	var size int64
	for _, suffix := range []string{newest, older} {
		if info, err := os.Stat(s.path("k", suffix)); err == nil {
			size += info.Size()
		}
	}
	session, err := s.Load("k")
	if err != nil || size > 2*maxSize+1<<20 || session.Calls() < total/3 {
		t.Errorf("%d bytes, %d of %d calls, %v", size, session.Calls(), total, err)
	}
	if all, err := s.Sessions(); err != nil || len(all) != 1 || all[0].Key != "k" {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestOldSessionsAreDeleted(t *testing.T) {
	s := In(t.TempDir())
	for _, key := range []string{"old", "used"} {
		if err := s.Append(key, record(1)); err != nil {
			t.Fatal(err)
		}
	}
	then := time.Now().Add(-unused - time.Hour)
	if err := os.Chtimes(s.path("old", newest), then, then); err != nil {
		t.Fatal(err)
	}
	if err := s.Append("new", record(1)); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(s.Dir, "*")); len(left) != 2 {
		t.Error(left)
	}
}

// Only one of several hooks tells the model about a compaction.
func TestCompacted(t *testing.T) {
	s := In(t.TempDir())
	if err := s.MarkCompacted("k", ""); err != nil || s.TakeCompacted("k", "") {
		t.Errorf("no id was ever kept: %v", err)
	}
	if err := s.Append("k", record(1)); err != nil {
		t.Fatal(err)
	}
	if err := s.MarkCompacted("k", "helper"); err != nil || s.TakeCompacted("k", "") || s.TakeCompacted("l", "helper") {
		t.Fatalf("another agent's mark was taken: %v", err)
	}
	var all sync.WaitGroup
	told := make(chan bool, 20)
	for range 20 {
		all.Go(func() { told <- s.TakeCompacted("k", "helper") })
	}
	all.Wait()
	close(told)
	n := 0
	for ok := range told {
		if ok {
			n++
		}
	}
	if n != 1 {
		t.Errorf("told %d times", n)
	}
}
