package installer

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wsi/harnesses/setup"
	"wsi/installer/files"
	"wsi/installer/inspect"
	"wsi/installer/notes"
	"wsi/installer/refusal"
	"wsi/internal/lists"
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
	var lines []string       // for files that git would commit
	exclude := filepath.Join(r.Common, "info", "exclude")
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
		switch line := "/" + escape.Replace(filepath.ToSlash(rest)); stateInGit(o.Env, r, c.Path, exclude, line) {
		case gitIgnored:
		case gitTracked:
			all = append(all, notes.Note{Harness: c.Harness, Text: c.Path + " names wsi by its path on this machine: it is in the repository already, so do not commit this change."})
		default:
			lines = append(lines, line)
		}
	}
	if lines != nil {
		all = append(all, notes.Note{Text: "Setup writes the path of wsi on this machine into files of the project. To keep them out of the repository, add to " + exclude + ": " + notes.List(lines) + "."})
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

type gitState int

const (
	gitUnknown gitState = iota // not ignored, not tracked, or git cannot be asked
	gitIgnored
	gitTracked
)

// harmlessGit keeps git from running programs that the repository's settings name: the file system monitor, and
// helpers that fetch missing objects (git 2.39).
var harmlessGit = []string{
	"-c", "core.fsmonitor=false", "-c", "protocol.allow=never", "-c", "protocol.file.allow=never", "-c", "protocol.ext.allow=never",
	"-c", "protocol.ssh.allow=never", "-c", "protocol.git.allow=never", "-c", "protocol.http.allow=never", "-c", "protocol.https.allow=never",
}

// stateInGit asks git, which alone knows all places that make it ignore a file. Without git, only the
// exclude file that wsi names counts.
func stateInGit(env setup.Env, r setup.Repository, path, exclude, line string) gitState {
	git, err := env.LookPath("git")
	if err != nil || env.Output == nil {
		content, err := env.ReadIfThere(exclude)
		if err == nil && slices.Contains(strings.Split(string(content), "\n"), line) {
			return gitIgnored
		}
		return gitUnknown
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	says := func(args ...string) bool {
		_, err := env.Output(ctx, git, slices.Concat([]string{"-C", r.Root}, harmlessGit, args)...)
		return err == nil
	}
	switch {
	case says("check-ignore", "-q", "--", path):
		return gitIgnored
	case says("ls-files", "--error-unmatch", "--", path):
		return gitTracked
	}
	return gitUnknown
}
