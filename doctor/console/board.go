package console

import (
	"slices"
	"strings"

	"wsi/doctor"
	"wsi/doctor/report"
)

// board holds the latest findings about every harness and about wsi itself. A check that the running examination has
// not reached keeps its finding of the one before, and is marked.
// The first section is that of wsi itself.
type board []section

// section is a harness or, without an id, wsi itself.
type section struct {
	group  report.Group // without findings and chain
	looked bool         // group is known
	ended  bool         // the examination has finished it, or none is running
	now    string       // id of the running check
	found  map[string]entry
}

// entry is the finding of a check, and the number of its examination.
type entry struct {
	report.Finding

	run int
}

func newBoard(harnesses []Harness) board {
	b := board{{found: map[string]entry{}}}
	for _, h := range harnesses {
		b = append(b, section{group: report.Group{ID: h.ID, Name: h.Name}, found: map[string]entry{}})
	}
	return b
}

// begin records that these harnesses are examined; none named = all.
func (b board) begin(ids []string) {
	for i := range b {
		id := b[i].group.ID
		b[i].ended, b[i].now = id != "" && len(ids) > 0 && !slices.Contains(ids, id), ""
	}
}

// tell records a step of an examination.
func (b board) tell(e doctor.Event, run int) {
	s := b.section(e.Harness)
	if s == nil {
		return
	}
	switch e.Kind {
	case doctor.Looked:
		s.look(e.Group)
	case doctor.Began:
		s.now = e.Check
	case doctor.Found:
		s.found[e.Check] = entry{e.Finding, run}
	case doctor.Ended:
		s.look(e.Group)
		s.end(run)
	}
}

// section returns the section of a harness, or that of wsi itself for "". It returns nil for an unknown harness.
func (b board) section(id string) *section {
	i := slices.IndexFunc(b, func(s section) bool { return s.group.ID == id })
	if i < 0 {
		return nil
	}
	return &b[i]
}

func (s *section) look(g report.Group) {
	g.Findings, g.Chain = nil, nil
	s.group, s.looked = g, true
}

// end removes what the examination did not find again.
func (s *section) end(run int) {
	s.ended, s.now = true, ""
	for id, e := range s.found {
		if e.run != run {
			delete(s.found, id)
		}
	}
}

// show sets the board to the content of a report.
func (b board) show(r report.Report, run int) {
	b[0].keep(r.Own, run)
	for _, g := range r.Groups {
		if s := b.section(g.ID); s != nil {
			s.look(g)
			s.keep(g.Findings, run)
		}
	}
}

func (s *section) keep(found []report.Finding, run int) {
	clear(s.found)
	for _, f := range found {
		s.found[f.ID] = entry{f, run}
	}
}

// merge replaces findings of the report before by new ones.
func merge(before, now report.Report) report.Report {
	groups := slices.Clone(before.Groups)
	for _, g := range now.Groups {
		i := slices.IndexFunc(groups, func(old report.Group) bool { return old.ID == g.ID })
		if i < 0 {
			groups = append(groups, g)
		} else {
			groups[i] = g
		}
	}
	now.Groups = groups
	return now
}

// check is a check in a section.
type check struct {
	doctor.Listed

	id    string // whole
	entry entry
	known bool // there is an entry
}

// checks returns the checks of the section in their order, known or not.
func (s section) checks(table []doctor.Listed) []check {
	var all []check
	for _, l := range table {
		own := strings.HasPrefix(l.ID, "wsi.")
		if own != (s.group.ID == "") {
			continue
		}
		c := check{Listed: l, id: l.ID}
		if !own {
			c.id = s.group.ID + "." + l.ID
		}
		c.entry, c.known = s.found[c.id]
		all = append(all, c)
	}
	return all
}

// fresh reports whether a check's entry is of the current examination.
func (s section) fresh(c check, run int) bool { return c.known && (s.ended || c.entry.run == run) }

// findings returns the known findings of the section, in the order of the checks.
func (s section) findings(table []doctor.Listed) (all []report.Finding) {
	for _, c := range s.checks(table) {
		if c.known {
			all = append(all, c.entry.Finding)
		}
	}
	return all
}

// absent reports whether the section has nothing to draw a chain of.
func (s section) absent(table []doctor.Listed) bool {
	bad := func(f report.Finding) bool { return f.Status == report.Fail }
	return s.looked && !s.group.Found && !s.group.Wired && !slices.ContainsFunc(s.findings(table), bad)
}

// counts returns the number of findings of each status.
func (b board) counts(table []doctor.Listed) (n map[report.Status]int, all int) {
	n = map[report.Status]int{}
	for _, s := range b {
		for _, f := range s.findings(table) {
			n[f.Status]++
			all++
		}
	}
	return n, all
}
