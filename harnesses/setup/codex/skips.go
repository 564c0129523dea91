package codex

import (
	"slices"
	"sync"

	"wsi/harnesses/setup"
)

// skips adds to the hooks of a file why Codex does not run them. What it ignores, and the form that was approved, Codex itself says:
// see [ask].
func skips(env setup.Env, file setup.HookFile, content []byte, hooks []setup.Hook) {
	doc, err := decodeHooks(file, content)
	if err != nil || len(hooks) == 0 {
		return // it has no hooks
	}
	source, err := canonical(env, file.Path)
	if err != nil {
		return // told by validate
	}
	if file.Origin == setup.OfPlugin {
		p := pluginOf(env, file.Owner)
		if p == nil {
			return // it was removed since
		}
		if source = p.id + ":" + p.name(file.Path); file.Table != nil {
			doc, source = p.in(file)
		}
	}
	files := configuration(env)
	user := files[slices.IndexFunc(files, func(f configFile) bool { return f.path == userConfig(env) })]
	if p, ok := profileOf(env, file.Path); ok {
		files = withProfile(files, env, p)
		user.config = merged(user.config, doc)
		for i := range hooks {
			hooks[i].When = "started as " + p.command()
		}
	}
	known, said := Harness().Answer(env, file, content)
	state, closed := setup.Table(user.config, "hooks", "state"), append(refused(env, files, file), gates(env, files, file)...)
	served := sync.OnceValue(func() map[string]bool { return serves(env) })
	for i := range hooks {
		h := hookAt(doc, hooks[i].Event, hooks[i].Group, hooks[i].Handler)
		hash := said.Hashes[h.place()]
		hooks[i].Skip(closed...)
		if server, ok := h.handler["server"].(string); ok && h.handler["type"] == "mcp_tool" && served() != nil && !served()[server] {
			hooks[i].Skip(setup.Reason{Why: "no MCP server " + server + " is registered with Codex", Fix: "register it, or remove the hook"})
		}
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

// serves returns the names of the servers that Codex can start, nil if that is not known.
func serves(env setup.Env) map[string]bool {
	p, err := find(env)
	if err != nil {
		return nil
	}
	names := map[string]bool{}
	for _, s := range p.Servers {
		names[s.Name] = names[s.Name] || !s.Disabled && s.Blocked == "" && s.With == ""
	}
	return names
}
