package doctor

import (
	"fmt"
	"slices"
	"strings"

	"wsi/doctor/report"
)

// Listed describes a check that a user can select.
type Listed struct {
	ID   string      `json:"id"` // such as "hook.trusted", or "wsi.vault" for wsi itself
	Link report.Link `json:"link,omitempty"`
	Asks string      `json:"asks"`
}

// List returns all checks in the order in which they run, wsi's own first.
func List() []Listed {
	var all []Listed
	for _, c := range ownChecks {
		all = append(all, Listed{ID: string(c.id), Asks: c.asks})
	}
	for _, c := range checks {
		all = append(all, Listed{ID: string(c.id), Link: c.link, Asks: c.asks})
	}
	return all
}

// Known returns an error if an id in Options.Only is neither a check nor one of these harnesses.
func Known(id string, harnessIDs []string) error {
	for _, h := range harnessIDs {
		if rest, ok := strings.CutPrefix(id, h+"."); ok {
			id = rest
		} else if id == h {
			return nil
		}
	}
	if id == "wsi" || slices.ContainsFunc(List(), func(l Listed) bool { return l.ID == id }) {
		return nil
	}
	return fmt.Errorf("unknown check %q", id)
}

// wants reports whether a check is to be reported. harness is "" for a check of wsi itself.
func (o Options) wants(harness string, check report.Check) bool {
	if len(o.Only) == 0 || slices.Contains(o.Only, string(check)) {
		return true
	}
	if harness == "" {
		return slices.Contains(o.Only, "wsi")
	}
	return slices.Contains(o.Only, harness) || slices.Contains(o.Only, check.Of(harness))
}

// needs reports whether a check must run: it is wanted, or one that is wanted may use its result.
func (o Options) needs(harness string, c check) bool {
	if o.wants(harness, c.id) {
		return true
	}
	return !c.late && slices.ContainsFunc(checks, func(other check) bool { return o.wants(harness, other.id) })
}
