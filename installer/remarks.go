package installer

import (
	"slices"
	"strings"

	"wsi/harnesses"
)

// aboutSetup says what setup cannot do about a harness, and what must be known of it. after is the
// environment as it will be.
func aboutSetup(o Options, after harnesses.Env, h harnesses.Harness, changes []Change) []Note {
	notes := append(Neighbours(o, h), Gates(after, o, h)...)
	if !slices.ContainsFunc(changes, func(c Change) bool { return c.Harness == h.ID }) {
		return notes
	}
	for _, text := range missing(o, h) {
		notes = append(notes, Note{Harness: h.ID, Text: text})
	}
	for _, text := range h.Caveats {
		notes = append(notes, Note{Harness: h.ID, Kind: Caveat, Text: text})
	}
	return notes
}

// missing names the servers that the harness does not have.
func missing(o Options, h harnesses.Harness) (all []string) {
	p, err := h.Find(o.Env)
	if err != nil {
		return []string{h.Name + "'s MCP servers could not be read: " + oneLine(err.Error())}
	}
	for _, s := range o.program(Sources(o.Env, h, o.Scope)).Servers {
		if slices.ContainsFunc(p.Servers, func(known harnesses.Server) bool { return known.Name == s }) {
			continue
		}
		way := "register it, or name yours with --server"
		if other := Suggest(p.Servers); other != "" {
			way = "if yours is " + other + ", run wsi setup --server " + harnesses.Quote(o.Env.GOOS, other)
		}
		all = append(all, h.Name+" has no MCP server named "+s+" in its configuration: "+way+".")
	}
	return all
}

// WayOut says how to take out what is in another scope or project.
func (w Wired) WayOut() string {
	if w.Project == "" {
		return "wsi remove"
	}
	if strings.ContainsAny(w.Project, " '\"$`\\&;()") {
		return "wsi remove --scope project, in the folder " + w.Project
	}
	return "cd " + w.Project + " && wsi remove --scope project"
}
