package main

import (
	"testing"
)

// TestOnceFound plays what was once found, cut to a few steps. A seed means what it does here for as
// long as the schedules are made in the same way: who changes that looks for new ones.
func TestOnceFound(t *testing.T) {
	for _, c := range []struct {
		what  string
		seed  uint64
		steps int
		names bool
	}{
		{"a session's own value is adopted, and the one before is typed", 10352, 6, false},
		{"two agents get the same bytes in one second, and one of them goes elsewhere", 10673, 12, false},
		{"a value that stands in the transcript alone is read after the agent has opened a session", 12114, 12, false},
		{"the same, when it has opened one for somebody else", 12756, 10, false},
		{"an older value is typed after a session was opened for somebody else", 10282, 9, false},
		{"of two equal answers the one read last is typed, in a batch that changes something", 1002, 20, false},
		{"a sub-agent's first batch changes something, as the main agent does at the same time", 13637, 10, false},
		{"of a batch from a value that is one of two equal ones, a checkpoint is passed over", 58, 48, false},
		{"a value is typed that stands in the transcript alone, and was not read yet", 247, 96, false},
		{"of two equal values one went on to a checkpoint, and another agent has the other", 360, 36, false},
		{"half of one value and half of another say what a third one does", 497, 51, false},
		{"a refused call carried another thread's value", 104, 8, false},
		{"a refused call carried one of another session", 11459, 5, false},
		{"resume_checkpoint carried one of another session", 12217, 7, false},
		{"a handle is answered a second time", 11268, 12, false},
		{"next_activity with the value from before resume_checkpoint", 11083, 12, false},
		{"start_session with a good value of a child that no hook has seen, of a parent that one has", 217, 11, false},
		{"a session is opened for somebody else after a call whose value nobody knows", 300839, 25, false},
		{"of the answers since the last change an older one is changed from", 400116, 59, false},
		{"what was passed over is gone on from by a second agent", 400649, 58, false},
		{"a handle of elsewhere is answered after a session was opened for somebody else", 500656, 25, false},
		{"an answer is read late whose agent has gone elsewhere since", 400309, 28, false},
		{"a value that was passed over is damaged and refused, and a sub-agent begins", 700164, 69, false},
		{"a sub-agent begins with what its main agent had when it was asked for", 16000869, 80, true},
		{"an agent whose hook was killed when it opened a session goes back", 15001250, 64, true},
		{"a refused call carried a late answer", 15002493, 69, true},
		{"two late answers are the same bytes, and nobody has gone on from the first", 20001557, 68, true},
		{"a damaged value with a stored one's signature is refused, and its agent goes back", 21000642, 71, true},
		{"two agents go back to one value, and one's call is on its way when the other's is answered", 40014175, 66, true},
		{"a result that shows no value has the bytes of another one", 40007633, 92, true},
		{"an agent that was overtaken goes back to what it carried, and is answered out of sight", 70004029, 81, true},
	} {
		t.Run(c.what, func(t *testing.T) {
			j := job{seed: c.seed, schedules: 1, plan: plan{steps: c.steps, kills: c.seed < 40000000, names: c.names}, port: inside{}, workers: 1}
			_, found, err := j.do()
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range found {
				t.Errorf("step %d: %s: %s", v.step, v.class, v.what)
			}
		})
	}
}
