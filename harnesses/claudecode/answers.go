package claudecode

import (
	"encoding/json"
	"slices"

	"wsi/harnesses"
)

// answers are what settings files say of servers: those of a project's .mcp.json are started only once
// their user has said yes, and permissions.deny keeps any server's tools from the model.
type answers struct {
	off, on []string
	all     bool
	deny    []rule
}

type rule struct{ text, file string }

func answersOf(env harnesses.Env) (a answers) {
	for _, file := range slices.Concat(reads(env, harnesses.User), reads(env, harnesses.Project), above(env), managedFiles(env)) {
		var settings struct {
			Off         []string `json:"disabledMcpjsonServers"`
			On          []string `json:"enabledMcpjsonServers"`
			All         bool     `json:"enableAllProjectMcpServers"`
			Permissions struct {
				Deny []any `json:"deny"` // what is no text there is ignored
			} `json:"permissions"`
		}
		content, err := env.ReadIfThere(file.Path)
		if err != nil || json.Unmarshal(content, &settings) != nil {
			continue
		}
		a.off, a.on, a.all = append(a.off, settings.Off...), append(a.on, settings.On...), a.all || settings.All
		for _, r := range settings.Permissions.Deny {
			if text, ok := r.(string); ok {
				a.deny = append(a.deny, rule{text, file.Path})
			}
		}
	}
	return a
}

// denied returns the file that denies a server as a whole, or the tool with which its sessions begin; ""
// if none does.
func (a answers) denied(server string) string {
	name := "mcp__" + harnesses.SafeName(server, harnesses.WordOrHyphen)
	for _, r := range a.deny {
		if slices.Contains([]string{name, name + "__*", name + "__start_session"}, r.text) {
			return r.file
		}
	}
	return ""
}
