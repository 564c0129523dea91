package setup

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

// ParseMode returns the mode of this name.
func ParseMode(name string) (Mode, bool) { return Mode(name), slices.Contains(Modes, Mode(name)) }

// Choice is a mode in which a harness can be wired, and its measured advantages or disadvantages: a clause that follows a colon.
type Choice struct {
	Mode Mode
	Why  string
}

// modes returns [Harness.Choices], or what no choice means.
func (h Harness) modes() []Choice {
	if len(h.Choices) == 0 {
		return []Choice{{Mode: ByHooks}}
	}
	return h.Choices
}

// Choice returns what is known of a mode; ok is false if the harness cannot be wired in it.
func (h Harness) Choice(mode Mode) (c Choice, ok bool) {
	for _, c := range h.modes() {
		if c.Mode == mode {
			return c, true
		}
	}
	return Choice{}, false
}

// Usual returns the mode that setup uses unless another one is asked for.
func (h Harness) Usual() Mode {
	if h.RelayOnly() {
		return h.Choices[0].Mode
	}
	return ByHooks
}

// Strongest returns the mode that is recommended most.
func (h Harness) Strongest() Choice { return h.modes()[0] }

// ModeNames lists the modes in which the harness can be wired.
func (h Harness) ModeNames() string {
	var names []string
	for _, mode := range Modes {
		if _, ok := h.Choice(mode); ok {
			names = append(names, string(mode))
		}
	}
	return strings.Join(names, " or ")
}

// RelayOnly reports whether no hook of the harness can carry a value.
func (h Harness) RelayOnly() bool {
	_, hooks := h.Choice(ByHooks)
	return !hooks
}

// CaveatsBy returns what a user must know of the harness when it is wired in a mode, and what the user must do.
func (h Harness) CaveatsBy(mode Mode) []string {
	var all []string
	if h.Texts.Restart != "" && h.hooked(mode) {
		all = append(all, h.Texts.Restart)
	}
	return slices.Concat(all, h.AfterwardsBy(mode), h.NotesBy(mode))
}

// NotesBy returns the caveats about which the user need not do anything.
func (h Harness) NotesBy(mode Mode) []string {
	switch {
	case !h.hooked(mode):
		return nil
	case mode == ByHooks:
		return slices.Concat(h.Texts.Caveats, h.Texts.HookCaveats, h.Texts.OfVersions)
	}
	return h.Texts.Caveats
}

// AfterwardsBy returns what the user must do, or wait for.
func (h Harness) AfterwardsBy(mode Mode) []string {
	if h.hooked(mode) {
		return h.Texts.Afterwards
	}
	return nil
}

// hooked reports whether the caveats apply to a mode. Those of a harness with hooks are about its hooks.
func (h Harness) hooked(mode Mode) bool { return mode != ByRelay || h.RelayOnly() }

// NoHooks is the [Harness.Wiring] of a harness without hooks that could carry a value.
func NoHooks(env Env, _ Scope, p Program) (Wiring, error) {
	return Wiring{}, p.Check(env.GOOS)
}

// OlderHooks is like [Older], for the hook files of a harness with this id.
func OlderHooks(id string, reads func(Env, Scope) []HookFile) func(Env, Scope, Program) (Wiring, error) {
	return Older(func(env Env, scope Scope) Wiring {
		files := reads(env, scope)
		for i := range files {
			files[i].Harness = id
		}
		return Wiring{Hooks: files}
	})
}

// Older returns the [Harness.Wiring] of a harness for which only an older wsi registered hooks. The files have no entries: what
// is wsi's in them is removed.
func Older(files func(Env, Scope) Wiring) func(Env, Scope, Program) (Wiring, error) {
	return func(env Env, scope Scope, p Program) (Wiring, error) { return files(env, scope), p.Check(env.GOOS) }
}
