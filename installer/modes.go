package installer

import (
	"errors"

	"wsi/harnesses/setup"
	"wsi/installer/ledger"
)

// Modes returns the modes in which setup could wire a harness with its current files, the most reliable
// first, and the one that it would take with these options. Nothing is written.
// taken is "" if the harness does not have the mode that the options ask for.
func Modes(o Options, h setup.Harness) (open []setup.Choice, taken setup.Mode) {
	now, _ := o.registered(h)
	taken, _ = o.mode(h, now) // the review says why not
	l, err := ledger.Read(o.FS.ReadFile, o.StateDir)
	if err != nil {
		return nil, taken
	}
	o.Program = Status{Programs: now.Programs(), Servers: now.Servers()}.program(o)
	// Join and relay wrap the server in the same way, so one plan is enough for both. The file may be large.
	var can, known bool // whether the server can be wrapped
	for _, c := range h.Choices {
		relay := c.Mode != setup.ByHooks
		if relay && known {
			if can { // where hooks can be added, they can be removed
				open = append(open, c)
			}
			continue
		}
		o.Modes = map[string]setup.Mode{h.ID: c.Mode}
		w := &workspace{o: o, ledger: l, modes: map[string]setup.Mode{}}
		err := w.wire(h)
		if none := (noServer{}); relay && (err == nil || errors.As(err, &none)) {
			can, known = err == nil, true
		}
		if err == nil {
			open = append(open, c)
		}
	}
	return open, taken
}
