package installer

import "wsi/harnesses"

// Ways tells in which ways setup could wire a harness as its files are now, the one that the facts
// recommend most first, and which of them it would take with these options. Nothing is written.
// taken is "" if it would take none, because the one that is asked for is not for this harness.
func Ways(o Options, h harnesses.Harness) (open []harnesses.Choice, taken harnesses.Way) {
	now := holds(o.Env, h, o.Scope)
	taken, _ = o.way(h, now) // why not is in the review
	l, err := readLedger(o.FS, o.StateDir)
	if err != nil {
		return nil, taken
	}
	o.Program = Standing{Programs: now.programs(), Servers: now.servers()}.program(o)
	for _, c := range h.Choices {
		o.Ways = map[string]harnesses.Way{h.ID: c.Way}
		w := &workspace{o: o, ledger: l, ways: map[string]harnesses.Way{}}
		if w.wire(h) == nil {
			open = append(open, c)
		}
	}
	return open, taken
}
