package report

import (
	"encoding/json"
	"io"

	"wsi/internal/phrase"
)

const schemaVersion = 1

// Document is the JSON of a report, described in docs/doctor.schema.json.
type Document struct {
	Schema  int            `json:"schema_version"`
	Healthy bool           `json:"healthy"`
	Counts  map[Status]int `json:"counts"`
	Report
}

// JSON writes a report as JSON. Ids and names of members are stable.
func (r Report) JSON(w io.Writer, s Style) error {
	out := Document{schemaVersion, r.Healthy(), map[Status]int{OK: 0, Info: 0, Skip: 0, Warn: 0, Fail: 0}, r.shown(s)}
	for status, n := range r.Counts() {
		out.Counts[status] = n
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// shown returns the report with the home folder as ~.
func (r Report) shown(s Style) Report {
	short := func(found []Finding) []Finding {
		out := make([]Finding, len(found))
		for i, f := range found {
			f.Text, f.Fix = phrase.Shorten(f.Text, s.Home, s.Sep), phrase.Shorten(f.Fix, s.Home, s.Sep)
			out[i] = f
		}
		return out
	}
	r.Own = short(r.Own)
	groups := make([]Group, len(r.Groups))
	for i, g := range r.Groups {
		g.Findings = short(g.Findings)
		g.Notes = append([]string{}, g.Notes...)
		g.Chain = append([]Joint{}, g.Chain...)
		groups[i] = g
	}
	r.Groups = groups
	return r
}
