package main

import (
	"testing"

	"wsi/doctor/report"
	"wsi/internal/phrase"
)

// The doctor's screen runs setup as its findings say in types, whatever their sentences are.
func TestRepairNeedsNoSentence(t *testing.T) {
	fails := func(run report.Setup) report.Finding {
		return report.Finding{ID: "codex.hook.trusted", Status: report.Fail, Text: "some words", Fix: phrase.Fix{Text: "other words"}, Setup: run}
	}
	here := report.Setup{Repairs: true, Project: true}
	for _, c := range []struct {
		name     string
		findings []report.Finding
		scope    string
		trust    bool
	}{
		{"project", []report.Finding{fails(here)}, "project", false},
		{"trust", []report.Finding{fails(report.Setup{Repairs: true, Trust: true})}, "user", true},
		{"both scopes", []report.Finding{fails(here), fails(report.Setup{Repairs: true})}, "user", false},
		{"a sentence only", []report.Finding{{Status: report.Fail, Fix: phrase.Fix{Command: "wsi setup --harness codex --scope project --trust-codex-hooks"}}}, "user", false},
	} {
		r := report.Report{Groups: []report.Group{{ID: "codex", Findings: c.findings}}}
		s := doctorFlags{}.setup(r, "codex")
		if s.scope != c.scope || s.trust != c.trust {
			t.Errorf("%s: scope %q, trust %t", c.name, s.scope, s.trust)
		}
		if repairs := len(r.Fixable()) > 0; repairs != c.findings[0].Setup.Repairs {
			t.Errorf("%s: fixable %t", c.name, repairs)
		}
	}
}
