package inspect

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
)

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
	for _, event := range groupedBy(numbers(len(hooks)), func(i int) string { return folded(hooks[i].Event) }) {
		if h.Hooks.Matches == nil {
			g.of = append(g.of, event)
			continue
		}
		with := groupedBy(event, func(i int) string { return hooks[i].Matcher })
		matchers := make([]string, len(with))
		for i, same := range with {
			matchers[i] = hooks[same[0]].Matcher
		}
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

// linked returns the hooks that pairs link, each in the order of the hooks. pairs calls link for hooks of a group of which each
// is linked with at least one other, and all with each other over these.
func (g groups) linked(pairs func(at []int, link func(of []int))) (all [][]setup.Hook) {
	s := sets(numbers(len(g.hooks)))
	for _, at := range g.of {
		pairs(at, s.join)
	}
	for _, same := range groupedBy(numbers(len(g.hooks)), s.of) {
		if len(same) > 1 {
			var members []setup.Hook
			for _, i := range same {
				members = append(members, g.hooks[i])
			}
			all = append(all, members)
		}
	}
	return all
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
