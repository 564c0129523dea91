package codex

import (
	"wsi/harnesses/setup"
)

// skips adds to the hooks of a file why Codex does not run them. What it ignores, and the form that was approved, Codex itself says:
// see [ask].
func skips(env setup.Env, file setup.HookFile, content []byte, hooks []setup.Hook) []setup.Reason {
	user, refused := decode(env, userConfig(env))
	for i := range hooks {
		if hooks[i].Skip(gates(env, user, file)...); refused != nil && file.Path != userConfig(env) { // that one, validate judges
			hooks[i].Skip(setup.Reason{Why: refused.Error(), Fix: "correct " + userConfig(env)})
		}
	}
	source, err := canonical(env, file.Path)
	if err != nil || refused != nil || file.Origin == setup.OfManaged || file.Unsure != "" {
		return nil // told by validate, not known, or not a matter of the user's approval
	}
	known, said := Harness().Answer(env, file, content)
	state := setup.Table(user, "hooks", "state")
	for i, h := range hooks {
		if hash := said.Hashes[place(h)]; !known || hash != "" { // else Codex does not list it
			judge(env, &hooks[i], approvalOf(state, key(source, h), hash))
		}
	}
	return nil
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
	}
}
