package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"wsi/harnesses/setup"
	"wsi/installer/edit"
)

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
	all, c := Listed(env, h), newCaller(env, h)
	imported := func(x setup.Hook) bool { return x.Origin == setup.OfImport }
	if slices.ContainsFunc(all, imported) {
		if p, _ := h.Find(env); !p.Found {
			all = slices.DeleteFunc(all, imported)
		}
	}
	for i := range all {
		if setup.Damaged(all[i].Command, h.ID) {
			all[i].Skip(setup.BlockedError{Why: "its command line is damaged, so wsi does nothing", Fix: "wsi setup --harness " + h.ID})
		}
		c.skipUnrunnable(&all[i])
	}
	return all
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
		return []setup.Hook{{File: s.Path, Origin: file.Origin, Owner: file.Owner, Skipped: []setup.BlockedError{{Why: why, Fix: fix}}}}
	}
	if s.Content == nil && s.Err != nil {
		return broken(fmt.Sprintf("the file cannot be read: %v", s.Err), "")
	}
	all, err := edit.Hooks(file, s.Content)
	if err != nil {
		return broken(fmt.Sprintf("the file is refused: %v", err), "correct it")
	}
	for i := range all {
		for _, b := range file.Blocked {
			all[i].Skip(b)
		}
	}
	if file.Origin != setup.OfImport { // it knows only files of the harness's own
		var invalid setup.InvalidConfigError
		if errors.As(h.Refused(env, file, s.Content), &invalid) && invalid.Before == "" {
			if len(all) == 0 {
				return broken(invalid.Error(), invalid.Fix)
			}
			for i := range all {
				all[i].Skip(setup.BlockedError{Why: invalid.Error(), Fix: invalid.Fix})
			}
		}
	}
	if h.Hooks.Skips != nil {
		h.Hooks.Skips(env, file, s.Content, all)
	}
	return all
}

// RunsBefore reports whether a hook runs before tool calls of one of the servers, unless it is skipped. A module of a
// plugin may: its code cannot be known.
func RunsBefore(h setup.Harness, hook setup.Hook, servers []string) bool {
	if hook.Kind == setup.Module && hook.Origin == setup.OfPlugin {
		return len(hook.Skipped) == 0
	}
	if hook.Event == "" || h.Proof.Simulator == nil {
		return false
	}
	return slices.ContainsFunc(servers, func(server string) bool {
		play := setup.ToolCall{Session: "s", ID: "c", Server: server, Tool: "next_activity", Args: []byte(`{}`), Cwd: "/"}
		return runsFor(h, hook.Event, hook.Matcher, h.Proof.Simulator.Before(play))
	})
}

// HasHooks reports whether a harness reads hooks from files that are known.
func HasHooks(h setup.Harness) bool {
	return h.Files.Reads != nil || h.Files.Plugins != nil || h.Files.Modules != nil
}
