package doctor

import (
	"cmp"
	"slices"

	"wsi/harnesses/setup"
	"wsi/installer/inspect"
)

// hookRival looks for other programs' hooks that run before the same calls, wherever the harness reads hooks from.
func hookRival(p *target) outcome {
	if p.harness.Files.Reads == nil {
		return skipped("wsi cannot know what other plugins of %s do to the same calls", p.harness.Name)
	}
	for _, h := range inspect.Listed(p.Env, p.harness) {
		_, wsi := setup.ParseCommand(h.Command)
		off := slices.ContainsFunc(h.Skipped, func(why setup.BlockedError) bool { return why.Off }) // an approval can come at any time
		if wsi || off || inspect.IsWsi(inspect.ProgramIn(h)) || !inspect.RunsBefore(p.harness, h, []string{p.server}) {
			continue
		}
		return attention("if it rewrites arguments, give it a matcher that excludes these calls; if not, do nothing",
			"another hook, in %s, also runs before these calls: %s; if both rewrite arguments, the one that ends last wins",
			h.File, cmp.Or(inspect.ProgramIn(h), "one without a command"))
	}
	if p.unread != nil {
		return skipped("other hooks cannot be read: %v", p.unread)
	}
	return good("no other hook runs before these calls")
}
