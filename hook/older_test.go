package hook

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"wsi/internal/testkit/fakeserver"
)

// A wsi of before there were rules reads and writes the same sessions: it passes over what it does not
// know, and so drops it. Harnesses that were started before an upgrade run the old one for days.
func TestOlderWsiOnTheSameVault(t *testing.T) {
	now := time.Unix(1_795_000_000, 0)
	server := fakeserver.NewWorkflow([]byte("key"), func() time.Time { now = now.Add(4 * time.Second); return now })
	h := &host{world: newWorld(t), server: "workflow-server", session: "s", call: server.Call}
	dropped := regexp.MustCompile(`"key":"[^"]*",|"older":\[[^\]]*\],`)
	checksum := regexp.MustCompile(`,"sum":\d+`)
	forgotten := 0
	older := func() {
		err := filepath.WalkDir(filepath.Join(h.home, "state", "vault"), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".json" {
				return err
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			raw = checksum.ReplaceAll(raw, nil)
			kept := dropped.ReplaceAll(raw, nil)
			forgotten += len(raw) - len(kept)
			return os.WriteFile(path, kept, 0o600)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	h.do("", "start_session", args{"workflow_id": "meta"})
	for i := range 12 {
		older()
		if !h.do("", "next_activity", args{"activity_id": "a"}) {
			t.Fatalf("call %d: %s", i, h.text)
		}
		older()
		typed := h.shown("session_token")
		if !h.do("", "get_activity", args{"session_token": typed[:len(typed)-1]}) {
			t.Fatalf("call %d, a slip: %s", i, h.text)
		}
	}
	if forgotten == 0 {
		t.Error("the older wsi had nothing to drop")
	}
	for i, e := range server.Ledger() {
		if e.Verdict != fakeserver.Right && e.Verdict != fakeserver.NotNeeded {
			t.Errorf("call %d: %+v", i, e)
		}
	}

	// What a rule of today keeps is nothing that it would put anywhere: it looks for its server's name alone.
	h2 := &host{world: newWorld(t), server: "workflow-server", session: "s", call: fakeserver.NewIndex().Call}
	h2.do("", "start_session", args{})
	err := filepath.WalkDir(filepath.Join(h2.home, "state", "vault"), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".json" {
			raw, e := os.ReadFile(path)
			if strings.Contains(string(raw), `"server":"workflow-server"`) || !strings.Contains(string(raw), h2.shown("session_index")) {
				t.Errorf("an older wsi would take an index for a token: %s", path)
			}
			return e
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
