package codex

import (
	"slices"
	"strings"
	"sync"

	"wsi/harnesses/setup"
)

// skips adds to the hooks of a file why Codex does not run them. All of it was compared with hooks/list and with runs of 0.169.0.
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
	j := judge{
		env: env, file: file, source: source, state: setup.Table(user.config, "hooks", "state"), unread: user.err != nil,
		gates:  append(refused(env, files, file), gates(env, files, file)...),
		serves: sync.OnceValue(func() map[string]bool { return serves(env) }),
	}
	for i := range hooks {
		j.judge(&hooks[i], hookAt(doc, hooks[i].Event, hooks[i].Group, hooks[i].Handler))
	}
}

// judge says why Codex does not run the hooks of one file.
type judge struct {
	env    setup.Env
	file   setup.HookFile
	source string // the file, as it is named in records of approvals
	gates  []setup.Reason
	state  map[string]any // [hooks.state]
	unread bool           // the file that has it cannot be read
	serves func() map[string]bool
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

func (j judge) judge(to *setup.Hook, h hook) {
	to.Skip(j.gates...)
	if why := j.unsupported(h); why.Why != "" {
		to.Skip(why) // Codex does not list it
		return
	}
	if server, ok := h.handler["server"].(string); ok && h.handler["type"] == "mcp_tool" && j.serves() != nil && !j.serves()[server] {
		to.Skip(setup.Reason{Why: "no MCP server " + server + " is registered with Codex", Fix: "register it, or remove the hook"})
	}
	if j.file.Origin == setup.OfManaged || j.unread {
		return // neither approved nor switched off by users, or not known
	}
	hash, err := hookHash(h.event, h.matcher, j.here(h.handler))
	if err != nil {
		return // told by validate
	}
	said := approvalOf(j.state, h.key(j.source), hash)
	if said.off {
		to.Skip(setup.Reason{
			Why: "it is switched off by enabled = false in [hooks.state] in " + userConfig(j.env), Fix: "open codex, type /hooks and switch it on", Off: true,
		})
	}
	switch {
	case !said.seen:
		to.Skip(setup.Reason{Why: "it is not approved, so Codex skips it silently", Fix: trustAll, Approval: true})
	case said.changed:
		to.Skip(setup.Reason{Why: "it has changed since it was approved, so Codex skips it silently", Fix: trustAll, Approval: true})
	}
}

// here returns a hook as Codex has it on this system: on Windows commandWindows replaces the command (read in its source,
// not tried).
func (j judge) here(handler map[string]any) map[string]any {
	if j.env.GOOS != "windows" {
		return handler
	}
	for _, name := range []string{"commandWindows", "command_windows"} {
		if command, ok := handler[name].(string); ok {
			return merged(handler, map[string]any{"command": command})
		}
	}
	return handler
}

// unsupported returns why Codex ignores a hook in a file that it accepts.
func (j judge) unsupported(h hook) (why setup.Reason) {
	if !slices.Contains(events, h.event) {
		why.Why = "Codex has no event of this name"
		if i := slices.IndexFunc(events, func(e string) bool { return strings.EqualFold(e, h.event) }); i >= 0 {
			why.Fix = "write " + events[i]
		}
		return why
	}
	command, _ := j.here(h.handler)["command"].(string)
	switch kind := h.handler["type"]; {
	case kind == "prompt" || kind == "agent":
		return setup.Reason{Why: "Codex runs no hooks of type " + kind.(string)}
	case kind == "mcp_tool" && h.event == "SessionEnd":
		return setup.Reason{Why: "Codex runs no hooks of type mcp_tool for SessionEnd"}
	case kind == "command" && strings.TrimSpace(command) == "":
		return setup.Reason{Why: "its command is empty"}
	}
	return setup.Reason{}
}
