package setup

import (
	"slices"
	"strings"

	"wsi/harnesses"
)

// others are the commands of wsi with --harness that are not hooks. A user may have registered one of them.
var others = []string{"doctor", "handles", "hooks", "log", harnesses.Relay, "remove", "setup", "snippet", "status"}

// Damaged reports whether a command line was one of wsi's hooks for a harness before it was edited: its verb, a flag or
// a quote is wrong. It is false for other commands of wsi, and for a line in which a shell combines commands.
func Damaged(line, harness string) bool {
	if _, ok := ParseCommand(line); ok || harness == "" {
		return false
	}
	words, ok := split(strings.TrimPrefix(line, viaCmd))
	if !ok {
		words, ok = unclosed(line)
	}
	if !ok || len(words) < 2 || !isWsi(words[0]) || slices.Contains(others, words[1]) {
		return false
	}
	_, value, flag := strings.Cut(strings.Join(words[1:], " "), "--harness")
	value = strings.TrimLeft(value, " =")
	if flag {
		return value == "" || value[0] == '-' || strings.Contains(value, harness)
	}
	at := slices.Index(words, harness)
	return at > 1 && words[at-1] != "--server" && (words[1] == harnesses.Inject || words[1] == harnesses.Capture)
}

// unclosed splits a command line in which a quote is not closed, as if it had no quotes. A path with spaces is one word.
func unclosed(line string) (words []string, ok bool) {
	if strings.Count(line, "'")%2 == 0 && strings.Count(line, `"`)%2 == 0 {
		return nil, false
	}
	words, ok = split(strings.NewReplacer("'", "", `"`, "").Replace(line))
	if at := slices.IndexFunc(words, isWsi); ok && at > 0 && strings.HasPrefix(strings.TrimLeft(line, `'"`), words[0]) {
		words = append([]string{strings.Join(words[:at+1], " ")}, words[at+1:]...)
	}
	return words, ok
}
