package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"wsi/harnesses"
	"wsi/installer/edit"
)

// Listed returns every hook that is registered with a harness for a session in the current folder, of any program, with
// the reasons why the harness would skip it. A file that cannot be read is a hook without an event.
func Listed(env harnesses.Env, h harnesses.Harness) []harnesses.Hook {
	var all []harnesses.Hook
	for _, s := range hookSources(env, h) {
		all = append(all, s.hooks(env, h)...)
	}
	if h.Modules != nil {
		all = append(all, h.Modules(env)...)
	}
	return all
}

// Hooks returns what [Listed] returns, with the reasons why a hook's program could not run, and what it does. A harness that
// is not on this machine imports nothing: else every user of Claude Code would have hooks in harnesses that import them.
func Hooks(env harnesses.Env, h harnesses.Harness) []harnesses.Hook {
	all, c := Listed(env, h), newCaller(env, h)
	imported := func(x harnesses.Hook) bool { return x.Origin == harnesses.OfImport }
	if slices.ContainsFunc(all, imported) {
		if p, _ := h.Find(env); !p.Found {
			all = slices.DeleteFunc(all, imported)
		}
	}
	for i := range all {
		c.skipUnrunnable(&all[i])
		if before(all[i].Event) {
			all[i].Does = c.effects(all[i])
		}
	}
	return all
}

// hookSources returns the files from which a harness reads hooks of other programs too, in the order in which it does.
func hookSources(env harnesses.Env, h harnesses.Harness) []Source {
	all := slices.Concat(around(env, h, (*Source).load, harnesses.User, harnesses.Project), borrowed(env, h, (*Source).load))
	all = slices.DeleteFunc(all, func(s Source) bool { return s.Owned.Path != "" }) // Modules lists them
	if h.Plugins != nil {
		for _, hf := range h.Plugins(env) {
			hf.Origin = cmp.Or(hf.Origin, harnesses.OfPlugin)
			if s := (Source{Path: hf.Path, Hooks: hf}); s.load(env, h) {
				all = append(all, s)
			}
		}
	}
	return all
}

// hooks returns the hooks of a file.
func (s Source) hooks(env harnesses.Env, h harnesses.Harness) []harnesses.Hook {
	file := s.Hooks
	if file.Origin == "" {
		file.Origin = harnesses.Origin(s.Scope)
	}
	broken := func(why, fix string) []harnesses.Hook {
		return []harnesses.Hook{{File: s.Path, Origin: file.Origin, Owner: file.Owner, Skipped: []harnesses.BlockedError{{Why: why, Fix: fix}}}}
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
	if h.Validate != nil && file.Origin != harnesses.OfImport { // it knows only files of the harness's own
		var invalid harnesses.InvalidConfigError
		if errors.As(h.Validate(file, s.Content), &invalid) && invalid.Before == "" {
			if len(all) == 0 {
				return broken(invalid.Error(), invalid.Fix)
			}
			for i := range all {
				all[i].Skip(harnesses.BlockedError{Why: invalid.Error(), Fix: invalid.Fix})
			}
		}
	}
	if h.Skips != nil {
		h.Skips(env, file, s.Content, all)
	}
	return all
}

// RunsBefore reports whether a hook runs before tool calls of one of the servers, unless it is skipped.
func RunsBefore(h harnesses.Harness, hook harnesses.Hook, servers []string) bool {
	if hook.Event == "" || h.Simulator == nil {
		return false
	}
	return slices.ContainsFunc(servers, func(server string) bool {
		play := harnesses.ToolCall{Session: "s", ID: "c", Server: server, Tool: "next_activity", Args: []byte(`{}`), Cwd: "/"}
		return runsFor(h, hook.Event, hook.Matcher, h.Simulator.Before(play))
	})
}

// HasHooks reports whether a harness reads hooks from files that are known.
func HasHooks(h harnesses.Harness) bool {
	return h.Reads != nil || h.Plugins != nil || h.Modules != nil
}
