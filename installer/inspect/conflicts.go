package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/installer/edit"
	"wsi/internal/lists"
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
		how = fmt.Sprintf("are the same under %s, and %s runs only one of them", c[0].Event, h.Name)
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
		return edit.MaskSecrets(hook.Command)
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

// tools are names that harnesses give to tools.
var tools = []string{
	"Bash", "Read", "Edit", "Write", "Glob", "Grep", "Task", "WebFetch", "Shell", "shell", "exec_command", "apply_patch", "run_shell_command",
	"write_file", "read_file", "bash", "edit", "execute_command", "mcp__server__tool", "mcp_server_tool", "MCP:tool",
}

// Limits of comparing matchers. Of more matchers, some overlaps are not found; a longer one counts as one for all tools.
const (
	mostTried = 20_000 // names, of all matchers of an event together
	longest   = 1000
)

// matched returns the sets of matchers that match the same tool, of matchers that all differ. It tries the names of known
// tools and names that the matchers describe, so that it may miss an overlap of odd patterns.
func matched(h setup.Harness, matchers []string) (sets [][]int) {
	names := slices.Clone(tools)
	for _, m := range matchers {
		if len(m) <= longest && len(names) < mostTried {
			names = append(names, samples(m)...)
		}
	}
	names = names[:min(len(names), mostTried/max(len(matchers), 1))]
	by := make([][]int, len(names))
	for i, m := range matchers {
		sets = append(sets, []int{i})
		for j, name := range names {
			if len(m) > longest || h.Hooks.Matches(m, harnesses.Event{Name: name}) {
				by[j] = append(by[j], i)
			}
		}
	}
	known := map[string]bool{}
	for _, set := range by {
		if key := fmt.Sprint(set); len(set) > 1 && !known[key] {
			known[key] = true
			sets = append(sets, set)
		}
	}
	return sets
}

// samples returns some names that a matcher may match: those of a list, or texts that a regular expression describes.
func samples(matcher string) []string {
	names := strings.FieldsFunc(matcher, func(r rune) bool { return strings.ContainsRune("|, ", r) })
	names = names[:min(len(names), most)]
	if re, err := syntax.Parse(matcher, syntax.Perl); err == nil {
		names = append(names, described(re)...)
	}
	return names
}

// most is how many names are made of one expression.
const most = 32

// described returns texts that an expression matches.
func described(re *syntax.Regexp) []string {
	switch re.Op { //nolint:exhaustive // others match an empty text, or nothing
	case syntax.OpLiteral:
		return []string{string(re.Rune)}
	case syntax.OpCharClass:
		if len(re.Rune) > 0 {
			return []string{string(re.Rune[0])}
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return []string{"x"}
	case syntax.OpCapture, syntax.OpPlus:
		return described(re.Sub[0])
	case syntax.OpRepeat: // {n,m}
		all := described(re.Sub[0])
		for i := range all {
			all[i] = strings.Repeat(all[i], min(re.Min, most))
		}
		return all
	case syntax.OpStar, syntax.OpQuest:
		return append([]string{""}, described(re.Sub[0])...)
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			all = append(all, described(sub)...)
		}
		return all[:min(len(all), most)]
	case syntax.OpConcat:
		all := []string{""}
		for _, sub := range re.Sub {
			var longer []string
			ends := described(sub) // once: expressions can be nested
			for _, begin := range all {
				for _, end := range ends {
					longer = append(longer, begin+end)
				}
			}
			all = longer[:min(len(longer), most)]
		}
		return all
	}
	return []string{""}
}

// groups are the indexes of hooks that run for the same call of the same event, as far as that is known. A hook can be in
// several of them.
type groups struct {
	hooks []setup.Hook
	of    [][]int
}

func meetings(h setup.Harness, hooks []setup.Hook) groups {
	g := groups{hooks: hooks}
	for _, event := range groupedBy(numbers(len(hooks)), func(i int) string { return strings.ToLower(hooks[i].Event) }) {
		if h.Hooks.Matches == nil {
			g.of = append(g.of, event)
			continue
		}
		with := groupedBy(event, func(i int) string { return hooks[i].Matcher })
		matchers := lists.Map(with, func(same []int) string { return hooks[same[0]].Matcher })
		for _, set := range matched(h, matchers) {
			var meet []int
			for _, m := range set {
				meet = append(meet, with[m]...)
			}
			slices.Sort(meet)
			g.of = append(g.of, meet)
		}
	}
	return g
}

// linked returns the largest sets of hooks that pairs links, of those that run for the same call.
func (g groups) linked(pairs func(at []int, link func(of []int))) (largest [][]int) {
	var all [][]int
	for _, at := range g.of {
		pairs(at, func(of []int) { all = append(all, of) })
	}
	slices.SortStableFunc(all, func(a, b []int) int { return len(b) - len(a) })
	in := make([]map[int]bool, len(g.hooks)) // by hook, which of the largest have it
	for _, set := range all {
		within := slices.Collect(maps.Keys(in[set[0]]))
		for _, i := range set[1:] {
			within = slices.DeleteFunc(within, func(n int) bool { return !in[i][n] })
		}
		if len(set) < 2 || len(within) > 0 {
			continue
		}
		for _, i := range set {
			if in[i] == nil {
				in[i] = map[int]bool{}
			}
			in[i][len(largest)] = true
		}
		largest = append(largest, set)
	}
	slices.SortStableFunc(largest, slices.Compare)
	return largest
}

// rewriting returns the hooks that may change the arguments of the same calls, in one set for each set of programs.
func (g groups) rewriting(programs []int) (all [][]setup.Hook) {
	program := func(i int) int { return programs[i] }
	sets := g.linked(func(at []int, link func(of []int)) {
		changing := slices.DeleteFunc(slices.Clone(at), func(i int) bool { return !mayRewrite(g.hooks[i]) })
		if len(groupedBy(changing, program)) > 1 {
			link(changing)
		}
	})
	same := groupedBy(numbers(len(sets)), func(n int) string {
		of := lists.Map(groupedBy(sets[n], program), func(one []int) int { return programs[one[0]] })
		slices.Sort(of)
		return fmt.Sprint(of)
	})
	for _, ns := range same {
		var of []int
		for _, n := range ns {
			of = append(of, sets[n]...)
		}
		slices.Sort(of)
		all = append(all, g.at(slices.Compact(of)))
	}
	return all
}

func (g groups) at(indexes []int) []setup.Hook {
	return lists.Map(indexes, func(i int) setup.Hook { return g.hooks[i] })
}

// numbers returns 0 to n-1.
func numbers(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// groupedBy groups indexes by a key, in the order of the first of each group.
func groupedBy[K comparable](all []int, key func(i int) K) (groups [][]int) {
	at := map[K]int{}
	for _, i := range all {
		k := key(i)
		n, known := at[k]
		if !known {
			n = len(groups)
			at[k], groups = n, append(groups, nil)
		}
		groups[n] = append(groups[n], i)
	}
	return groups
}

// sets are disjoint sets of indexes: each names another one of its set, and the first one itself.
type sets []int

// of returns the first index of the set of i.
func (s sets) of(i int) int {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

// join makes one set of the sets of these indexes.
func (s sets) join(all []int) {
	for _, i := range all {
		a, b := s.of(all[0]), s.of(i)
		s[max(a, b)] = min(a, b)
	}
}
