package doctor

import (
	"cmp"
	"slices"

	"wsi/harnesses"
	"wsi/installer/inspect"
	"wsi/installer/notes"
)

// hookRival looks for other programs' hooks that run before the same calls, in all files with hooks of the harness.
func hookRival(p *target) outcome {
	if p.harness.Reads == nil {
		return skipped("wsi cannot know what other plugins of %s do to the same calls", p.harness.Name)
	}
	for _, h := range slices.Concat(p.others, p.borrowed) {
		_, wsi := harnesses.ParseCommand(h.Command)
		if wsi || inspect.IsWsi(inspect.ProgramOf(h.Command)) || !notes.Rival(p.harness, h.File, h.Hook, []string{p.server}) {
			continue
		}
		return attention("if it rewrites arguments, give it a matcher that excludes these calls; if not, do nothing",
			"another hook, in %s, also runs before these calls: %s; if both rewrite arguments, the one that ends last wins",
			h.File.Path, cmp.Or(inspect.ProgramOf(h.Command), "one without a command"))
	}
	if p.unread != nil {
		return skipped("other hooks cannot be read: %v", p.unread)
	}
	return good("no other hook runs before these calls")
}
