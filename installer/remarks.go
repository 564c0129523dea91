package installer

import (
	"errors"
	"slices"

	"wsi/harnesses"
)

// WayOut says how to take out what is in another scope or project.
func (w Wired) WayOut() string {
	if w.Project == "" {
		return "wsi remove"
	}
	return "cd " + w.Project + " && wsi remove --scope project"
}

// closed says why the harness would skip the hooks that env's files register.
func closed(env harnesses.Env, h harnesses.Harness, o Options) string {
	if h.Gate == nil {
		return ""
	}
	w, err := h.Wiring(env, o.Scope, o.Program)
	if err != nil {
		return err.Error()
	}
	for _, hf := range w.Hooks {
		content, err := env.ReadFile(hf.Path)
		if err == nil {
			err = h.Gate(env, hf, content)
		}
		var c harnesses.Closed
		if errors.As(err, &c) {
			return h.Name + ": " + c.Why + ". To change that: " + c.Fix + "."
		}
		if err != nil {
			return h.Name + ": whether it runs these hooks is not certain: " + oneLine(err.Error())
		}
	}
	return ""
}

// missing names the servers that the harness does not have.
func missing(o Options, h harnesses.Harness) (all []string) {
	p, err := h.Find(o.Env)
	if err != nil {
		return []string{h.Name + "'s MCP servers could not be read: " + oneLine(err.Error())}
	}
	for _, s := range o.Program.Servers {
		if !slices.ContainsFunc(p.Servers, func(known harnesses.Server) bool { return known.Name == s }) {
			all = append(all, h.Name+" has no MCP server named "+s+" in its configuration: register it, or name yours with --server.")
		}
	}
	return all
}
