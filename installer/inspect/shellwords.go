package inspect

import (
	"slices"
	"strings"

	"wsi/harnesses"
)

// word is a word of a command line.
type word struct {
	text  string   // after the expansions of the shell
	shown string   // the same with names in place of the values of variables, which can be secrets
	sure  bool     // text is known
	unset []string // the variables in it that are not set
	quote bool     // part of it is quoted
}

// words splits a command line of a POSIX shell that has no operator, redirection, assignment or pattern: words with quotes, ~ and
// variables. home and lookup are as the shell will have them; the value of a variable is known if sure is true. ok is false for any
// other line.
func words(line, home string, lookup func(name string) (value string, set, sure bool)) (all []word, ok bool) {
	for line = strings.TrimLeft(line, " \t"); line != ""; line = strings.TrimLeft(line, " \t") {
		w := word{sure: true}
		rest, ok := w.read(line, home, lookup)
		if !ok || len(all) == 0 && strings.Contains(w.text, "=") {
			return nil, false
		}
		if line = rest; w.text != "" || w.quote || !w.sure { // else an empty expansion, which is not a word
			all = append(all, w)
		}
	}
	return all, true
}

// read reads the first word of a line, and returns what follows it.
func (w *word) read(line, home string, lookup func(string) (string, bool, bool)) (rest string, ok bool) {
	add := func(value, name string) { w.text, w.shown = w.text+value, w.shown+name }
	if line == "~" || strings.HasPrefix(line, "~/") || strings.HasPrefix(line, "~ ") {
		add(home, "~")
		line = line[1:]
	}
	for double := false; ; {
		if line == "" {
			return "", !double
		}
		c := line[0]
		switch {
		case !double && (c == ' ' || c == '\t'):
			return line, true
		case c == '"':
			line, double, w.quote = line[1:], !double, true
		case c == '\'' && !double:
			quoted, after, closed := strings.Cut(line[1:], "'")
			// Some harnesses replace variables in the line before the shell gets it.
			w.sure, w.quote, line = w.sure && !strings.Contains(quoted, "$"), true, after
			if add(quoted, quoted); !closed {
				return "", false
			}
		case c == '$':
			if line, ok = w.variable(line[1:], double, lookup); !ok {
				return "", false
			}
		case c == '`' || c == '\\' || !double && strings.IndexByte(";&|<>()*?[]{}~#!\n\r", c) >= 0:
			return "", false
		default:
			add(line[:1], line[:1])
			line = line[1:]
		}
	}
}

// variable adds the value of NAME or {NAME} at the beginning of a line. ok is false for other expansions.
func (w *word) variable(line string, double bool, lookup func(string) (string, bool, bool)) (rest string, ok bool) {
	rest, braces := strings.CutPrefix(line, "{")
	end := 0
	for end < len(rest) && harnesses.Word(rune(rest[end])) {
		end++
	}
	name := rest[:end]
	rest = rest[end:]
	if braces {
		if rest, ok = strings.CutPrefix(rest, "}"); !ok {
			return "", false
		}
	}
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return "", false
	}
	value, set, sure := lookup(name)
	w.sure = w.sure && sure && (double || !strings.ContainsAny(value, " \t\n*?[")) // the shell splits and expands it
	w.text, w.shown = w.text+value, w.shown+"$"+name
	if !set && sure && !slices.Contains(w.unset, name) {
		w.unset = append(w.unset, name)
	}
	return rest, true
}
