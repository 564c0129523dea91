package installer

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/installer/files"
	"wsi/installer/inspect"
	"wsi/installer/notes"
	"wsi/installer/refusal"
	"wsi/internal/lists"
	"wsi/internal/phrase"
)

// ofProject refuses the project scope where the project's files are the user's own.
func (w *workspace) ofProject(h setup.Harness) error {
	file, ok := usersOwn(w.o.Env, h)
	if !ok || w.o.Scope != setup.Project {
		return nil
	}
	return refusal.Error{
		Path: file, Err: errors.New("in this folder it is your own file, not a project's"),
		Command: w.forUser(h),
	}
}

// forUser returns the same command for the user's scope.
func (w *workspace) forUser(h setup.Harness) string {
	if w.removal {
		return "wsi remove --harness " + h.ID
	}
	return w.o.again(h, setup.User, w.o.Program.Servers)
}

// takenFrom reports whether the harness reads the files of the project from another folder. The error refuses
// that unless wsi is set up there, because a project's plan changes nothing outside of the project.
func (w *workspace) takenFrom(h setup.Harness) (elsewhere bool, err error) {
	there := w.o
	there.Env = inspect.InScope(w.o.Env, h, w.o.Scope)
	dir := there.Env.Cwd
	if dir == w.o.Env.Cwd {
		return false, nil
	}
	if s, err := Inspect(there, h); err == nil && s.State == Current {
		return true, nil
	}
	fix := setup.RunIn(w.o.Env.GOOS, dir, w.o.again(h, setup.Project, w.o.Program.Servers))
	return true, refusal.Error{
		Err: fmt.Errorf("%s takes the hooks of a linked worktree from the main one, %s", h.Name, dir),
		Fix: fix.Text, Command: fix.Command,
	}
}

// usersOwn returns a file of the user's that the harness would also read as one of the project.
func usersOwn(env setup.Env, h setup.Harness) (string, bool) {
	users := filesOf(env, h, setup.User)
	for _, path := range filesOf(env, h, setup.Project) {
		if slices.ContainsFunc(users, func(own string) bool { return inspect.Same(env, own, path) }) {
			return path, true
		}
	}
	return "", false
}

// filesOf returns the files that a harness reads in a scope. Of the user's it includes other places of wsi's own files.
func filesOf(env setup.Env, h setup.Harness, scope setup.Scope) (paths []string) {
	if h.Files.Reads != nil {
		for _, hf := range h.Files.Reads(env, scope) {
			paths = append(paths, hf.Path)
		}
	} else if wiring, err := h.Wiring(env, scope, inspect.Placeholder(env)); err == nil { // else the plan will say why
		for _, wf := range wiring.Owned {
			paths = append(paths, wf.Path)
			if scope == setup.User {
				paths = slices.Concat(paths, wf.Also, wf.Elsewhere)
			}
		}
	}
	return append(paths, lists.Map(inspect.ServerFiles(env, h, scope), func(file setup.ServerFile) string { return file.Path })...)
}

// aboutProject says in which folders a setup in a project takes effect, and how to keep its files out of the
// repository: they contain the path of wsi on this machine.
func aboutProject(o Options, p Plan) []notes.Note {
	r, ok := o.Env.Repository()
	if o.Scope != setup.Project || !ok {
		return nil
	}
	var all []notes.Note
	var here, below []string // harnesses
	var lines []string       // for files that git may commit
	exclude := filepath.Join(r.Common, "info", "exclude")
	excluded, _ := o.Env.ReadIfThere(exclude) // what cannot be read excludes nothing
	for _, c := range p.Changes {
		i := slices.IndexFunc(o.Harnesses, func(h setup.Harness) bool { return h.ID == c.Harness })
		rest, in := files.Within(r.Root, c.Path)
		if i < 0 || !in || c.After == nil || p.Modes[c.Harness] == "" {
			continue
		}
		if o.Harnesses[i].Files.Below {
			below = lists.AddUnique(below, o.Harnesses[i].Name)
		} else {
			here = lists.AddUnique(here, o.Harnesses[i].Name)
		}
		escape := strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, " ", `\ `) // a line is a pattern of gitignore
		if line := "/" + escape.Replace(filepath.ToSlash(rest)); !slices.Contains(strings.Split(string(excluded), "\n"), line) {
			lines = append(lines, line)
		}
	}
	if lines != nil {
		all = append(all, notes.Note{Text: "Setup writes the path of wsi on this machine into files of the project. To keep them out of the repository, add to " + exclude + ": " + phrase.List(lines, "and") + "."})
	}
	known := len(here)+len(below) > 0
	if known && o.Env.Cwd != r.Root {
		all = append(all, notes.Note{Kind: notes.Remark, Text: reach(o.Env.Cwd, r.Root, here, below)})
	}
	if known && r.Linked {
		all = append(all, notes.Note{Kind: notes.Remark, Text: r.Root + " is a linked worktree: what is set up here is not in the other ones."})
	}
	return all
}

// reach says in which folders a setup below the root of a repository takes effect.
func reach(folder, root string, here, below []string) string {
	var who []string
	if len(here) > 0 {
		who = append(who, strings.Join(here, " and ")+" only when started in that very folder")
	}
	if len(below) > 0 {
		who = append(who, strings.Join(below, " and ")+" when started there or below")
	}
	return fmt.Sprintf("This setup is for %s, not for all of %s. It is read by %s.", folder, root, strings.Join(who, ", by "))
}
