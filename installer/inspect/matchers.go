package inspect

import (
	"regexp/syntax"
	"strings"

	"wsi/harnesses"
)

// tools are names that harnesses give to tools.
var tools = []string{
	"Bash", "Read", "Edit", "Write", "Glob", "Grep", "Task", "WebFetch", "Shell", "shell", "exec_command", "apply_patch", "run_shell_command",
	"write_file", "read_file", "bash", "edit", "execute_command", "mcp__server__tool", "mcp_server_tool", "MCP:tool",
}

// matchers compares the matchers of one harness.
type matchers struct {
	harness harnesses.Harness
	names   map[string][]string // that a matcher describes
	matched map[[2]string]bool  // by matcher and name
	left    int                 // how many more names may be tried: a harness compiles a matcher for each
}

// mostTried is enough for some dozens of different matchers. Of more, some overlaps are not found.
const mostTried = 5000

func newMatchers(h harnesses.Harness) *matchers {
	return &matchers{harness: h, names: map[string][]string{}, matched: map[[2]string]bool{}, left: mostTried}
}

// overlap reports whether two matchers can match the same tool. It tries the names of known tools and names that the
// matchers describe, so that it may miss an overlap of odd patterns.
func (m *matchers) overlap(a, b string) bool {
	if m.harness.Matches == nil || a == b {
		return true
	}
	for _, names := range [][]string{m.samples(a), m.samples(b), tools} {
		for _, name := range names {
			if m.matches(a, name) && m.matches(b, name) {
				return true
			}
		}
	}
	return false
}

func (m *matchers) samples(matcher string) []string {
	names, known := m.names[matcher]
	if !known {
		names = samples(matcher)
		m.names[matcher] = names
	}
	return names
}

func (m *matchers) matches(matcher, name string) bool {
	key := [2]string{matcher, name}
	matched, known := m.matched[key]
	if !known && m.left > 0 {
		m.left--
		matched = m.harness.Matches(matcher, harnesses.Event{Name: name})
		m.matched[key] = matched
	}
	return matched
}

// samples returns some names that a matcher matches: those of a list, or texts that a regular expression describes.
func samples(matcher string) []string {
	names := strings.FieldsFunc(matcher, func(r rune) bool { return strings.ContainsRune("|, ", r) })
	if re, err := syntax.Parse(matcher, syntax.Perl); err == nil {
		names = append(names, described(re.Simplify())...)
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
			for _, begin := range all {
				for _, end := range described(sub) {
					longer = append(longer, begin+end)
				}
			}
			all = longer[:min(len(longer), most)]
		}
		return all
	}
	return []string{""}
}
