package console

import (
	"context"
	"fmt"
	"time"

	"wsi/doctor"
	"wsi/doctor/report"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

// run is the current examination, or the last one. Examinations are numbered, so that what a stopped one sends is ignored.
type run struct {
	number int
	going  bool
	live   bool
	stop   func()
	began  time.Time
	took   time.Duration

	before bool          // an examination of everything was completed
	report report.Report // of the last completed ones
	err    error         // why the last one was not
}

// confirm asks whether harnesses may be started.
type confirm struct {
	asked bool
	since time.Time
	ids   []string
}

// readingTime is how long a question must be shown before a key can answer it.
const readingTime = 300 * time.Millisecond

// begin examines these harnesses; none named = all.
func (m *model) begin(ids []string, live bool) {
	m.run.number++
	m.run.going, m.run.live, m.run.began, m.run.err = true, live, m.clock(), nil
	m.board.begin(ids)
	number, examine := m.run.number, m.Examine
	m.run.stop = m.Finish(func(ctx context.Context) func() {
		r, err := examine(ctx, ids, live, func(e doctor.Event) {
			if ctx.Err() == nil {
				m.Send(func() { m.told(number, e) })
			}
		})
		return func() { m.ended(number, r, err) }
	}, func(err error) { m.ended(number, report.Report{}, fmt.Errorf("wsi failed: %w", err)) })
}

func (m *model) told(number int, e doctor.Event) {
	if m.run.going && number == m.run.number {
		m.board.tell(e, number)
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
		m.say(tui.Broken, m.Show(phrase.OneLine(err.Error())))
		return
	}
	if m.run.before {
		r = merge(m.run.report, r)
	}
	first := !m.run.before
	m.run.report, m.run.before = r, true
	m.restore()
	if first && m.list.cursor.section == "" && m.list.cursor.heading { // the user has not moved it
		m.move(toBroken)
	}
}

// cancel stops the examination and shows the one before.
func (m *model) cancel() {
	m.run.stop()
	m.run.going = false
	m.restore()
	m.say(tui.Attention, "stopped; this is the previous result")
}

// restore shows the last completed examination.
func (m *model) restore() {
	if m.run.before {
		m.board.show(m.run.report, m.run.number)
	}
	for i := range m.board {
		m.board[i].ended, m.board[i].now = true, ""
	}
}

// again examines all harnesses or the one under the cursor again. Before a live examination it asks.
func (m *model) again(one, live bool) {
	var ids []string
	if here := m.list.cursor.section; one {
		ids = []string{here}
	}
	switch {
	case m.run.going && m.run.before:
		m.say(tui.Attention, "still checking; esc stops that")
	case m.run.going:
		m.say(tui.Attention, "still checking; please wait")
	case one && ids[0] == "":
		m.say(tui.Attention, "choose a harness with the cursor first")
	case live:
		m.confirm = confirm{true, m.clock(), ids}
	default:
		m.begin(ids, false)
	}
}

// confirmed begins the live examination that the user was asked about.
func (m *model) confirmed() {
	if m.clock().Sub(m.confirm.since) >= readingTime {
		m.begin(m.confirm.ids, true)
		m.confirm = confirm{}
	}
}

func (m *model) question() string {
	whose := "the harnesses' own programs, each"
	if len(m.confirm.ids) == 1 {
		whose = "the program of " + m.board.section(m.confirm.ids[0]).group.Name
	}
	return "This starts " + whose + " in a home of its own and with a model on this machine, and the MCP server " +
		"as you have configured it. A harness takes up to a minute. Start?"
}

func (m *model) elapsed() string {
	switch {
	case m.run.going:
		return fmt.Sprintf("%.1f s", m.clock().Sub(m.run.began).Seconds())
	case m.run.err != nil:
		return "failed"
	}
	return fmt.Sprintf("%4.1f s, done", m.run.took.Seconds())
}
