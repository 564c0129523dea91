package relay

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The journal has how long a call waited in the relay: for an earlier one, and for the server to start again.
func TestJournalOfWaits(t *testing.T) {
	w := newWorld(t)
	c := w.connect()
	c.greet()
	c.do("start_session", ``, ``)
	first := c.call("next_activity", `"label":"wait:go"`, ``)
	w.until("the call arrived", func() bool { return strings.Contains(w.arrived(), "wait:go") })
	second := c.call("get_activity", ``, ``)
	c.answer(c.request("ping", `{}`))
	w.let("go")
	c.answer(first)
	c.answer(second)
	c.die()
	c.do("get_skills", ``, ``)
	c.close()
	for _, e := range w.journal() {
		waits := e.Verb == "inject" && (e.Tool == "get_activity" || e.Tool == "get_skills")
		if e.Tool != "" && (waits != (e.Waited > 0) || e.Micros < e.Waited) {
			t.Errorf("%+v", e)
		}
	}
}

// The journal says what became of a call: a value was put into it only if the server got it.
func TestJournalOfWhatBecameOfACall(t *testing.T) {
	w := newWorld(t)
	c := w.connect()
	c.greet()
	c.do("start_session", ``, ``)
	c.do("get_activity", ``, ``)
	c.do("get_activity", `"label":"error"`, ``)
	held := c.call("get_activity", `"label":"wait:go"`, ``)
	w.until("the call arrived", func() bool { return strings.Contains(w.arrived(), "wait:go") })
	ghost := c.call("next_activity", ``, ``)
	c.send(fmt.Sprintf(notice, ghost))
	c.answer(c.request("ping", `{}`))
	w.let("go")
	c.answer(held)
	open := c.call("yield_checkpoint", `"label":"never"`, ``)
	w.until("the call arrived", func() bool { return strings.Contains(w.arrived(), "never") })
	w.let("dies-greeted")
	c.die()
	c.answer(open)
	c.do("get_skills", ``, ``)
	c.close()
	var got []string
	for _, e := range w.journal() {
		if e.Tool != "" {
			got = append(got, strings.TrimSuffix(e.Verb+" "+e.Tool+" "+e.Did+": "+e.Why, ": "))
		}
	}
	slices.Sort(got)
	want := []string{
		"capture get_activity captured", "capture get_activity captured",
		"capture get_activity unanswered: the server answered with an error",
		"capture start_session captured",
		"capture yield_checkpoint unanswered: the server ended before it answered",
		"inject get_activity injected", "inject get_activity injected", "inject get_activity injected",
		"inject get_skills denied: its server does not run",
		"inject next_activity unsent: the harness cancelled it before it was made",
		"inject start_session left: the tool takes no value",
		"inject yield_checkpoint injected",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the journal has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
