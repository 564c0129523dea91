package codex

import (
	"slices"

	"wsi/harnesses/setup"
)

// skips adds to the hooks of a file why Codex does not run them. What it ignores, and the form that was approved, Codex itself says:
// see [ask].
func skips(env setup.Env, file setup.HookFile, content []byte, hooks []setup.Hook) {
	files := configuration(env)
	user := files[slices.IndexFunc(files, func(f configFile) bool { return f.path == userConfig(env) })]
	profile, only := profileOf(env, file.Path)
	if only {
		files = withProfile(files, env, profile)
	}
	for i := range hooks {
		hooks[i].Skip(append(refused(env, files, file), gates(env, files, file)...)...)
	}
	doc, err := decodeHooks(file, content)
	source, err2 := canonical(env, file.Path)
	if err != nil || err2 != nil || file.Origin == setup.OfPlugin {
		return // told by validate, or not known
	}
	if only {
		user.config = merged(user.config, doc)
		for i := range hooks {
			hooks[i].When = "started as " + profile.command()
		}
	}
	known, said := Harness().Answer(env, file, content)
	state := setup.Table(user.config, "hooks", "state")
	for i := range hooks {
		h := hookAt(doc, hooks[i].Event, hooks[i].Group, hooks[i].Handler)
		hash := said.Hashes[h.place()]
		if file.Origin == setup.OfManaged || user.err != nil || known && hash == "" {
			continue // neither approved nor switched off by users, or not known, or Codex does not list it
		}
		judge(env, &hooks[i], approvalOf(state, h.key(source), hash))
	}
}

// judge adds why Codex does not run a hook of which its user has said this.
func judge(env setup.Env, to *setup.Hook, said approval) {
	if said.off {
		to.Skip(setup.Reason{
			Why: "it is switched off by enabled = false in [hooks.state] in " + userConfig(env), Fix: "open codex, type /hooks and switch it on", Off: true,
		})
	}
	switch {
	case !said.seen:
		to.Skip(setup.Reason{Why: "it is not approved, so Codex skips it silently", Fix: trustAll, Approval: true})
	case said.changed:
		to.Skip(setup.Reason{Why: "it has changed since it was approved, so Codex skips it silently", Fix: trustAll, Approval: true})
	case said.unknown:
		to.Unasked = true
	}
}
