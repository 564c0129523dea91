package installer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/installer/inspect"
	"wsi/internal/lists"
)

// Conflicts returns a note for everything that interferes with the hooks that setup would register, and says what
// to do about it. It looks for servers that setup would drop, other programs' hooks on the same calls, wsi in a
// form or place that setup does not manage, and harnesses that run each other's hooks. It only reads files.
func Conflicts(o Options, h harnesses.Harness) []Note {
	now := inspect.Registered(o.Env, h, o.Scope)
	own := now.Sources
	o.Program = o.program(h, now)
	all := own
	for _, s := range inspect.Around(o.Env, h, harnesses.User, harnesses.Project) {
		if !slices.ContainsFunc(own, func(mine inspect.Source) bool { return inspect.Same(o.Env, mine.Path, s.Path) }) {
			all = append(all, s)
		}
	}
	texts := dropped(o, own)
	for i, s := range all {
		if i >= len(own) || slices.Contains(s.Owned.Elsewhere, s.Path) {
			texts = append(texts, twice(o, h, s)...)
		}
	}
	for _, s := range all {
		texts = append(texts, rivals(o, h, s)...)
	}
	imports, ours := imported(o, h)
	texts = append(texts, imports...)
	var notes []Note
	for _, text := range texts {
		notes = append(notes, Note{Harness: h.ID, Kind: Remark, Text: text})
	}
	if ours { // nothing to do
		notes = append(notes, Note{Harness: h.ID, Kind: Caveat, Text: h.ImportNote})
	}
	return notes
}

// Gates returns why the harness would skip the hooks that env's files register: switches and policies as
// remarks, a missing approval as something to do.
func Gates(env harnesses.Env, o Options, h harnesses.Harness) []Note {
	if h.Policy == nil {
		return nil
	}
	w, err := h.Wiring(inspect.InScope(env, h, o.Scope), o.Scope, o.Program)
	if err != nil {
		return []Note{{Harness: h.ID, Text: err.Error()}}
	}
	var notes []Note
	files := w.Hooks
	for _, wf := range w.Owned {
		files = append(files, harnesses.HookFile{Path: wf.Path})
	}
	for _, hf := range files {
		content, err := env.ReadFile(hf.Path)
		if err == nil {
			err = h.Policy(env, hf, content)
		}
		closed := harnesses.AllBlocked(err)
		for _, c := range closed {
			n := Note{Harness: h.ID, Text: c.Why + ". To change that: " + c.Fix + "."}
			if !strings.HasPrefix(c.Why, h.Name) {
				n.Text = h.Name + ": " + n.Text
			}
			if c.Off {
				n.Kind = Remark
			}
			if !slices.Contains(notes, n) { // one file can be of both scopes
				notes = append(notes, n)
			}
		}
		if err != nil && len(closed) == 0 {
			notes = append(notes, Note{Harness: h.ID, Text: h.Name + ": it is not certain that it runs these hooks: " + strings.Join(strings.Fields(err.Error()), " ")})
		}
	}
	return notes
}

// dropped lists the registered servers that setup would drop.
func dropped(o Options, own []inspect.Source) []string {
	var texts []string
	for _, s := range own {
		var lost []string
		for _, hook := range s.Mine() {
			for _, server := range hook.Parsed.Servers {
				if !slices.Contains(o.Program.Servers, server) {
					lost = lists.AddUnique(lost, server)
				}
			}
		}
		if len(lost) > 0 {
			command := "wsi setup"
			for _, server := range slices.Concat(lost, o.Program.Servers) {
				as := o.Program.As[server]
				if slices.Contains(lost, server) {
					as = inspect.Registration{Sources: own}.Rules()[server]
				}
				command += " --server " + harnesses.Quote(o.Env.GOOS, harnesses.ServerWord(server, as))
			}
			texts = append(texts, fmt.Sprintf("%s registers wsi for %s; this setup drops that. To keep it: %s.", s.Path, strings.Join(lost, ", "), command))
		}
	}
	return texts
}

// twice reports wsi's hooks in a place that this setup does not manage.
func twice(o Options, h harnesses.Harness, s inspect.Source) []string {
	mine := s.Mine()
	overlaps := func(hook inspect.Hook) bool {
		return slices.ContainsFunc(hook.Parsed.Servers, func(server string) bool { return slices.Contains(o.Program.Servers, server) })
	}
	if !slices.ContainsFunc(mine, overlaps) {
		return nil
	}
	both := func(hook inspect.Hook) bool {
		return h.Dedupes == nil || !h.Dedupes(hook.Command, o.Program.Command(o.Env.GOOS, hook.Parsed.Verb, h.ID))
	}
	out := takeOut(o, h, s)
	if !slices.ContainsFunc(mine, both) {
		return []string{fmt.Sprintf("wsi's hooks are also in %s; %s runs only one of them. To keep them in one place: %s.", s.Path, h.Name, out)}
	}
	return []string{fmt.Sprintf("wsi's hooks are also in %s, so they would run twice for every call. To keep them in one place: %s.", s.Path, out)}
}

// takeOut returns the command that removes wsi from a place.
func takeOut(o Options, h harnesses.Harness, s inspect.Source) string {
	command := "wsi remove --harness " + h.ID
	switch {
	case slices.Contains(s.Owned.Elsewhere, s.Path):
		return "delete " + s.Path
	case s.Scope == harnesses.User:
		return command
	case s.Project == o.Env.Cwd:
		return command + " --scope project"
	}
	return "cd " + harnesses.Quote(o.Env.GOOS, s.Project) + " && " + command + " --scope project"
}

// rivals reports other programs' hooks that run before the same calls, and wsi in a form that setup does not write.
func rivals(o Options, h harnesses.Harness, s inspect.Source) []string {
	var texts []string
	for _, hook := range s.Found {
		name := inspect.ProgramOf(hook.Command)
		switch {
		case hook.Mine:
		case inspect.IsWsi(name):
			texts = append(texts, fmt.Sprintf("wsi is registered by hand in %s, under %s, in a form that setup neither writes nor removes: remove it yourself.", s.Path, hook.Event))
		case Rival(h, s, hook, o.Program.Servers):
			texts = append(texts, fmt.Sprintf("%s: a hook under %s also runs before these calls (%s); if it rewrites arguments, the hook that ends last wins, so give it a matcher that excludes these calls.",
				s.Path, hook.Event, cmp.Or(name, "no command")))
		}
	}
	return texts
}

// imported reports another harness's hooks that this one also runs, and whether wsi's are among them.
func imported(o Options, h harnesses.Harness) (texts []string, ours bool) {
	if h.Imports == nil {
		return nil, false
	}
	for _, hf := range h.Imports(o.Env) {
		s := inspect.Source{Path: hf.Path, Hooks: hf}
		for _, other := range o.Harnesses {
			w, err := other.Wiring(o.Env, o.Scope, o.Program)
			ours = ours || err == nil && slices.Contains(paths(w), hf.Path)
		}
		if !s.Read(o.Env, h) {
			continue
		}
		for _, hook := range s.Found {
			_, wsi := harnesses.ParseCommand(hook.Command)
			ours = ours || wsi
			if !wsi && Rival(h, s, hook, o.Program.Servers) {
				texts = append(texts, fmt.Sprintf("%s: %s also runs these hooks, and one under %s matches these calls (%s); if it rewrites arguments, the hook that ends last wins, so give it a matcher.",
					s.Path, h.Name, hook.Event, cmp.Or(inspect.ProgramOf(hook.Command), "no command")))
			}
		}
	}
	return texts, ours
}

// Rival reports whether a hook of another program runs before tool calls of one of the servers, so that it could
// rewrite their arguments.
func Rival(h harnesses.Harness, s inspect.Source, hook inspect.Hook, servers []string) bool {
	if hook.Mine || s.Owned.Path != "" {
		return false
	}
	return slices.ContainsFunc(servers, func(server string) bool {
		play := harnesses.ToolCall{Session: "s", ID: "c", Server: server, Tool: "next_activity", Args: []byte(`{}`), Cwd: "/"}
		return inspect.Runs(h, s, hook, h.Simulator.Before(play))
	})
}
