package main

import (
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
