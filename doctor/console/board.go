package console

import (
	"slices"
	"strings"

	"wsi/doctor"
	"wsi/doctor/report"
)

// board holds the latest findings about every harness and about wsi itself, whose section is the first. A check that the
// running examination has not reached keeps its finding of the one before, and is marked.
type board []section

// section is a harness or, without an id, wsi itself.
type section struct {
	group  report.Group // without findings and chain
	looked bool         // group is known
	ended  bool         // the examination has finished it, or none is running
	now    string       // id of the running check
	checks []check      // in their order
}

type check struct {
	report.Finding

	listed doctor.Listed
	id     string // whole
	known  bool   // there is a finding
	run    int    // number of its examination
}

func newBoard(harnesses []Harness, table []doctor.Listed) board {
	b := board{{}}
	for _, h := range harnesses {
		b = append(b, section{group: report.Group{ID: h.ID, Name: h.Name}})
	}
	for _, l := range table {
		for i := range b {
			s, id := &b[i], l.ID
			if s.group.ID != "" {
				id = s.group.ID + "." + id
			}
			if own := strings.HasPrefix(l.ID, "wsi."); own == (s.group.ID == "") {
				s.checks = append(s.checks, check{listed: l, id: id})
			}
		}
	}
	return b
}

// section returns the section of a harness, or that of wsi itself for "". It returns nil for an unknown harness.
func (b board) section(id string) *section {
	i := slices.IndexFunc(b, func(s section) bool { return s.group.ID == id })
	if i < 0 {
		return nil
	}
	return &b[i]
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
		s.found(e.Check, e.Finding, run)
	case doctor.Ended:
		s.look(e.Group)
		s.ended, s.now = true, ""
		for i := range s.checks { // what was not found again is gone
			s.checks[i].known = s.checks[i].known && s.checks[i].run == run
		}
	}
}

func (s *section) look(g report.Group) {
	g.Findings, g.Chain = nil, nil
	s.group, s.looked = g, true
}

func (s *section) found(id string, f report.Finding, run int) {
	if i := slices.IndexFunc(s.checks, func(c check) bool { return c.id == id }); i >= 0 {
		s.checks[i].Finding, s.checks[i].known, s.checks[i].run = f, true, run
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

// keep sets the findings of a section.
func (s *section) keep(all []report.Finding, run int) {
	for i := range s.checks {
		s.checks[i].known = false
	}
	for _, f := range all {
		s.found(f.ID, f, run)
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

// fresh reports whether a check's finding is of the current examination.
func (s section) fresh(c check, run int) bool { return c.known && (s.ended || c.run == run) }

// absent reports whether the section has nothing to draw a chain of.
func (s section) absent() bool {
	return s.looked && !s.group.Found && !s.group.Wired && board{s}.counts()[report.Fail] == 0
}

// counts returns the number of findings of each status.
func (b board) counts() map[report.Status]int {
	n := map[report.Status]int{}
	for _, s := range b {
		for _, c := range s.checks {
			if c.known {
				n[c.Status]++
			}
		}
	}
	return n
}

func sum(counts map[report.Status]int) (all int) {
	for _, n := range counts {
		all += n
	}
	return all
}
