package doctor

import (
	"slices"
	"strings"
)

// Fixable tells whether setup mends what was found: then its plan and its review are the way.
func (f Finding) Fixable() bool {
	return (f.Status == Warn || f.Status == Fail) && strings.HasPrefix(f.Fix, setupCommand)
}

// setupCommand begins every fix that is a call of setup's.
const setupCommand = "wsi setup"

// Fixable returns the ids of the harnesses that setup would mend.
func (r Report) Fixable() []string {
	var ids []string
	for _, g := range r.Groups {
		if slices.ContainsFunc(g.Findings, Finding.Fixable) {
			ids = append(ids, g.ID)
		}
	}
	return ids
}
