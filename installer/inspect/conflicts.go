package inspect

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses"
)

// Conflict is what hooks of one harness do to each other. Its texts are as in the files.
type Conflict struct {
	Kind  ConflictKind
	Text  string // a clause without a full stop, with the places
	Hooks []harnesses.Hook
}

// ConflictKind is a kind of conflict.
type ConflictKind string

// The kinds.
const (
	Rewriting ConflictKind = "rewrite" // hooks of different programs may change the arguments of the same calls
	Twice     ConflictKind = "twice"   // the same hook is registered more than once
	Imported  ConflictKind = "import"  // a hook is registered here, and imported from another harness
	Deciding  ConflictKind = "decide"  // one hook may block calls that another one approves
)

// Conflicts returns the conflicts between the hooks of a harness that run, as [Hooks] returns them. What a hook does can be
// known only from its text, so most conflicts are possible ones.
func Conflicts(h harnesses.Harness, hooks []harnesses.Hook) (all []Conflict) {
	hooks = slices.DeleteFunc(slices.Clone(hooks), func(x harnesses.Hook) bool { return len(x.Skipped) > 0 || x.Event == "" })
	m := newMatchers(h)
	meet := func(a, b harnesses.Hook) bool {
		return strings.EqualFold(a.Event, b.Event) && m.overlap(a.Matcher, b.Matcher)
	}
	for _, c := range clusters(hooks, func(a, b harnesses.Hook) bool { return same(a, b) && meet(a, b) }) {
		all = append(all, repeated(h, c))
	}
	rewriting := slices.DeleteFunc(slices.Clone(hooks), func(x harnesses.Hook) bool { return !mayRewrite(x) })
	for _, c := range clusters(rewriting, func(a, b harnesses.Hook) bool { return identity(a) != identity(b) && !same(a, b) && meet(a, b) }) {
		all = append(all, Conflict{Rewriting, fmt.Sprintf("%s run before the same calls under %s, and may change their arguments: the one that ends last wins; give them matchers that exclude each other's calls", listed(c), c[0].Event), c})
	}
	for _, c := range clusters(hooks, func(a, b harnesses.Hook) bool {
		return (a.Does.Blocks && b.Does.Approves || b.Does.Blocks && a.Does.Approves) && identity(a) != identity(b) && meet(a, b)
	}) {
		blocks := slices.DeleteFunc(slices.Clone(c), func(x harnesses.Hook) bool { return !x.Does.Blocks })
		approves := slices.DeleteFunc(slices.Clone(c), func(x harnesses.Hook) bool { return !x.Does.Approves })
		all = append(all, Conflict{Deciding, fmt.Sprintf("%s may block calls under %s that %s may approve for you", listed(blocks), c[0].Event, listed(approves)), c})
	}
	return slices.DeleteFunc(all, func(c Conflict) bool { // the harness that they are imported from has it, too
		return !slices.ContainsFunc(c.Hooks, func(x harnesses.Hook) bool { return x.Origin != harnesses.OfImport })
	})
}

// repeated is the conflict of hooks that do the same.
func repeated(h harnesses.Harness, c []harnesses.Hook) Conflict {
	kind, how := Twice, fmt.Sprintf("are registered %d times under %s, so they run %d times for each event", len(c), c[0].Event, len(c))
	if i := slices.IndexFunc(c, func(x harnesses.Hook) bool { return x.Origin == harnesses.OfImport }); i >= 0 && slices.ContainsFunc(c, func(x harnesses.Hook) bool { return x.Origin != harnesses.OfImport }) {
		kind, how = Imported, fmt.Sprintf("do the same under %s: %s also runs the hooks of %s", c[0].Event, h.Name, cmp.Or(c[i].Owner, "another harness"))
	} else if h.Dedupes != nil && !slices.ContainsFunc(c, func(x harnesses.Hook) bool { return !h.Dedupes(c[0].Command, x.Command) }) {
		how = fmt.Sprintf("are the same under %s, of which %s runs only one", c[0].Event, h.Name)
	}
	return Conflict{kind, listed(c) + " " + how, c}
}

// clusters returns the groups of hooks that are linked by pairs, each in the order of the hooks. A hook without a partner
// is in none.
func clusters(hooks []harnesses.Hook, pair func(a, b harnesses.Hook) bool) (groups [][]harnesses.Hook) {
	group := make([]int, len(hooks))
	for i := range group {
		group[i] = i
	}
	for i := range hooks {
		for j := range hooks[:i] {
			if group[i] == group[j] || !pair(hooks[i], hooks[j]) {
				continue
			}
			from, to := max(group[i], group[j]), min(group[i], group[j])
			for k := range group {
				if group[k] == from {
					group[k] = to
				}
			}
		}
	}
	for i := range hooks {
		var members []harnesses.Hook
		for j, g := range group {
			if g == i {
				members = append(members, hooks[j])
			}
		}
		if len(members) > 1 {
			groups = append(groups, members)
		}
	}
	return groups
}

// same reports whether two hooks do the same: they have the same command, or one is imported and has the same program. Those
// of wsi know when another harness runs them.
func same(a, b harnesses.Hook) bool {
	_, wsi := harnesses.ParseCommand(a.Command)
	switch {
	case a.Command == "" || a.File == b.File && a.Line == b.Line && a.Group == b.Group && a.Handler == b.Handler:
		return false
	case strings.TrimSpace(a.Command) == strings.TrimSpace(b.Command):
		return a.Kind == b.Kind
	}
	return !wsi && (a.Origin == harnesses.OfImport) != (b.Origin == harnesses.OfImport) && a.Program != "" && filepath.Base(a.Program) == filepath.Base(b.Program)
}

// mayRewrite reports whether a hook may change the arguments of calls.
func mayRewrite(hook harnesses.Hook) bool {
	if !slices.Contains(changing, folded(hook.Event)) || hook.Kind == "prompt" || hook.Kind == "agent" {
		return false
	}
	return hook.Does.Rewrites || !hook.Does.Read
}

// Events whose hooks can change a call, and others whose hooks can stop or approve it, in lower case.
var (
	changing = []string{"pretooluse", "beforetool", "tool.execute.before"}
	deciding = []string{"permissionrequest", "beforeshellexecution", "beforemcpexecution", "beforereadfile"}
)

// before reports whether the hooks of an event run before a call, and can change, stop or approve it.
func before(event string) bool {
	return slices.Contains(changing, folded(event)) || slices.Contains(deciding, folded(event))
}

func folded(event string) string { return strings.ToLower(event) }

// identity names the program that a hook is part of.
func identity(hook harnesses.Hook) string {
	_, wsi := harnesses.ParseCommand(hook.Command)
	switch {
	case wsi:
		return "wsi"
	case hook.Origin == harnesses.OfPlugin && hook.Owner != "":
		return "plugin " + hook.Owner
	}
	return cmp.Or(hook.Program, strings.TrimSpace(hook.Command))
}

// listed names hooks by their programs and places.
func listed(hooks []harnesses.Hook) string {
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
func called(hook harnesses.Hook) string {
	name := cmp.Or(hook.Program, ProgramIn(hook))
	if name == "" {
		return "a hook of type " + hook.Kind
	}
	return filepath.Base(name)
}

// ProgramIn returns the program in the command of a hook as [ProgramOf] does, and the file of a module or script. It
// returns "" for a hook of another kind.
func ProgramIn(hook harnesses.Hook) string {
	switch hook.Kind {
	case "command":
		return ProgramOf(hook.Command)
	case harnesses.Module, harnesses.Script:
		return hook.Command
	}
	return ""
}

// placeOf returns where a hook is registered.
func placeOf(hook harnesses.Hook) string {
	if hook.Line == 0 {
		return hook.File
	}
	return fmt.Sprintf("%s:%d", hook.File, hook.Line)
}
