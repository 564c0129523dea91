package harnesses

import (
	"slices"
	"strings"
)

// Mode is a way to put wsi between a model and a server.
type Mode string

// The modes.
const (
	ByHooks Mode = "hooks" // hooks inject and capture
	ByJoin  Mode = "join"  // a hook notes the caller, a relay in front of the server does the rest
	ByRelay Mode = "relay" // a relay in front of the server does everything
)

// Modes are all modes, in the order in which they are shown.
var Modes = []Mode{ByHooks, ByJoin, ByRelay}

// ParseWay returns the mode of this name.
func ParseWay(name string) (Mode, bool) {
	i := slices.Index(Modes, Mode(name))
	if i < 0 {
		return "", false
	}
	return Modes[i], true
}

// Choice is a mode in which a harness can be wired, and its measured advantages or disadvantages: a clause that
// follows a colon.
type Choice struct {
	Way Mode
	Why string
}

// Choice returns what is known of a mode; ok is false if the harness cannot be wired in it.
func (h Harness) Choice(way Mode) (c Choice, ok bool) {
	if len(h.Choices) == 0 {
		return Choice{Way: ByHooks}, way == ByHooks
	}
	i := slices.IndexFunc(h.Choices, func(c Choice) bool { return c.Way == way })
	if i < 0 {
		return Choice{}, false
	}
	return h.Choices[i], true
}

// Usual returns the mode that setup uses unless another one is asked for.
func (h Harness) Usual() Mode {
	_, hooks := h.Choice(ByHooks)
	switch {
	case h.First != "":
		return h.First
	case hooks:
		return ByHooks
	}
	return h.Choices[0].Way
}

// RelayFirst reports whether setup wires the harness by a relay unless another mode is asked for. It then needs a
// registered server.
func (h Harness) RelayFirst() bool { return h.Usual() == ByRelay }

// Strongest returns the mode that is recommended most.
func (h Harness) Strongest() Choice {
	if len(h.Choices) == 0 {
		return Choice{Way: ByHooks}
	}
	return h.Choices[0]
}

// WayNames lists the modes in which the harness can be wired.
func (h Harness) WayNames() string {
	var names []string
	for _, way := range Modes {
		if _, ok := h.Choice(way); ok {
			names = append(names, string(way))
		}
	}
	return strings.Join(names, ", ")
}

// RelayOnly reports whether no hook of the harness can carry a value.
func (h Harness) RelayOnly() bool {
	_, hooks := h.Choice(ByHooks)
	return !hooks
}

// CaveatsBy returns what a user must know of the harness when it is wired in a mode, and what the user must do.
func (h Harness) CaveatsBy(way Mode) []string {
	var all []string
	if h.Restart != "" && h.hooked(way) {
		all = append(all, h.Restart)
	}
	return slices.Concat(all, h.AfterwardsBy(way), h.NotesBy(way))
}

// NotesBy returns the caveats about which the user need not do anything.
func (h Harness) NotesBy(way Mode) []string {
	switch {
	case !h.hooked(way):
		return nil
	case way == ByHooks:
		return slices.Concat(h.Caveats, h.HookCaveats)
	}
	return h.Caveats
}

// AfterwardsBy returns what the user must do, or wait for.
func (h Harness) AfterwardsBy(way Mode) []string {
	if h.hooked(way) {
		return h.Afterwards
	}
	return nil
}

// hooked reports whether the caveats apply to a mode. Those of a harness with hooks are about its hooks.
func (h Harness) hooked(way Mode) bool { return way != ByRelay || h.RelayOnly() }

// NoHooks is the [Harness.Wiring] of a harness without hooks that could carry a value.
func NoHooks(env Env, _ Scope, p Program) (Wiring, error) {
	return Wiring{}, p.Check(env.GOOS)
}
