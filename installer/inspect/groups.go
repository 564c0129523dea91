package inspect

import (
	"slices"

	"wsi/harnesses/setup"
)

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
