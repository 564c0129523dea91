package harnesses

import (
	"slices"
	"strings"
)

// Mode is one of the ways in which wsi gets between a model and a server.
type Mode string

// The ways.
const (
	ByHooks Mode = "hooks" // hooks inject and capture
	ByJoin  Mode = "join"  // a hook notes who calls, wsi in front of the server does the rest
	ByRelay Mode = "relay" // wsi in front of the server does it all
)

// Modes are all of them, in the order in which they are shown.
var Modes = []Mode{ByHooks, ByJoin, ByRelay}

// ParseWay returns the way of this name.
func ParseWay(name string) (Mode, bool) {
	i := slices.Index(Modes, Mode(name))
	if i < 0 {
		return "", false
	}
	return Modes[i], true
}

// Choice is a way that a harness can be wired, and what speaks for or against it, as measured: a
// clause that follows a colon.
type Choice struct {
	Way Mode
	Why string
}

// Choice returns what is known of a way to wire the harness; ok is false if it cannot be wired so.
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

// Usual is the way that setup takes unless another one is asked for.
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

// RelayFirst tells whether setup has something to do with the harness only where it has a server to
// stand in front of.
func (h Harness) RelayFirst() bool { return h.Usual() == ByRelay }

// Strongest is the way that the facts recommend most.
func (h Harness) Strongest() Choice {
	if len(h.Choices) == 0 {
		return Choice{Way: ByHooks}
	}
	return h.Choices[0]
}

// WayNames lists the ways in which the harness can be wired.
func (h Harness) WayNames() string {
	var names []string
	for _, way := range Modes {
		if _, ok := h.Choice(way); ok {
			names = append(names, string(way))
		}
	}
	return strings.Join(names, ", ")
}

// RelayOnly tells whether no hook of the harness can carry a value.
func (h Harness) RelayOnly() bool {
	_, hooks := h.Choice(ByHooks)
	return !hooks
}

// CaveatsBy returns what must be known of the harness when it is wired in a way, what is to be done included: all
// that wsi knows of a harness with hooks is about them.
func (h Harness) CaveatsBy(way Mode) []string {
	var all []string
	if h.Restart != "" && h.hooked(way) {
		all = append(all, h.Restart)
	}
	return slices.Concat(all, h.AfterwardsBy(way), h.NotesBy(way))
}

// NotesBy returns that of it about which nothing needs to be done.
func (h Harness) NotesBy(way Mode) []string {
	switch {
	case !h.hooked(way):
		return nil
	case way == ByHooks:
		return slices.Concat(h.Caveats, h.HookCaveats)
	}
	return h.Caveats
}

// AfterwardsBy returns what a user must do, or wait for.
func (h Harness) AfterwardsBy(way Mode) []string {
	if h.hooked(way) {
		return h.Afterwards
	}
	return nil
}

// hooked tells whether what is known of the harness is true of this way.
func (h Harness) hooked(way Mode) bool { return way != ByRelay || h.RelayOnly() }

// NoHooks is the Wiring of a harness that has no hooks which could carry a value.
func NoHooks(env Env, _ Scope, p Program) (Wiring, error) {
	return Wiring{}, p.Check(env.GOOS)
}
