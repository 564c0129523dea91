package setup

import (
	"path/filepath"
	"slices"
	"strings"
)

// Repository is a git repository, as found from its files (git 2.39, gitrepository-layout).
type Repository struct {
	Root   string // top of the working tree
	Common string // the git folder that all its working trees share, with info/exclude
	Linked bool   // Root is a linked working tree
	// Main is the top of the main working tree if Root is a linked one and the main one names it. Otherwise any folder could claim
	// to belong to it. Claude Code 2.1.330 and Codex 0.169.0 do the same, so to them a worktree that was moved by hand has none.
	Main string
}

// Repository returns the repository of the current folder; ok is false if there is none.
func (e Env) Repository() (r Repository, ok bool) {
	for dir := e.Cwd; ; dir = filepath.Dir(dir) {
		dot := filepath.Join(dir, ".git")
		if isDir, err := e.Stat(dot); err == nil {
			r = Repository{Root: dir, Common: dot}
			if !isDir {
				r.follow(e, dot)
			}
			return r, true
		}
		if dir == filepath.Dir(dir) {
			return Repository{}, false
		}
	}
}

// follow reads a file named .git. A linked working tree and a submodule have one.
func (r *Repository) follow(e Env, dot string) {
	gitdir, ok := e.line(dot, "gitdir: ")
	if !ok {
		return
	}
	r.Common = below(r.Root, gitdir)
	if common, ok := e.line(filepath.Join(r.Common, "commondir"), ""); ok {
		own := r.Common
		r.Common, r.Linked = below(own, common), true
		back, ok := e.line(filepath.Join(own, "gitdir"), "")
		if filepath.Base(r.Common) == ".git" && ok && e.Resolved(below(own, back)) == e.Resolved(dot) {
			r.Main = filepath.Dir(r.Common)
		}
	}
}

// line returns the first line of a file without its prefix; ok is false if the line does not begin with it.
func (e Env) line(path, prefix string) (line string, ok bool) {
	content, err := e.ReadFile(path)
	if err != nil {
		return "", false
	}
	line, _, _ = strings.Cut(string(content), "\n")
	return strings.CutPrefix(strings.TrimRight(line, "\r"), prefix)
}

func below(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// Above returns the folders above the current one up to the root of its repository, nearest first. Outside of a
// repository it returns none.
func (e Env) Above() []string {
	r, ok := e.Repository()
	var dirs []string
	for dir := e.Cwd; ok && dir != r.Root; {
		dir = filepath.Dir(dir)
		dirs = append(dirs, dir)
	}
	return dirs
}

// Within reports whether the current folder is dir or below it, with links followed.
func (e Env) Within(dir string) bool { return within(e.Resolved(dir), e.Resolved(e.Cwd)) }

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// InProject reports whether a file is in the repository or the current folder, or links into it. A folder that contains the
// user's home is not a project.
func (e Env) InProject(file string) bool {
	roots := []string{e.Cwd}
	if r, ok := e.Repository(); ok {
		roots = append(roots, r.Root, r.Main)
	}
	return slices.ContainsFunc(roots, func(root string) bool {
		if root == "" {
			return false
		}
		root = e.Resolved(root)
		return !within(root, e.Resolved(e.Home)) && (within(root, file) || within(root, e.Resolved(file)))
	})
}

// Resolved returns a path with all links followed, as the kernel names it; a path that does not exist only cleaned.
func (e Env) Resolved(path string) string {
	if e.Resolve != nil {
		if real, err := e.Resolve(path); err == nil {
			return real
		}
	}
	return filepath.Clean(path)
}
