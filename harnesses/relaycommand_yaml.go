package harnesses

import (
	"slices"
	"strconv"
	"strings"
)

// FrontsInYAML returns the relay commands in a YAML file, each with the server's own command line. wsi never edits
// YAML. It parses only a part of the language, so it may miss a command.
func FrontsInYAML(content []byte) (lines [][]string) {
	words := wordsOfYAML(string(content))
	for i, word := range words {
		if word != Relay {
			continue
		}
		end := i
		for end < len(words) && words[end] != endOfList {
			end++
		}
		path := programNear(words, i, end)
		line := append([]string{path}, words[i:end]...)
		if _, _, ok := ParseFront(line); ok {
			lines = append(lines, line)
		}
	}
	return lines
}

// programNear returns the wsi nearest to words[from:to]: the key of the program may be before or after that of the
// arguments. It returns "" if there is none.
func programNear(words []string, from, to int) string {
	for i := from - 1; i >= 0; i-- {
		if isWsi(words[i]) {
			return words[i]
		}
	}
	if i := slices.IndexFunc(words[to:], isWsi); i >= 0 {
		return words[to+i]
	}
	return ""
}

// endOfList marks where a list ends, or where something outside of a list begins. YAML cannot contain it.
const endOfList = "\x00"

// wordsOfYAML returns the scalars of block and flow style in order, keys left out.
func wordsOfYAML(text string) (words []string) {
	depth := 0 // of flow style
	for line := range strings.Lines(text) {
		rest := strings.TrimSpace(line)
		item := strings.HasPrefix(rest, "- ")
		if depth == 0 && !item && rest != "" && rest[0] != '#' {
			words = append(words, endOfList)
		}
		if depth == 0 && item {
			rest = strings.TrimLeft(rest[2:], " ")
		}
		for rest != "" && rest[0] != '#' {
			switch c := rest[0]; c {
			case '[', '{':
				depth++
				rest = rest[1:]
			case ']', '}':
				depth = max(depth-1, 0)
				words = append(words, endOfList)
				rest = rest[1:]
			case ' ', '\t', ',':
				rest = rest[1:]
			default:
				var word string
				word, rest = scalarOfYAML(rest, depth > 0)
				if strings.HasPrefix(rest, ":") {
					rest = rest[1:]
				} else {
					words = append(words, word)
				}
			}
		}
	}
	return append(words, endOfList)
}

// scalarOfYAML returns the first scalar of a line and the rest. A key ends at its colon.
func scalarOfYAML(text string, flow bool) (word, rest string) {
	switch text[0] {
	case '"':
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '"':
				word, _ = strconv.Unquote(text[:i+1]) // an escape that Go does not know makes it empty
				return word, text[i+1:]
			}
		}
		return "", ""
	case '\'':
		for i := 1; i < len(text); i++ {
			if strings.HasPrefix(text[i:], "''") {
				i++
			} else if text[i] == '\'' {
				return strings.ReplaceAll(text[1:i], "''", "'"), text[i+1:]
			}
		}
		return "", ""
	}
	for i := range len(text) {
		switch {
		case flow && strings.IndexByte(",]}", text[i]) >= 0,
			text[i] == ':' && (i+1 == len(text) || text[i+1] == ' '),
			text[i] == ' ' && strings.HasPrefix(text[i+1:], "#"):
			return strings.TrimRight(text[:i], " "), text[i:]
		}
	}
	return text, ""
}
