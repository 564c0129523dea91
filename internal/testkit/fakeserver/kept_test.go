package fakeserver

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A restart keeps the key and the ledger, and the ledger contains no values.
func TestKept(t *testing.T) {
	for _, kind := range Kinds() {
		dir := t.TempDir()
		for range 2 {
			k, err := Open(dir, kind, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range k.Tools() {
				if !json.Valid(tool.Schema) || tool.Annotations != nil && !json.Valid(tool.Annotations) {
					t.Errorf("%s: the declaration of %s is not JSON", kind, tool.Name)
				}
				if _, err := k.Call(tool.Name, nil); err != nil {
					t.Errorf("%s: %v", kind, err)
				}
			}
			if _, err := k.Call("no_such_tool", nil); err == nil {
				t.Errorf("%s: an unknown tool answers", kind)
			}
		}
		entries, err := ReadLedger(dir)
		issued, err2 := ReadIssued(dir)
		raw, err3 := os.ReadFile(filepath.Join(dir, "ledger.jsonl"))
		k, _ := Open(dir, kind, time.Now)
		if err != nil || err2 != nil || err3 != nil || len(entries) != 2*len(k.Tools()) || len(issued) == 0 && kind != "plexus" { // a plexus prompt without arguments issues no id
			t.Errorf("%s: %d entries, %d values: %v %v %v", kind, len(entries), len(issued), err, err2, err3)
		}
		for _, value := range issued {
			if strings.Contains(string(raw), value) {
				t.Errorf("%s: the ledger contains a value", kind)
			}
		}
	}
	if _, err := Open(t.TempDir(), "another", time.Now); err == nil {
		t.Error("a server of an unknown kind was opened")
	}
}

func TestKeptTokens(t *testing.T) {
	dir := t.TempDir()
	call := func(tool, args string) string {
		k, err := Open(dir, "workflow-server", time.Now)
		if err != nil {
			t.Fatal(err)
		}
		out, err := k.Call(tool, []byte(args))
		if err != nil {
			t.Fatal(err)
		}
		var v struct {
			Meta struct {
				Token string `json:"session_token"`
			} `json:"_meta"`
		}
		_ = json.Unmarshal(out, &v) // without a token the ledger below differs
		return v.Meta.Token
	}
	token := call("start_session", "")
	call("get_workflow", `{"session_token":"`+token+`"}`)
	call("get_workflow", `{"session_token":"`+token+`"}`)
	entries, err := ReadLedger(dir)
	if err != nil || len(entries) != 3 || entries[1].Verdict != Right || entries[2].Verdict != Stale || entries[2].Failed {
		t.Errorf("%+v %v", entries, err)
	}
}
