package console

import (
	"context"
	"fmt"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"wsi/doctor"
	"wsi/doctor/report"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

// run is the current examination, or the last one. Examinations are numbered, so that messages of a stopped one are
// ignored.
type run struct {
	number int
	going  bool
	live   bool
	stop   context.CancelFunc
	open   int // examinations that have not ended, stopped ones too
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
func (m model) begin(ids []string, live bool) (model, tea.Cmd) {
	ctx, stop := context.WithCancel(m.ctx)
	m.run.number++
	m.run.open++
	m.run.going, m.run.live, m.run.stop, m.run.began, m.run.err = true, live, stop, m.clock(), nil
	m.board.begin(ids)
	number, send, examine, work := m.run.number, m.send, m.Examine, m.work
	work.Add(1)
	go func() {
		defer work.Done()
		defer stop()
		end := endedMsg{run: number}
		defer func() { // a panic must neither hang the screen nor break the terminal
			if v := recover(); v != nil {
				end.err = fmt.Errorf("wsi failed: %v", v)
			}
			send(end)
		}()
		end.report, end.err = examine(ctx, ids, live, func(e doctor.Event) {
			if ctx.Err() == nil {
				send(eventMsg{number, e})
			}
		})
	}()
	return m, m.spinner.Tick
}

// ended stores the report of the current examination.
func (m model) ended(msg endedMsg) (model, tea.Cmd) {
	m.run.open--
	if m.stopping || m.ctx.Err() != nil { // a signal may arrive after the end that it caused
		if m.run.open == 0 {
			return m, tea.Quit
		}
		return m, nil
	}
	if !m.run.going || msg.run != m.run.number {
		return m, nil
	}
	m.run.going, m.run.took = false, m.clock().Sub(m.run.began)
	if msg.err != nil {
		m.run.err = msg.err
		m.restore()
		return m.say(tui.Broken, m.Show(phrase.OneLine(msg.err.Error()))), nil
	}
	if m.run.before {
		msg.report = merge(m.run.report, msg.report)
	}
	m.run.report, m.run.before = msg.report, true
	m.board.show(m.run.report, m.run.number)
	return m, nil
}

// cancel stops the examination and shows the one before.
func (m model) cancel() model {
	m.run.stop()
	m.run.going = false
	m.restore()
	return m.say(tui.Attention, "stopped; this is the examination before")
}

func (m model) restore() {
	if m.run.before {
		m.board.show(m.run.report, m.run.number)
		return
	}
	m.board.own.ended = true
	for i := range m.board.units {
		m.board.units[i].ended, m.board.units[i].now = true, ""
	}
}

// ask asks whether these harnesses may be started; none named = all.
func (m model) ask(ids []string) model {
	m.confirm = confirm{true, m.clock(), ids}
	return m
}

func (m model) pressConfirm(k tea.KeyPressMsg) (model, tea.Cmd) {
	if key.Matches(k, m.keys.yes) {
		if m.clock().Sub(m.confirm.since) < readingTime {
			return m, nil
		}
		ids := m.confirm.ids
		m.confirm = confirm{}
		return m.begin(ids, true)
	}
	m.confirm = confirm{}
	return m.say(tui.Absent, "nothing was started"), nil
}

// question returns the question before a live examination.
func (m model) question() string {
	whose := "the harnesses' own programs, each"
	if len(m.confirm.ids) == 1 {
		whose = "the program of " + m.board.section(m.confirm.ids[0]).group.Name
	}
	return "This starts " + whose + " in a home of its own and with a model on this machine, and the MCP server " +
		"as you have configured it. A harness takes up to a minute. Start?"
}

// elapsed returns how long the examination has taken, or took.
func (m model) elapsed() string {
	switch {
	case m.run.going:
		return fmt.Sprintf("%.1f s", m.clock().Sub(m.run.began).Seconds())
	case m.run.err != nil:
		return "failed"
	}
	return fmt.Sprintf("%4.1f s, done", m.run.took.Seconds())
}
