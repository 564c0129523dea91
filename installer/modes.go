package installer

import (
	"errors"

	"wsi/harnesses"
)

// Modes tells in which ways setup could wire a harness as its files are now, the one that the facts
// recommend most first, and which of them it would take with these options. Nothing is written.
// taken is "" if it would take none, because the one that is asked for is not for this harness.
func Modes(o Options, h harnesses.Harness) (open []harnesses.Choice, taken harnesses.Mode) {
	now := holds(o.Env, h, o.Scope)
	taken, _ = o.way(h, now) // why not is in the review
	l, err := readLedger(o.FS, o.StateDir)
	if err != nil {
		return nil, taken
	}
	o.Program = Status{Programs: now.programs(), Servers: now.servers()}.program(o)
	// A join and a relay are the same in front of the server. To plan both would be to take a file of megabytes
	// apart twice, for one answer.
	var can, known bool // whether it can be put there
	for _, c := range h.Choices {
		front := c.Way != harnesses.ByHooks
		if front && known {
			if can { // and where a hook can be put in, hooks can be taken out
				open = append(open, c)
			}
			continue
		}
		o.Modes = map[string]harnesses.Mode{h.ID: c.Way}
		w := &workspace{o: o, ledger: l, ways: map[string]harnesses.Mode{}}
		err := w.wire(h)
		if none := (noServer{}); front && (err == nil || errors.As(err, &none)) {
			can, known = err == nil, true
		}
		if err == nil {
			open = append(open, c)
		}
	}
	return open, taken
}
