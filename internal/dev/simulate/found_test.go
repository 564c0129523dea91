package main

import (
	"testing"
)

// TestOnceFound plays the schedules that once found a violation, cut to a few steps. A seed depends on the order of
// the random draws: a change to that order needs new seeds.
func TestOnceFound(t *testing.T) {
	for _, c := range []struct {
		what  string
		seed  uint64
		steps int
		names bool
	}{
		{"a session's own value is adopted, and the one before is typed", 10352, 6, false},
		{"two agents get equal values in one second, and one of them changes its thread", 10673, 12, false},
		{"a value that is only in the transcript is read after the agent has opened a session", 12114, 12, false},
		{"the same after it has opened one for another agent", 12756, 10, false},
		{"an older value is typed after a session was opened for another agent", 10282, 9, false},
		{"the last one of two equal results is typed, in a batch that changes something", 1002, 20, false},
		{"a sub-agent's first batch changes something, as the main agent does at the same time", 13637, 10, false},
		{"a batch continues one of two equal values, and a checkpoint is superseded", 58, 48, false},
		{"a value that is only in the transcript is typed before the hook reads it", 247, 96, false},
		{"one of two equal values leads to a checkpoint, and another agent has the other", 360, 36, false},
		{"half of one value and half of another have the payload of a third one", 497, 51, false},
		{"a refused call has another thread's value", 104, 8, false},
		{"a refused call has another session's value", 11459, 5, false},
		{"resume_checkpoint has another session's value", 12217, 7, false},
		{"a handle is answered a second time", 11268, 12, false},
		{"next_activity with the value from before resume_checkpoint", 11083, 12, false},
		{"start_session with a good value of an unknown child of a known parent", 217, 11, false},
		{"a session is opened for another agent after a call with an unknown value", 300839, 25, false},
		{"an older one of the results since the last change is changed", 400116, 59, false},
		{"a second agent continues a superseded value", 400649, 58, false},
		{"a handle of another session is answered after a session was opened for another agent", 500656, 25, false},
		{"a result is read late, after its agent has changed its thread", 400309, 28, false},
		{"a superseded value is damaged and refused, and a sub-agent begins", 700164, 69, false},
		{"a sub-agent begins with the value that its main agent had when it started it", 16000869, 80, true},
		{"an agent whose hook was killed when it opened a session goes back", 15001250, 64, true},
		{"a refused call has the value of a late result", 15002493, 69, true},
		{"two late results are equal, and the first was not continued", 20001557, 68, true},
		{"a damaged value with a stored one's signature is refused, and its agent goes back", 21000642, 71, true},
		{"two agents go back to one value, and their calls overlap", 40014175, 66, true},
		{"a result without a visible value equals another one", 40007633, 92, true},
		{"an overtaken agent goes back to its last value, and no event has the result", 70004029, 81, true},
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
