package installer

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/installer/inspect"
	"wsi/internal/lists"
	"wsi/internal/phrase"
)

// conflicts returns a note for everything that interferes with the hooks that setup would register, and says what
// to do about it. It looks for servers that setup would drop, and wsi in a form or
// place that setup does not manage. It only reads files.
func conflicts(o Options, h wired) []Note {
	own := h.now.Sources
	all := own
	for _, s := range inspect.Around(o.Env, h.Harness, setup.User, setup.Project) {
		if !slices.ContainsFunc(own, func(mine inspect.Source) bool { return inspect.Same(o.Env, mine.Path, s.Path) }) {
			all = append(all, s)
		}
	}
	notes := dropped(o, h)
	for i, s := range all {
		if i >= len(own) || slices.Contains(s.Owned.Elsewhere, s.Path) {
			notes = append(notes, twice(o, h, s)...)
		}
	}
	return append(notes, byHand(o, h)...)
}

// dropped names the servers whose hooks setup would drop.
func dropped(o Options, h wired) []Note {
	hooks := inspect.Registration{Sources: h.now.Sources}
	lost := lists.Filter(hooks.Servers(), func(name string) bool { return !slices.Contains(h.program.Servers, name) })
	if lost == nil {
		return nil
	}
	n := h.note(Remark, "This setup leaves no hook for %s in %s. To have hooks for all these servers", phrase.List(lost, "and"), they)
	set := lists.Filter(o.Harnesses, func(h setup.Harness) bool { return inspect.Registered(o.Env, h, o.Scope).Mode() != "" })
	o.Program.As = o.rulesNow(h.now)
	maps.Copy(o.Program.As, h.program.As)
	h.ID = strings.Join(lists.Map(set, func(h setup.Harness) string { return h.ID }), ",")
	n.Command = o.again(h.Harness, o.Scope, slices.Concat(lost, h.program.Servers))
	return []Note{n}
}

func (h wired) remark(command, format string, args ...any) Note {
	return Note{Harness: h.ID, Kind: Remark, Text: fmt.Sprintf(format, args...), Command: command}
}

// absent reports programs of wsi that setup replaces, in hooks and in relays, although they are not on this machine: a file
// can be shared with another machine, or with another system on this one.
func absent(o Options, h wired) (all []Note) {
	say := func(file, path string) {
		if path != filepath.ToSlash(h.program.Path) && path != h.program.Path && !o.Env.Exists(filepath.FromSlash(path)) {
			all = lists.AddUnique(all, h.remark("", "%s runs wsi at %s, which is not on this machine. This setup replaces that path. If another machine or system uses the file, too, wsi no longer works there.", file, path))
		}
	}
	for _, s := range h.now.Sources {
		for _, hook := range s.Mine() {
			say(s.Path, hook.Parsed.Path)
		}
	}
	for _, f := range h.now.Relays {
		say(f.Path, f.Relay.Path)
	}
	return all
}

// twice reports wsi's hooks in a place that this setup does not manage.
func twice(o Options, h wired, s inspect.Source) []Note {
	mine := s.Mine()
	overlaps := func(hook setup.Hook) bool {
		return slices.ContainsFunc(hook.Parsed.Servers, func(server string) bool { return slices.Contains(h.program.Servers, server) })
	}
	if !slices.ContainsFunc(mine, overlaps) {
		return nil
	}
	both := func(hook setup.Hook) bool {
		return h.Hooks.Dedupes == nil || !h.Hooks.Dedupes(hook.Command, h.program.Command(o.Env.GOOS, hook.Parsed.Verb, h.ID))
	}
	out, effect := takeOut(o, h, s), "; "+h.Name+" runs each only once, so this does no harm"
	if slices.ContainsFunc(mine, both) {
		effect = ", so each runs twice for every call"
	}
	return []Note{h.remark(out.Command, "wsi's hooks are also in %s%s. To keep them in one place%s", s.Path, effect, out.Text)}
}

// takeOut returns what leaves wsi in one of two scopes: the user's, which is also for all other projects.
func takeOut(o Options, h wired, s inspect.Source) phrase.Fix {
	if s.Scope != setup.User {
		o.Scope = s.Scope
	}
	switch {
	case slices.Contains(s.Owned.Elsewhere, s.Path):
		return phrase.Fix{Text: ": delete " + s.Path + "."}
	case s.Scope == setup.User, s.Project == o.Env.Cwd:
		return phrase.Fix{Command: o.command("remove", h.Harness)}
	}
	in := setup.RunIn(o.Env.GOOS, s.Project, o.command("remove", h.Harness))
	if in.Text != "" {
		in.Text = ", " + in.Text
	}
	return in
}

// byHand reports hooks of wsi in a form that setup does not write.
func byHand(o Options, h wired) (all []Note) {
	for _, hook := range inspect.Listed(o.Env, h.Harness) {
		if _, setups := setup.ParseCommand(hook.Command); !setups && hook.Origin != setup.OfImport && !setup.Damaged(hook.Command, h.ID) && setup.RunsHook(inspect.ProgramIn(hook), hook.Command) {
			all = lists.AddUnique(all, h.remark("", "wsi is registered by hand in %s, under %s, in a form that setup neither writes nor removes: remove it yourself.", hook.File, hook.Event))
		}
	}
	return all
}

// sharing reports other harnesses that will start the same relays, because they read the same file.
func sharing(env setup.Env, h wired, relays []inspect.WrappedServer) (notes []Note) {
	for _, other := range registry.All() {
		for _, f := range relays {
			if _, in := inspect.ServersIn(env, other, f.Path); !in || other.ID == h.ID {
				continue
			}
			notes = append(notes, h.remark("", "%[1]s also reads %[2]s, so it starts the relay that %[4]s has for %[3]s. Values may be missing in %[1]s. Register %[3]s for %[1]s in another file.",
				other.Name, f.Path, f.Name, h.Name))
			break
		}
	}
	return notes
}
