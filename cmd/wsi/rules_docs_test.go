package main

import (
	"testing"

	"wsi/hook/rules"
)

// Every example of docs/rules.md is a rule file without an error, and all of it has an effect.
func TestRulesMdExamples(t *testing.T) {
	for _, block := range blocks(t, docs(t, "rules.md"), "toml") {
		set, errs := rules.Parse("rules.md", []byte(block))
		if len(errs) > 0 {
			t.Errorf("%v in\n%s", errs, block)
		}
		if notes := ineffective(set); len(notes) > 0 {
			t.Errorf("%q about\n%s", notes, block)
		}
	}
}
