package console

import (
	"context"
	"fmt"
	"slices"
	"time"

	"wsi/doctor"
	"wsi/doctor/report"
	"wsi/internal/tui"
)

// run is the current examination, or the last one. Examinations are numbered, so that what a stopped one sends is ignored.
type run struct {
	number int
	going  bool
	live   bool
	ids    []string          // of the harnesses that it examines, none = all
	now    map[string]string // id of the running check, by harness
	ended  map[string]bool   // the harnesses that it has finished
	stop   func()
	began  time.Time
	took   time.Duration
	before report.Report // what was known when it began
	err    error         // why the last one was not completed
}

// begin examines these harnesses; none named = all.
func (m *model) begin(ids []string, live bool) {
	m.run = run{number: m.run.number + 1, going: true, live: live, ids: ids, now: map[string]string{}, ended: map[string]bool{}, began: m.clock(), before: m.report}
	m.report.Groups = slices.Clone(m.report.Groups)
	number, examine := m.run.number, m.Examine
	m.run.stop = m.Finish(func(ctx context.Context) func() {
		r, err := examine(ctx, ids, live, func(e doctor.Event) {
			if ctx.Err() == nil {
				m.Send(func() { m.saw(number, e) })
			}
		})
		return func() { m.ended(number, r, err) }
	}, func(err error) { m.ended(number, report.Report{}, fmt.Errorf("wsi failed: %w", err)) })
}

// saw records a step of the current examination. During the first one its findings are shown as they come; after that, what
// was known of a harness is shown until all of it was examined again.
func (m *model) saw(number int, e doctor.Event) {
	if !m.run.going || number != m.run.number {
		return
	}
	at := index(m.report.Groups, e.Harness)
	switch {
	case e.Kind == doctor.Began:
		m.run.now[e.Harness] = e.Check
	case e.Kind == doctor.Found && at < 0:
		if !m.examined {
			m.report.Own = append(m.report.Own, e.Finding)
		}
	case e.Kind == doctor.Ended && at >= 0:
		m.report.Groups[at] = e.Group
		m.run.ended[e.Harness] = true
		delete(m.run.now, e.Harness)
	case m.examined || at < 0:
	case e.Kind == doctor.Looked:
		m.report.Groups[at] = e.Group
	case e.Kind == doctor.Found:
		m.report.Groups[at].Findings = append(m.report.Groups[at].Findings, e.Finding)
	}
}

// ended stores the report of the current examination.
func (m *model) ended(number int, r report.Report, err error) {
	if !m.run.going || number != m.run.number || m.Ctx().Err() != nil {
		return
	}
	m.run.going, m.run.took, m.run.err = false, m.clock().Sub(m.run.began), err
	if err != nil {
		m.restore()
		return
	}
	for _, g := range m.report.Groups {
		if index(r.Groups, g.ID) < 0 {
			r.Groups = append(r.Groups, g) // it was not examined again
		}
	}
	place := func(g report.Group) int { return index(m.Harnesses, g.ID) }
	slices.SortStableFunc(r.Groups, func(a, b report.Group) int { return place(a) - place(b) })
	m.report, m.examined = r, true
	if wrong := r.Wrong(); wrong != nil && !m.moved {
		for _, g := range r.Groups {
			if slices.ContainsFunc(g.Findings, func(f report.Finding) bool { return f.ID == wrong[0].ID }) {
				m.cursor = g.ID
			}
		}
	}
}

// index returns where a harness is in a list, -1 if it is not.
func index(all []report.Group, id string) int {
	return slices.IndexFunc(all, func(g report.Group) bool { return g.ID == id })
}

// restore shows the last completed examination again, if there is one.
func (m *model) restore() {
	if m.examined {
		m.report = m.run.before
	}
}

// cancel stops the examination, and shows the one before.
func (m *model) cancel() {
	m.run.stop()
	m.run.going = false
	m.restore()
	m.say(tui.Attention, "stopped; this is the previous result")
}

// again examines all harnesses again or, in the page of one, only that. Before a live examination it asks.
func (m *model) again(live bool) {
	var ids []string
	if here := m.here().ID; m.page == detail && here != "" {
		ids = []string{here}
	}
	switch {
	case m.run.going && m.examined:
		m.say(tui.Attention, "still checking; esc stops that")
	case m.run.going:
		m.say(tui.Attention, "still checking; please wait")
	case live:
		m.question = question{true, m.clock(), ids}
	default:
		m.begin(ids, false)
	}
}

// confirmed begins the live examination that the user was asked about.
func (m *model) confirmed() {
	if m.clock().Sub(m.question.since) >= readingTime {
		ids := m.question.ids
		m.question = question{}
		m.begin(ids, true)
	}
}

// examines reports whether the current examination has not finished a harness.
func (m *model) examines(id string) bool {
	return m.run.going && !m.run.ended[id] && (len(m.run.ids) == 0 || slices.Contains(m.run.ids, id))
}

func (m *model) declined() {
	m.question = question{}
	m.say(tui.Absent, "nothing was started")
}
