package live

import (
	"slices"

	"wsi/doctor/ruletest"
	"wsi/internal/refserver/scripted"
)

// proofOfKind is what the harness is made to do with a server of another kind: the calls of each session of the
// cases in a session of its own.
func proofOfKind(cases []ruletest.Case) Proof {
	p := Proof{Flags: []string{"--kind", scripted.Kind}, Scripts: Scripts{}, Cases: cases}
	steps, sessions := ruletest.Sessions(cases)
	for _, session := range sessions {
		name := "session" + session
		for _, step := range steps {
			if step.Session == session {
				p.Scripts[name] = append(p.Scripts[name], Turn{{Tool: step.Tool, Args: string(step.Typed), Bare: true}})
			}
		}
		p.Runs = append(p.Runs, name)
	}
	return p
}

func (p Proof) prepare(r *Rig) error {
	if len(p.Cases) == 0 {
		return nil
	}
	tools, answers := ruletest.Server(p.Cases)
	return scripted.Write(r.Server, tools, answers)
}

// judgeKind compares what such a server saw with the cases.
func (p Proof) judgeKind(dir string) (Outcome, error) {
	arrived, err := scripted.Arrived(dir)
	if err != nil {
		return Outcome{}, err
	}
	steps, sessions := ruletest.Sessions(p.Cases)
	right, needed, wrong := ruletest.Judge(p.Cases, arrived)
	steps = slices.DeleteFunc(steps, func(step ruletest.Step) bool { return step.Refused })
	o := Outcome{Calls: len(arrived), Expected: len(steps), Sessions: len(sessions), Right: right, Needed: needed}
	if wrong != "" {
		o.Wrong = []string{wrong}
	}
	return o, nil
}
