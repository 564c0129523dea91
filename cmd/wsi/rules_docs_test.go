package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wsi/hook/rules"
)

// Every example of docs/rules.md is a rule file without an error.
func TestRulesMdExamples(t *testing.T) {
	for _, block := range blocks(t, docs(t, "rules.md"), "toml") {
		if _, errs := rules.Parse("rules.md", []byte(block)); len(errs) > 0 {
			t.Errorf("%v in\n%s", errs, block)
		}
	}
}

// The example of `wsi rules try` in docs/rules.md is what it prints of what three real harnesses recorded, with a right
// rule and a wrong one.
func TestRulesMdTried(t *testing.T) {
	w := newWorld(t, nil, nil)
	learnt := filepath.Join(t.TempDir(), "learnt.toml")
	recordings := filepath.Join("..", "..", "hook", "recorded", "testdata")
	proposed, exit := w.run("rules", "learn", recordings)
	if exit != 0 {
		t.Fatal(proposed)
	}
	wrong := `
[[carry]]
name = "shop: order as basket"
servers = ["shop"]
shape = '^[0-9]{19}$'
secret = false
scope = "session"
[carry.capture]
tools = ["create_order"]
from = ["structured:order_id", "json:order_id"]
key = ["self"]
[[carry.inject]]
tools = ["get_basket"]
argument = "basket_id"
choose = "alone"
`
	if err := os.WriteFile(learnt, []byte(proposed+wrong), 0o600); err != nil {
		t.Fatal(err)
	}
	out, exit := w.run("rules", "try", learnt, recordings)
	example, _, _ := strings.Cut(out, "not read:")
	if exit != 0 || !strings.Contains(docs(t, "rules.md"), "\n"+example+"```\n") {
		t.Errorf("exit status %d: docs/rules.md does not have\n%s", exit, out)
	}
}
