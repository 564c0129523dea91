package doctor

import (
	"slices"
	"strings"

	"wsi/doctor/rehearse"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/installer/inspect"
	"wsi/internal/lists"
)

// hookOnce expects one hook of wsi per event, over all files and in setup's form. Setup neither updates nor removes
// another form.
func hookOnce(p *target) outcome {
	for _, h := range slices.Concat(p.others, slices.DeleteFunc(slices.Clone(p.borrowed), p.idles)) {
		said, setups := setup.ParseCommand(h.Command)
		if _, known := registry.Get(said.Harness); setups && !known {
			return attention("remove it from "+h.File.Path, "the command for %s in %s names a harness that wsi does not know: %s", h.Event, h.File.Path, said.Harness)
		}
		if !setups && !h.Damaged && inspect.IsWsi(inspect.ProgramOf(h.Command)) {
			fix := "remove it from " + h.File.Path
			if len(p.hooks) == 0 {
				fix += ", then " + p.setup()
			}
			return attention(fix, "wsi is registered by hand in %s, in a form that setup does not write: %s under %s",
				h.File.Path, inspect.ProgramOf(h.Command), h.Event)
		}
	}
	served := slices.DeleteFunc(slices.Concat(p.hooks, p.borrowed), func(h rehearse.Hook) bool { return !h.Mine || !p.serves(h) })
	if len(served) == 0 {
		return skipped("no hook of wsi is registered for %s", p.server)
	}
	twice := slices.DeleteFunc(slices.Clone(served), func(h rehearse.Hook) bool { return alone(h, served) })
	if len(twice) == 0 {
		return good("once for every event")
	}
	fix := "remove one of them"
	if a, b := twice[0].File.Scope, twice[len(twice)-1].File.Scope; a != b && a != "" && b != "" {
		fix = "wsi remove --harness " + p.harness.ID + " --scope project"
	}
	effect := "so that they run twice for every call"
	if p.once(twice) {
		effect = "of which only one takes effect"
	}
	return attention(fix, "the hooks are registered more than once, %s: %s", effect, strings.Join(places(twice), " and "))
}

// idles reports whether a hook of another harness runs neither before nor after the server's calls.
func (p *target) idles(h rehearse.Hook) bool {
	if p.harness.Proof.Simulator == nil {
		return true
	}
	play := p.subject().Call("s", "", "c", "next_activity", `{}`)
	return !inspect.Runs(p.harness, h.File, h.Hook, p.harness.Proof.Simulator.Before(play)) && !inspect.Runs(p.harness, h.File, h.Hook, p.harness.Proof.Simulator.After(play, []byte(`{"content":[]}`)))
}

// alone reports whether no other hook does the same for the same event.
func alone(h rehearse.Hook, all []rehearse.Hook) bool {
	n := 0
	for _, other := range all {
		if strings.EqualFold(other.Event, h.Event) && other.Parsed.Verb == h.Parsed.Verb {
			n++
		}
	}
	return n == 1
}

// once reports whether the harness runs only one of the hooks for each event.
func (p *target) once(hooks []rehearse.Hook) bool {
	for _, a := range hooks {
		for _, b := range hooks {
			if a.Event == b.Event && a.Parsed.Verb == b.Parsed.Verb && (p.harness.Hooks.Dedupes == nil || !p.harness.Hooks.Dedupes(a.Command, b.Command)) {
				return false
			}
		}
	}
	return true
}

func places(hooks []rehearse.Hook) []string {
	var paths []string
	for _, h := range hooks {
		paths = lists.AddUnique(paths, h.File.Path)
	}
	return paths
}
