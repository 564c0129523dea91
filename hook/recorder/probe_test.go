package recorder

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSkeleton(t *testing.T) {
	token := strings.Repeat("eyJhY3QiOiJk", 20) + "." + strings.Repeat("0f", 32)
	event := `{"hook_event_name":"afterMCPExecution","tool_name":"MCP:x y\u001b","mcp_server_name":"workflow-server","conversation_id":"c-1",` +
		`"tool_input":"{\"session_token\":\"` + token + `\"}","result_json":"{\"content\":[{\"type\":\"text\",\"text\":\"` + token + `\"}],\"isError\":false}",` +
		`"duration":47.6,"user_email":null,"` + token + `":1}`
	got, err := json.Marshal(Skeleton([]byte(event)))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"conversation_id":"string (3)","duration":"number","hook_event_name":"afterMCPExecution","mcp_server_name":"workflow-server","name (305)":"number",` +
		`"result_json":{"in a string":{"content":[{"text":"string (305)","type":"text"}],"isError":false}},` +
		`"tool_input":{"in a string":{"session_token":"string (305)"}},"tool_name":"string (8)","user_email":"null"}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s := Skeleton([]byte("{")); s != "no JSON (1)" {
		t.Errorf("%v", s)
	}
}

func TestProbe(t *testing.T) {
	p := In(t.TempDir(), "cursor")
	now := time.Now()
	if p.Armed(now) {
		t.Error("armed without Arm")
	}
	if err := p.Arm(); err != nil {
		t.Fatal(err)
	}
	if !p.Armed(now) || p.Armed(now.Add(deadline+time.Minute)) {
		t.Error("not armed, or for ever")
	}
	for range 3 {
		if err := p.Add("inject", []byte(`{"a":1}`), "injected", ""); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := p.Records(); err != nil || len(all) != 3 || all[2].Did != "injected" {
		t.Errorf("%+v %v", all, err)
	}
	if err := os.WriteFile(p.records(), make([]byte, maxKept+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.Add("inject", []byte(`{}`), "", ""); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(p.records()); err != nil || info.Size() != maxKept+1 {
		t.Errorf("it goes on growing: %v", err)
	}
	if err := p.Disarm(); err != nil || p.Armed(now) {
		t.Error("not disarmed", err)
	}
	if _, err := os.Stat(p.Dir); err == nil {
		t.Error("its folder is left")
	}
}

// No part of an event that is longer than a word gets into its skeleton.
func FuzzSkeleton(f *testing.F) {
	f.Add([]byte(`{"tool_name":"a","x":["{\"y\":\"z\"}",1,true,null]}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		text, err := json.Marshal(Skeleton(doc))
		if err != nil {
			t.Fatal(err)
		}
		const secret = "eyJzZWNyZXQiOiJzZWNyZXQiLCJzZWNyZXQiOiJzZWNyZXQifQSECRETSECRETSECRETSECRET"
		with, err := json.Marshal(map[string]any{"tool_name": secret, "k": []any{string(doc), secret}, secret: 1})
		if err != nil {
			t.Fatal(err)
		}
		more, err := json.Marshal(Skeleton(with))
		if err != nil || strings.Contains(string(more), secret) || len(text) > 64<<20 {
			t.Errorf("%v: %s", err, more)
		}
	})
}
