package doctor

import (
	"cmp"
	"slices"

	"wsi/harnesses"
	"wsi/installer"
	"wsi/installer/inspect"
)

// hookRival names others' hooks that run before the same calls, in all files from which the harness
// takes hooks.
func hookRival(p *target) outcome {
	switch {
	case len(p.hooks) == 0:
		return skipped("there is no hook of wsi's")
	case p.harness.Reads == nil:
		return skipped("what other plugins of %s do to the same calls cannot be told", p.harness.Name)
	}
	for _, h := range slices.Concat(p.others, p.borrowed) {
		_, wsi := harnesses.ParseCommand(h.Command)
		if wsi || inspect.IsWsi(inspect.ProgramOf(h.Command)) || !installer.Rival(p.harness, h.file, h.Hook, []string{p.server}) {
			continue
		}
		return attention("if it rewrites arguments, give it a matcher that leaves these calls out; if not, there is nothing to do",
			"another hook, in %s, also runs before these calls: %s; if it rewrites arguments too, whichever ends last wins",
			h.file.Path, cmp.Or(inspect.ProgramOf(h.Command), "one without a command"))
	}
	if p.unread != nil {
		return skipped("what else is registered is not known: %v", p.unread)
	}
	return good("no other hook runs before these calls")
}
