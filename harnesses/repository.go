package harnesses

import (
	"path/filepath"
	"strings"
)

// Repository is the git repository that a folder is in, as far as its files tell (git 2.39,
// gitrepository-layout).
type Repository struct {
	Root   string // top of the working tree
	Common string // the git folder that all working trees of it share: info/exclude is there
	Linked bool   // Root is that of a linked working tree
	// Main is the top of the main working tree if Root is that of a linked one and there is one. The main one
	// must know of the other: what lies in a folder says nothing of whose it is. Claude Code 2.1.330 and Codex
	// 0.169.0 hold it so, too, and a worktree that was moved by hand has none to them.
	Main string
}

// Repository finds the repository that the current folder is in.
func (e Env) Repository() (Repository, bool) {
	for dir := e.Cwd; ; dir = filepath.Dir(dir) {
		dot := filepath.Join(dir, ".git")
		if isDir, err := e.Stat(dot); err == nil {
			r := Repository{Root: dir, Common: dot}
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

// follow reads a file named .git: that of a linked working tree, or of a submodule, whose git folder
// names no other one.
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
		if filepath.Base(r.Common) == ".git" && ok && e.resolved(below(own, back)) == e.resolved(dot) {
			r.Main = filepath.Dir(r.Common)
		}
	}
}

// line is the first line of a file, after this beginning.
func (e Env) line(path, prefix string) (string, bool) {
	content, err := e.ReadFile(path)
	if err != nil {
		return "", false
	}
	line, _, _ := strings.Cut(string(content), "\n")
	return strings.CutPrefix(strings.TrimRight(line, "\r"), prefix)
}

func below(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// Above returns the folders above the current one up to the root of its repository, the nearest
// first; none outside of a repository.
func (e Env) Above() []string {
	r, ok := e.Repository()
	var dirs []string
	for dir := e.Cwd; ok && dir != r.Root; {
		dir = filepath.Dir(dir)
		dirs = append(dirs, dir)
	}
	return dirs
}

// Within tells whether the current folder is this one or below it, links followed.
func (e Env) Within(dir string) bool {
	rel, err := filepath.Rel(e.resolved(dir), e.resolved(e.Cwd))
	return err == nil && filepath.IsLocal(rel)
}

func (e Env) resolved(path string) string {
	if e.Resolve != nil {
		if real, err := e.Resolve(path); err == nil {
			return real
		}
	}
	return path
}
