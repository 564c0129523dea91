package installer

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"wsi/harnesses/setup"
	"wsi/installer/files"
	"wsi/installer/inspect"
	"wsi/installer/refusal"
	"wsi/internal/lists"
	"wsi/internal/owner"
	"wsi/internal/phrase"
)

// ofProject refuses the project scope where the project's files are the user's own.
func (w *workspace) ofProject(h setup.Harness) error {
	file, ok := usersOwn(w.o.Env, h)
	if !ok || w.o.Scope != setup.Project {
		return nil
	}
	return refusal.Error{
		Path: file, Err: errors.New("in this folder, the scopes project and user have the same file"),
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
func aboutProject(o Options, p Plan) []Note {
	r, ok := o.Env.Repository()
	if o.Scope != setup.Project || !ok {
		return nil
	}
	var all []Note
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
		all = append(all, Note{Text: "Setup writes the path of wsi on this machine into files of the project. To keep them out of the repository, add to " + exclude + ": " + phrase.List(lines, "and") + "."})
	}
	known := len(here)+len(below) > 0
	if known && o.Env.Cwd != r.Root {
		all = append(all, Note{Kind: Remark, Text: reach(o.Env.Cwd, r.Root, here, below)})
	}
	if known && r.Linked {
		all = append(all, Note{Kind: Remark, Text: r.Root + " is a linked worktree: this setup does not apply to the other worktrees."})
	}
	return all
}

// reach says in which folders a setup below the root of a repository takes effect.
func reach(folder, root string, here, below []string) string {
	text := fmt.Sprintf("This setup is for %s, not for all of %s.", folder, root)
	if len(below) > 0 {
		text += " Start " + phrase.List(below, "or") + " in that folder or below it."
	}
	if len(here) > 0 {
		text += " Start " + phrase.List(here, "or") + " in exactly that folder."
	}
	return text
}

// writable refuses files that cannot be written, and read-only files, which a rename would replace anyway.
func (w *workspace) writable() error {
	for _, f := range w.files {
		if !f.changed() {
			continue
		}
		if err := w.inProject(f); err != nil {
			return err
		}
		if f.before != nil && f.mode&0o200 == 0 {
			return w.readOnly(f, "it is read-only", f.target)
		}
		path, err := f.target, error(nil)
		switch mounted := w.o.FS.Ties(f.target).Mounted; {
		case mounted && f.after == nil:
			err = refusal.Error{Path: f.path, Err: errors.New("it is mounted, so it cannot be deleted"), Fix: "unmount it, then run the command again"}
		case !mounted:
			path, err = w.inFolder(f)
		}
		if err != nil {
			return err
		}
		if err := w.o.FS.Check(path); err != nil {
			fix := w.wayIn(f, err)
			return refusal.Error{Path: f.path, Err: err, Fix: fix.Text, Command: fix.Command}
		}
	}
	return nil
}

// inFolder returns the path of the first file or folder to create, in a folder with its links resolved. It refuses a
// read-only folder.
func (w *workspace) inFolder(f *file) (string, error) {
	first := f.target
	if len(f.missing) > 0 {
		first = f.missing[0]
	}
	dir := filepath.Dir(first)
	if real, err := w.o.FS.Resolve(dir); err == nil {
		dir = real
	}
	info, err := w.o.FS.Lstat(dir)
	if err != nil {
		return "", refusal.Unreadable(f.path, err)
	}
	if info.Mode()&0o200 == 0 {
		return "", w.readOnly(f, "its folder "+dir+" is read-only", dir)
	}
	return filepath.Join(dir, filepath.Base(first)), nil
}

// wayIn returns what to do about a file that cannot be written.
func (w *workspace) wayIn(f *file, err error) phrase.Fix {
	var another owner.Another
	switch {
	case errors.As(err, &another):
		return phrase.Fix{Text: "run wsi as " + another.User}
	case errors.Is(err, syscall.EROFS) && w.removal:
		return phrase.Fix{Text: "its file system is mounted read-only: run the command where the file comes from, such as on the host"}
	case errors.Is(err, syscall.EROFS):
		return phrase.Fix{Text: "its file system is mounted read-only: change the file where it comes from, such as on the host, with what this prints", Command: "wsi snippet " + f.harness}
	}
	return phrase.Fix{Text: "make yourself its owner, or ask its owner"}
}

// ReadOnly is the error for a file or folder that its owner made read-only.
type ReadOnly struct {
	Path string // of the file or folder
	Own  bool   // the user owns it and can change that
	why  string
}

func (r ReadOnly) Error() string { return r.why }

// readOnly returns the refusal for a read-only file. One that the user does not own is generated, such as from a Nix
// configuration, and would lose a change.
func (w *workspace) readOnly(f *file, why, path string) refusal.Error {
	info, err := w.o.FS.Lstat(path)
	r := ReadOnly{Path: path, Own: err == nil && owner.Own(info) && !strings.Contains(path, "/nix/store/"), why: why}
	refused := refusal.Error{Path: f.path, Err: r, Fix: "make it writable", Command: "chmod u+w " + setup.Quote(w.o.Env.GOOS, path)}
	switch {
	case !r.Own && w.removal:
		refused.Fix, refused.Command = fmt.Sprintf("it is a link to %s: remove the entries of wsi from the source of that file", f.target), ""
	case !r.Own:
		refused.Fix, refused.Command = fmt.Sprintf("it is a link to %s: add the output of this command to the source of that file", f.target), "wsi snippet "+f.harness
	}
	return refused
}

// inProject refuses to write through a link that leads out of the project: the author of a repository could
// otherwise choose which of the user's files is changed. What wsi wrote there earlier is still removed.
func (w *workspace) inProject(f *file) error {
	if w.o.Scope != setup.Project || w.removal && f.known {
		return nil
	}
	if _, in := files.Within(w.o.Env.Cwd, f.path); !in {
		return nil // a file of the user's, such as a trust record
	}
	if _, in := files.Within(w.o.Env.Resolved(w.o.Env.Cwd), f.target); in {
		return nil
	}
	byHand := w.byHand(f.harness)
	return refusal.Error{
		Path: f.path, Err: fmt.Errorf("it is a link out of the project, to %s", f.target),
		Fix: "replace the link with a file, or " + byHand.Text, Command: byHand.Command,
	}
}
