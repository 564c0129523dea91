package claudecode

import (
	"slices"
	"strings"

	"wsi/harnesses/setup"
)

// answers are what settings files say about servers: one of a project's .mcp.json starts only once the user approved it.
type answers struct {
	off     nameSet
	user    approval // in the settings of the user and the administrator
	project approval // in files of the project: they count if the user trusts the folder
}

type nameSet map[string]bool

func (s *nameSet) add(names ...string) {
	if *s == nil {
		*s = nameSet{}
	}
	for _, name := range names {
		(*s)[name] = true
	}
}

// approval names approved servers of a project.
type approval struct {
	on  nameSet
	all bool
}

func (a approval) of(server string) bool { return a.all || a.on[server] }

func answersOf(env setup.Env) (a answers) {
	users := slices.Concat(reads(env, setup.User), managedFiles(env))
	for i, file := range slices.Concat(users, reads(env, setup.Project), above(env)) {
		var settings struct {
			Off []string `json:"disabledMcpjsonServers"`
			On  []string `json:"enabledMcpjsonServers"`
			All bool     `json:"enableAllProjectMcpServers"`
		}
		if env.Decode(file.Path, setup.JSON, &settings) != nil {
			continue
		}
		to := &a.project
		if i < len(users) {
			to = &a.user
		}
		to.on.add(settings.On...)
		to.all = to.all || settings.All
		a.off.add(settings.Off...)
	}
	return a
}

// projects are what .claude.json says about the current folder and those above it up to the root of its repository.
type projects struct {
	approval
	off     nameSet // of a project's .mcp.json
	any     nameSet // servers switched off with /mcp, wherever they are registered
	trusted bool    // the user trusts the folder
}

// here collects what counts in the current folder (2.1.197 and 2.1.330, claude mcp list, 2026-11-22): approvals
// of the folder and of the root, switches of the root only, and trust in any folder between them. With an
// approval of the folder itself, 2.1.197 needs no trust.
func here(env setup.Env, known map[string]project) (p projects) {
	root, cwd := env.Resolved(mainRoot(env)), env.Resolved(env.Cwd)
	for _, dir := range folders(env) {
		of := known[dir]
		p.trusted = p.trusted || of.Trusted
		if dir == root || dir == cwd {
			p.on.add(of.On...)
			p.all = p.all || of.All
			p.off.add(of.Off...)
		}
		if dir == root {
			p.any.add(of.Any...)
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
func folders(env setup.Env) (dirs []string) {
	for _, dir := range append(append([]string{env.Cwd}, env.Above()...), mainRoot(env)) {
		if dir = env.Resolved(dir); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}
