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
