package claudecode

import (
	"slices"
	"strings"

	"wsi/harnesses/setup"
)

// answers are what a file says about servers of a project's .mcp.json: one starts only once the user approved it.
type answers struct {
	Off []string `json:"disabledMcpjsonServers"`
	On  []string `json:"enabledMcpjsonServers"`
	All bool     `json:"enableAllProjectMcpServers"`
}

func (a *answers) add(more answers) {
	a.Off, a.On, a.All = append(a.Off, more.Off...), append(a.On, more.On...), a.All || more.All
}

// said is what files say about servers in the current folder.
type said struct {
	all      bool            // every server of the project is approved
	approved map[string]bool // servers of the project
	refused  map[string]bool // servers of the project
	off      map[string]bool // with /mcp, wherever the server is registered
}

// saidHere collects what counts in the current folder (2.1.197 and 2.1.330, claude mcp list, 2026-11-22): approvals of the folder and
// of the root, switches of the root only. Files of the project approve nothing unless the user trusts the folder or one between it
// and the root. With an approval of the folder itself, 2.1.197 needs no trust.
func saidHere(env setup.Env, known map[string]project) said {
	var user, project answers
	var off []string
	users := slices.Concat(reads(env, setup.User), managedFiles(env))
	for i, file := range slices.Concat(users, reads(env, setup.Project), above(env)) {
		var settings answers
		switch {
		case env.Decode(file.Path, setup.JSON, &settings) != nil:
		case i < len(users):
			user.add(settings)
		default:
			project.add(settings)
		}
	}
	trusted, root, cwd := false, env.Resolved(mainRoot(env)), env.Resolved(env.Cwd)
	for _, dir := range folders(env) {
		of := known[dir]
		trusted = trusted || of.Trusted
		if dir == root || dir == cwd {
			project.add(of.answers)
		}
		if dir == root {
			off = of.Any
		}
	}
	refused := setOf(user.Off, project.Off)
	if trusted {
		user.add(project)
	}
	return said{user.All, setOf(user.On), refused, setOf(off)}
}

func setOf(names ...[]string) map[string]bool {
	set := map[string]bool{}
	for _, name := range slices.Concat(names...) {
		set[name] = true
	}
	return set
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
