package fakeserver

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The schemas equal the recorded ones (wire 02), except for descriptions.
func TestWorkflowSchemas(t *testing.T) {
	raw, err := os.ReadFile("testdata/schemas.json")
	if err != nil {
		t.Fatal(err)
	}
	want, got := map[string]any{}, map[string]any{}
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	for _, tool := range (&Workflow{}).Tools() {
		var schema any
		if err := json.Unmarshal(tool.Schema, &schema); err != nil {
			t.Fatal(tool.Name, err)
		}
		got[tool.Name] = dropDescriptions(schema)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func dropDescriptions(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	if _, words := m["description"].(string); words {
		delete(m, "description")
	}
	for k := range m {
		m[k] = dropDescriptions(m[k])
	}
	return m
}
