package inspect

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses/setup"
)

// Conflict is what hooks of one harness do to each other. Its texts are as in the files.
type Conflict struct {
	Kind  ConflictKind
	Text  string // a clause without a full stop, with the places
	Hooks []setup.Hook
}

// ConflictKind is a kind of conflict.
type ConflictKind string

// The kinds.
const (
	Rewriting ConflictKind = "rewrite" // hooks of different programs may change the arguments of the same calls
	Twice     ConflictKind = "twice"   // the same hook is registered more than once
	Imported  ConflictKind = "import"  // a hook is registered here, and imported from another harness
)

// Conflicts returns the conflicts between the hooks of a harness that run, as [Hooks] returns them. What a hook does is
// known only when it runs, so most conflicts are possible ones. A repository can have thousands of hooks, so they are
// compared in groups, not in pairs.
func Conflicts(h setup.Harness, hooks []setup.Hook) (all []Conflict) {
	hooks = slices.DeleteFunc(slices.Clone(hooks), func(x setup.Hook) bool { return len(x.Skipped) > 0 || x.Event == "" })
	where, programs := meetings(h, hooks), programsOf(hooks)
	for _, same := range where.linked(func(at []int, link func(of []int)) { linkSame(hooks, at, link) }) {
		all = append(all, repeated(h, where.at(same)))
	}
	for _, c := range where.rewriting(programs) {
		all = append(all, Conflict{Rewriting, fmt.Sprintf("%s run before the same calls under %s, and may change their arguments: the one that ends last wins; give them matchers that exclude each other's calls", listed(c), c[0].Event), c})
	}
	return slices.DeleteFunc(all, func(c Conflict) bool { // the harness that they are imported from has it, too
		return !slices.ContainsFunc(c.Hooks, func(x setup.Hook) bool { return x.Origin != setup.OfImport })
	})
}

// linkSame links hooks that do the same: those of the same kind and command, under the same condition, and an imported one with one
// of the same program that is not. Those of wsi know when another harness runs them.
func linkSame(hooks []setup.Hook, at []int, link func(of []int)) {
	type line struct{ kind, command, only string }
	for _, same := range groupedBy(at, func(i int) line {
		h := hooks[i]
		return line{h.Kind, strings.TrimSpace(h.CommandLine()), fmt.Sprint(h.Fields["if"])}
	}) {
		if hooks[same[0]].Command != "" {
			link(same)
		}
	}
	for _, same := range groupedBy(at, func(i int) string { return importable(hooks[i]) }) {
		imported := func(i int) bool { return hooks[i].Origin == setup.OfImport }
		own := func(i int) bool { return !imported(i) }
		if importable(hooks[same[0]]) != "" && slices.ContainsFunc(same, imported) && slices.ContainsFunc(same, own) {
			link(same)
		}
	}
}

// repeated is the conflict of hooks that do the same.
func repeated(h setup.Harness, c []setup.Hook) Conflict {
	kind, how := Twice, fmt.Sprintf("are registered %d times under %s, so they run %d times for each event", len(c), c[0].Event, len(c))
	if i := slices.IndexFunc(c, func(x setup.Hook) bool { return x.Origin == setup.OfImport }); i >= 0 && slices.ContainsFunc(c, func(x setup.Hook) bool { return x.Origin != setup.OfImport }) {
		kind, how = Imported, fmt.Sprintf("do the same under %s: %s also runs the hooks of %s", c[0].Event, h.Name, cmp.Or(c[i].Owner, "another harness"))
	} else if h.Hooks.Dedupes != nil && !slices.ContainsFunc(c, func(x setup.Hook) bool { return !h.Hooks.Dedupes(c[0].Command, x.Command) }) {
		how = fmt.Sprintf("are the same under %s, of which %s runs only one", c[0].Event, h.Name)
	}
	return Conflict{kind, listed(c) + " " + how, c}
}

// importable returns the name of a hook's program, by which it is compared with hooks of another harness; "" for none.
func importable(hook setup.Hook) string {
	if _, wsi := setup.ParseCommand(hook.Command); wsi || hook.Command == "" || hook.Program == "" {
		return ""
	}
	return filepath.Base(hook.Program)
}

// programsOf returns a number for the program that each hook is part of. Hooks with the same command are part of the same
// one, and so are an imported hook and one with the same program that is not.
func programsOf(hooks []setup.Hook) []int {
	all := numbers(len(hooks))
	s := sets(numbers(len(hooks)))
	for _, same := range groupedBy(all, func(i int) string { return identity(hooks[i]) }) {
		s.join(same)
	}
	linkSame(hooks, all, s.join)
	for i := range all {
		all[i] = s.of(i)
	}
	return all
}

// mayRewrite reports whether a hook may change the arguments of calls.
func mayRewrite(hook setup.Hook) bool {
	changing := []string{"pretooluse", "beforetool"}
	return slices.Contains(changing, strings.ToLower(hook.Event)) && hook.Kind != "prompt" && hook.Kind != "agent"
}

// identity names the program that a hook is part of.
func identity(hook setup.Hook) string {
	_, wsi := setup.ParseCommand(hook.Command)
	switch {
	case wsi:
		return "wsi"
	case hook.Origin == setup.OfPlugin && hook.Owner != "":
		return "plugin " + hook.Owner
	}
	return cmp.Or(hook.Program, strings.TrimSpace(hook.Command))
}

// listed names hooks by their programs and places.
func listed(hooks []setup.Hook) string {
	const shown = 4
	var parts []string
	for i, x := range hooks {
		if i == shown && len(hooks) > shown+1 {
			parts = append(parts, fmt.Sprintf("%d more", len(hooks)-shown))
			break
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", called(x), placeOf(x)))
	}
	if last := len(parts) - 1; last > 0 {
		return strings.Join(parts[:last], ", ") + " and " + parts[last]
	}
	return strings.Join(parts, "")
}

// called returns a short name of a hook: that of its program, or what it is if it runs none.
func called(hook setup.Hook) string {
	name := cmp.Or(hook.Program, ProgramIn(hook))
	if name == "" {
		return "a hook of type " + hook.Kind
	}
	return filepath.Base(name)
}

// ProgramIn returns the program in the command of a hook as [ProgramOf] does, and the file of a module or script. It
// returns "" for a hook of another kind.
func ProgramIn(hook setup.Hook) string {
	switch hook.Kind {
	case "command":
		return ProgramOf(hook.Command)
	case setup.Module, setup.Script:
		return hook.Command
	}
	return ""
}

// placeOf returns where a hook is registered.
func placeOf(hook setup.Hook) string {
	if hook.Line == 0 {
		return hook.File
	}
	return fmt.Sprintf("%s:%d", hook.File, hook.Line)
}
