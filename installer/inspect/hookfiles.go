// Package inspect reads what the files of a harness register: hooks, servers and wsi itself.
//
// It writes nothing and runs no program. It must not know what setup would change.
package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/installer/edit"
	"wsi/internal/jsonraw"
	"wsi/internal/lists"
	"wsi/internal/phrase"
)

// Source is an existing file from which a harness reads hooks.
type Source struct {
	Path    string
	Scope   setup.Scope
	Project string          // the project folder, "" in the user's scope
	Hooks   setup.HookFile  // if it is a hook file
	Owned   setup.OwnedFile // if it is a file of wsi's own
	Content []byte
	Err     error // it could not be read or parsed
	Found   []setup.Hook
}

// Around returns the files from which a harness reads hooks in these scopes, for a session in the current
// folder. A file that is read in two scopes is returned once.
func Around(env setup.Env, h setup.Harness, scopes ...setup.Scope) (all []Source) {
	for _, scope := range scopes {
		for _, s := range Sources(env, h, scope) {
			all = s.addedTo(all, env, h)
		}
		if h.Files.Above == nil || scope != setup.Project {
			continue
		}
		for _, hf := range h.Files.Above(env) {
			s := Source{Path: hf.Path, Hooks: hf, Scope: scope, Project: filepath.Dir(filepath.Dir(hf.Path))}
			all = s.addedTo(all, env, h)
		}
	}
	return all
}

// addedTo returns all with the source, if its file exists and is not among them.
func (s Source) addedTo(all []Source, env setup.Env, h setup.Harness) []Source {
	if slices.ContainsFunc(all, func(o Source) bool { return Same(env, o.Path, s.Path) }) {
		return all
	}
	if s.Content == nil && s.Err == nil && !s.Read(env, h) {
		return all
	}
	return append(all, s)
}

// Sources returns the files of a scope from which a harness reads hooks, with their hooks.
func Sources(env setup.Env, h setup.Harness, scope setup.Scope) (all []Source) {
	env = InScope(env, h, scope)
	add := func(s Source) {
		s.Scope = scope
		if scope == setup.Project {
			s.Project = above(env.Cwd, s.Path)
		}
		all = s.addedTo(all, env, h)
	}
	if h.Files.Reads != nil {
		for _, hf := range h.Files.Reads(env, scope) {
			add(Source{Path: hf.Path, Hooks: hf})
		}
	}
	wiring, err := h.Wiring(env, scope, Placeholder(env))
	if err != nil {
		return all // the file is in the list already, with the error
	}
	for _, wf := range wiring.Owned {
		for _, path := range slices.Concat([]string{wf.Path}, wf.Also, wf.Elsewhere) {
			if content, err := env.ReadFile(path); path == wf.Path || err == nil && wf.Commands(content) != nil {
				one := wf
				one.Path = path
				add(Source{Path: path, Owned: one})
			}
		}
	}
	return all
}

// above returns the nearest folder with a file in it: dir, or one above dir. It returns dir if the file is in none.
func above(dir, path string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if strings.HasPrefix(path, strings.TrimSuffix(at, string(filepath.Separator))+string(filepath.Separator)) {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// Borrowed returns the files of other harnesses, and of the administrator, from which a harness also reads hooks.
func Borrowed(env setup.Env, h setup.Harness) (all []Source) {
	if h.Files.Borrowed == nil {
		return nil
	}
	for _, hf := range h.Files.Borrowed(env) {
		all = Source{Path: hf.Path, Hooks: hf}.addedTo(all, env, h)
	}
	return all
}

// InScope returns env with the folder from which the harness reads the files of a scope.
func InScope(env setup.Env, h setup.Harness, scope setup.Scope) setup.Env {
	if h.Files.ProjectAt != nil && scope == setup.Project {
		env.Cwd = h.Files.ProjectAt(env)
	}
	return env
}

// Same reports whether two paths lead to the same file.
func Same(env setup.Env, a, b string) bool {
	return env.Resolved(a) == env.Resolved(b)
}

// Read fills in the content of the file. It reports whether the file exists.
func (s *Source) Read(env setup.Env, h setup.Harness) bool {
	if s.Content, s.Err = env.ReadFile(s.Path); s.Err != nil {
		return !errors.Is(s.Err, fs.ErrNotExist)
	}
	if s.Owned.Path == "" {
		s.Hooks.Harness = h.ID
		s.Found, s.Err = edit.Entries(s.Hooks, s.Content)
		return true
	}
	for _, line := range s.Owned.Commands(s.Content) {
		one := setup.Hook{Command: line}
		one.Parsed, one.Mine = setup.ParseCommand(line)
		s.Found = append(s.Found, one)
	}
	return true
}

// Mine returns wsi's hooks in the file.
func (s Source) Mine() []setup.Hook {
	return lists.Filter(s.Found, func(h setup.Hook) bool { return h.Mine })
}

// Placeholder returns a program for calls where only the form of a wiring matters.
func Placeholder(env setup.Env) setup.Program {
	p := setup.Program{Path: "/wsi", Servers: []string{harnesses.DefaultServer}}
	if env.GOOS == "windows" {
		p.Path = "C:/wsi.exe"
	}
	return p
}

// Runs reports whether a hook of wsi is registered for an event. Every harness with hook files names the event in hook_event_name;
// one that runs another harness's hooks may spell it with a different case.
func Runs(s Source, hook setup.Hook, event []byte) bool {
	members, err := jsonraw.Object(event)
	return s.Owned.Path != "" || err == nil && strings.EqualFold(members.String("hook_event_name"), hook.Event)
}

// ProgramOf returns the first word of a command after its variable assignments, without quotes, and with stars in place of a login in
// it. It returns nothing else, because the rest can hold a secret.
func ProgramOf(command string) string {
	for {
		word, rest := cutWord(strings.TrimSpace(command))
		name, value, sets := strings.Cut(word, "=")
		switch {
		case !sets || strings.TrimFunc(name, harnesses.Word) != "":
			return edit.MaskSecrets(word)
		case strings.ContainsAny(value, "$`"): // only a shell knows where the value ends
			return name + "=..."
		}
		command = rest
	}
}

// ProgramIn returns the program in the command of a hook as [ProgramOf] does, and the file of a module or script. It
// returns "" for a hook of another kind.
func ProgramIn(hook setup.Hook) string {
	switch hook.Kind {
	case "command":
		return ProgramOf(hook.Command)
	case setup.Module, setup.Script:
		return edit.MaskSecrets(hook.Command)
	}
	return ""
}

// cutWord cuts the first word off a command as a shell would.
func cutWord(command string) (word, rest string) {
	var b strings.Builder
	for i := 0; i < len(command); i++ {
		switch c := command[i]; c {
		case ' ', '\t', '\n', '\r':
			return b.String(), command[i:]
		case '\'', '"':
			quoted, _, closed := strings.Cut(command[i+1:], command[i:i+1])
			if !closed {
				quoted, _, _ = strings.Cut(quoted, " ")
				return b.String() + quoted, ""
			}
			b.WriteString(quoted)
			i += len(quoted) + 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

// Listed returns every hook that is registered with a harness for a session in the current folder, of any program, with
// the reasons why the harness would skip it. A file that cannot be read is a hook without an event.
func Listed(env setup.Env, h setup.Harness) []setup.Hook {
	var all []setup.Hook
	for _, s := range hookSources(env, h) {
		all = append(all, s.hooks(env, h)...)
	}
	if h.Files.Modules != nil {
		all = append(all, h.Files.Modules(env)...)
	}
	return all
}

// Hooks returns what [Listed] returns, with the reasons why a hook's program could not run. A harness that
// is not on this machine imports nothing: else every user of Claude Code would have hooks in harnesses that import them.
func Hooks(env setup.Env, h setup.Harness) []setup.Hook {
	all, c := Listed(env, h), caller{env: env, harness: h}
	imported := func(x setup.Hook) bool { return x.Origin == setup.OfImport }
	if slices.ContainsFunc(all, imported) {
		if p, _ := h.Find(env); !p.Found {
			all = slices.DeleteFunc(all, imported)
		}
	}
	own := lists.Filter(Around(env, h, setup.User, setup.Project), func(s Source) bool { return s.Owned.Path != "" && len(s.Mine()) > 0 })
	for i := range all {
		if setup.Damaged(all[i].Command, h.ID) {
			all[i].Skip(setup.Reason{Why: "its command line is damaged, so wsi does nothing", Command: setupLine(h.ID, all[i].Origin)})
		}
		c.skipUnrunnable(&all[i])
		for _, s := range own {
			if s.Path != all[i].Program {
				continue
			}
			if _, problem := c.program(s.Mine()[0].Parsed.Path); problem != nil {
				problem.Fix, problem.Command = "", setupLine(h.ID, setup.Origin(s.Scope))
				all[i].Skip(*problem)
			}
		}
	}
	return all
}

// setupLine returns what registers wsi's hooks of this origin again.
func setupLine(harness string, of setup.Origin) string {
	return "wsi setup --harness " + harness + map[bool]string{true: " --scope project"}[of == setup.OfProject || of == setup.OfLocal]
}

// hookSources returns the files from which a harness reads hooks of other programs too, in the order in which it does.
func hookSources(env setup.Env, h setup.Harness) []Source {
	all := slices.Concat(Around(env, h, setup.User, setup.Project), Borrowed(env, h))
	all = slices.DeleteFunc(all, func(s Source) bool { return s.Owned.Path != "" }) // Modules lists them
	if h.Files.Plugins != nil {
		for _, hf := range h.Files.Plugins(env) {
			hf.Origin = cmp.Or(hf.Origin, setup.OfPlugin)
			if s := (Source{Path: hf.Path, Hooks: hf}); s.Read(env, h) {
				all = append(all, s)
			}
		}
	}
	return all
}

// hooks returns the hooks of a file.
func (s Source) hooks(env setup.Env, h setup.Harness) []setup.Hook {
	file := s.Hooks
	if file.Origin == "" {
		file.Origin = setup.Origin(s.Scope)
	}
	broken := func(why, fix string) []setup.Hook {
		return []setup.Hook{{File: s.Path, Origin: file.Origin, Owner: file.Owner, Skipped: []setup.Reason{{Why: why, Fix: fix}}}}
	}
	if s.Content == nil && s.Err != nil {
		return broken(fmt.Sprintf("the file cannot be read: %v", phrase.Reason(s.Err)), "make it a file that you can read")
	}
	all, err := edit.Hooks(file, s.Content)
	if bad, ok := lists.Find(file.Blocked, func(b setup.Reason) bool { return !b.Off }); ok && len(all) == 0 {
		return broken(bad.Why, bad.Fix)
	}
	if err != nil {
		if fatal := h.Refused(env, file, s.Content); setup.Fatal(fatal) {
			return broken(fatal.Error(), "correct it")
		}
		return broken(fmt.Sprintf("the file is refused: %v", err), "correct it")
	}
	for i := range all {
		for _, b := range file.Blocked {
			all[i].Skip(b)
		}
	}
	if file.Origin != setup.OfImport { // it knows only files of the harness's own
		if invalid, ok := errors.AsType[setup.InvalidConfigError](h.Refused(env, file, s.Content)); ok {
			if len(all) == 0 {
				return broken(invalid.Error(), invalid.Fix)
			}
			for i := range all {
				all[i].Skip(setup.Reason{Why: invalid.Error(), Fix: invalid.Fix})
			}
		}
	}
	known, said := h.Answer(env, file, s.Content)
	for i := range all {
		all[i].Unasked, all[i].Unsure = h.Asks(file) && !known, file.Unsure
		for _, part := range said.Ignored {
			if within(all[i], part.Path) {
				all[i].Skip(setup.Reason{Why: h.Name + " ignores it: " + part.Why, Fix: "correct the entry, or remove it"})
			}
		}
	}
	if h.Hooks.Skips != nil {
		reasons := h.Hooks.Skips(env, file, s.Content, all)
		for i := range all {
			all[i].Skip(reasons...)
		}
	}
	return all
}

// within reports whether a hook is part of what is at a path of a file, or what is there is part of the hook.
func within(h setup.Hook, path []string) bool {
	own := []string{"hooks", h.Event, strconv.Itoa(h.Group), "hooks", strconv.Itoa(h.Handler)}
	n := min(len(own), len(path))
	return slices.Equal(own[:n], path[:n])
}

// HasHooks reports whether a harness reads hooks from files that are known.
func HasHooks(h setup.Harness) bool {
	return h.Files.Reads != nil || h.Files.Plugins != nil || h.Files.Modules != nil
}
