package claudecode

import (
	"encoding/json"
	"slices"
	"strings"

	"wsi/harnesses"
)

// answers are what settings files say about servers. A server of a project's .mcp.json starts only once the user
// approved it. A policy can keep any server from starting, and permissions.deny hides its tools from the
// model.
type answers struct {
	off       []string
	user      approval // in the settings of the user and the administrator
	project   approval // in files of the project: they count if the user trusts the folder
	deny      []rule
	forbidden []policy
	permitted []policy
}

// approval names approved servers of a project.
type approval struct {
	on  []string
	all bool
}

func (a approval) of(server string) bool { return a.all || slices.Contains(a.on, server) }

type rule struct{ text, file string }

// policy is a list of servers in a file. In 2.1.197 and 2.1.330 that of any scope counts.
type policy struct {
	entries []any
	file    string
}

func answersOf(env harnesses.Env) (a answers) {
	users := slices.Concat(reads(env, harnesses.User), managedFiles(env))
	for _, file := range slices.Concat(users, reads(env, harnesses.Project), above(env)) {
		var settings struct {
			Off         []string `json:"disabledMcpjsonServers"`
			On          []string `json:"enabledMcpjsonServers"`
			All         bool     `json:"enableAllProjectMcpServers"`
			Forbidden   []any    `json:"deniedMcpServers"`
			Permitted   []any    `json:"allowedMcpServers"`
			Permissions struct {
				Deny []any `json:"deny"` // anything but strings is ignored
			} `json:"permissions"`
		}
		content, err := env.ReadIfThere(file.Path)
		if err != nil || json.Unmarshal(content, &settings) != nil {
			continue
		}
		to := &a.project
		if slices.ContainsFunc(users, func(own harnesses.HookFile) bool { return own.Path == file.Path }) {
			to = &a.user
		}
		to.on, to.all = append(to.on, settings.On...), to.all || settings.All
		a.off = append(a.off, settings.Off...)
		for _, r := range settings.Permissions.Deny {
			if text, ok := r.(string); ok {
				a.deny = append(a.deny, rule{text, file.Path})
			}
		}
		if settings.Forbidden != nil {
			a.forbidden = append(a.forbidden, policy{settings.Forbidden, file.Path})
		}
		if settings.Permitted != nil {
			a.permitted = append(a.permitted, policy{settings.Permitted, file.Path})
		}
	}
	return a
}

// denied returns the file that denies a whole server, or the tool that starts its sessions; "" if none does.
func (a answers) denied(server string) string {
	name := "mcp__" + harnesses.SafeName(server, harnesses.WordOrHyphen)
	for _, r := range a.deny {
		if slices.Contains([]string{name, name + "__*", name + "__start_session"}, r.text) {
			return r.file
		}
	}
	return ""
}

// blocked returns why a policy keeps a server from starting, a clause, and what can be done; "" if none does.
func (a answers) blocked(s harnesses.Server) (why, remedy string) {
	for _, p := range a.forbidden {
		if p.names(s) {
			return "is denied by deniedMcpServers in " + p.file, "remove it from deniedMcpServers in " + p.file
		}
	}
	for _, p := range a.permitted {
		if !p.names(s) {
			return "is not among allowedMcpServers in " + p.file, "add it to allowedMcpServers in " + p.file
		}
	}
	return "", ""
}

// names reports whether an entry of the list matches a server by its name, command or address. Patterns in
// addresses are not evaluated, so an address alone never decides.
func (p policy) names(s harnesses.Server) bool {
	return slices.ContainsFunc(p.entries, func(entry any) bool {
		said, _ := entry.(map[string]any)
		if name, ok := said["serverName"].(string); ok {
			return name == s.Name
		}
		if address, ok := said["serverUrl"].(string); ok {
			return address == s.URL && s.URL != ""
		}
		words, ok := said["serverCommand"].([]any)
		if !ok || len(words) != len(s.Command) {
			return false
		}
		for i, w := range words {
			if w != s.Command[i] {
				return false
			}
		}
		return len(words) > 0
	})
}

// projects are what .claude.json says about the current folder and those above it up to the root of its repository.
type projects struct {
	approval
	off     []string // of a project's .mcp.json
	any     []string // servers switched off with /mcp, wherever they are registered
	trusted bool     // the user trusts the folder
}

// here collects what counts in the current folder (2.1.197 and 2.1.330, claude mcp list, 2026-11-22): approvals
// of the folder and of the root, switches of the root only, and trust in any folder between them. With an
// approval of the folder itself, 2.1.197 needs no trust.
func here(env harnesses.Env, known map[string]project) (p projects) {
	root, cwd := env.Resolved(mainRoot(env)), env.Resolved(env.Cwd)
	for _, dir := range folders(env) {
		of := known[dir]
		p.trusted = p.trusted || of.Trusted
		if dir == root || dir == cwd {
			p.on, p.all, p.off = append(p.on, of.On...), p.all || of.All, append(p.off, of.Off...)
		}
		if dir == root {
			p.any = append(p.any, of.Any...)
		}
	}
	return p
}

// spelled returns the projects of .claude.json by their paths as the system writes them. On Windows Claude Code writes
// slashes. An entry with backslashes is of another tool or an older version (issues 19910, 27706 and 88418 of
// anthropics/claude-code); it counts where there is no other.
func spelled(goos string, known map[string]project) map[string]project {
	if goos != "windows" {
		return known
	}
	all := make(map[string]project, len(known))
	for path, p := range known {
		own := native(goos, path)
		if _, ok := all[own]; !ok || strings.Contains(path, "/") {
			all[own] = p
		}
	}
	return all
}

// native returns a path of the state file as the system spells it.
func native(goos, path string) string {
	if goos != "windows" {
		return path
	}
	path = strings.ReplaceAll(path, "/", `\`)
	if len(path) > 1 && path[1] == ':' {
		path = strings.ToUpper(path[:1]) + path[1:] // VS Code writes a small letter (issue 67749)
	}
	return path
}

// folders returns the current folder and those above it in its repository, as the kernel names them, and the root
// of its main working tree.
func folders(env harnesses.Env) (dirs []string) {
	for _, dir := range append(append([]string{env.Cwd}, env.Above()...), mainRoot(env)) {
		if dir = env.Resolved(dir); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
