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

// words splits the beginning of a POSIX shell's command line up to its first operator, and returns what follows. home and
// lookup are as the shell will have them; the value of a variable is known if sure is true. ok is false if only a shell can
// tell the words.
func words(line, home string, lookup func(name string) (value string, set, sure bool)) (all []word, rest string, ok bool) {
	s := splitter{line: line, home: home, lookup: lookup}
	for {
		s.blanks()
		switch c := s.peek(); {
		case c == 0, c == '#':
			return s.all, "", true
		case c == '\n' || strings.IndexByte(";&|", c) >= 0:
			return s.all, s.line[s.at:], true
		case c == '<' || c == '>':
			if !s.redirection() {
				return nil, "", false
			}
		case c == '(' || c == ')':
			return nil, "", false
		default:
			w, ok := s.word()
			switch digits := w.text != "" && strings.Trim(w.text, "0123456789") == "" && !w.quote; {
			case !ok:
				return nil, "", false
			case digits && (s.peek() == '<' || s.peek() == '>'): // the number of a file
			case w.text != "" || w.quote || !w.sure: // else an empty expansion, which is not a word
				s.all = append(s.all, w)
			}
		}
	}
}

type splitter struct {
	line   string
	at     int
	home   string
	lookup func(name string) (value string, set, sure bool)
	all    []word
}

// peek returns the next byte, 0 at the end.
func (s *splitter) peek() byte {
	if s.at < len(s.line) {
		return s.line[s.at]
	}
	return 0
}

func (s *splitter) blanks() {
	for {
		switch rest := s.line[s.at:]; {
		case strings.HasPrefix(rest, " "), strings.HasPrefix(rest, "\t"):
			s.at++
		case strings.HasPrefix(rest, "\\\n"):
			s.at += 2
		default:
			return
		}
	}
}

// redirection skips a redirection and its file. It returns false for one with a text of its own, or a process.
func (s *splitter) redirection() bool {
	from := s.at
	for strings.IndexByte("<>&|", s.peek()) >= 0 && s.peek() != 0 {
		s.at++
	}
	switch s.line[from:s.at] {
	case "<", ">", ">>", ">|", "<>", "<&", ">&":
	default:
		return false
	}
	if s.peek() == '(' {
		return false
	}
	s.blanks()
	_, ok := s.word()
	return ok
}

// word reads a word. ok is false if it is not closed, or has a form that is not understood.
func (s *splitter) word() (w word, ok bool) {
	w.sure = true
	var text, shown strings.Builder
	defer func() { w.text, w.shown = text.String(), shown.String() }()
	add := func(value, name string) { text.WriteString(value); shown.WriteString(name) }
	if rest, tilde := strings.CutPrefix(s.line[s.at:], "~"); tilde && (rest == "" || strings.IndexByte("/ \t\n;&|<>", rest[0]) >= 0) {
		add(s.home, "~")
		s.at++
	} else if tilde {
		w.sure = false // the home folder of another user
	}
	double := false // in double quotes
	for from := s.at; ; {
		c := s.peek()
		switch {
		case !double && (c == 0 || strings.IndexByte(" \t\n;&|<>()", c) >= 0):
			return w, s.at > from || text.Len() > 0
		case c == 0 || c == '`':
			return w, false
		case c == '"':
			s.at++
			double, w.quote = !double, true
		case c == '\'' && !double:
			quoted, _, closed := strings.Cut(s.line[s.at+1:], "'")
			if !closed {
				return w, false
			}
			// Some harnesses replace variables in the line before the shell gets it.
			w.sure, w.quote = w.sure && !strings.Contains(quoted, "$"), true
			add(quoted, quoted)
			s.at += len(quoted) + 2
		case c == '\\' && !double && s.at+1 == len(s.line):
			return w, false
		case c == '\\' && (!double || s.at+1 < len(s.line) && strings.IndexByte("$`\"\\\n", s.line[s.at+1]) >= 0):
			if next := s.line[s.at+1 : s.at+2]; next != "\n" {
				add(next, next)
				w.quote = true
			}
			s.at += 2
		case c == '$':
			value, name, closed := s.variable(&w)
			if !closed {
				return w, false
			}
			w.sure = w.sure && (double || !strings.ContainsAny(value, " \t\n*?[")) // the shell splits and expands it
			add(value, name)
		default:
			w.sure = w.sure && (double || strings.IndexByte("*?[{", c) < 0)
			add(s.line[s.at:s.at+1], s.line[s.at:s.at+1])
			s.at++
		}
	}
}

// variable reads $NAME or ${NAME}, and returns its value and how it is shown. ok is false for other expansions.
func (s *splitter) variable(w *word) (value, shown string, ok bool) {
	rest := s.line[s.at+1:]
	braces := strings.HasPrefix(rest, "{")
	rest = strings.TrimPrefix(rest, "{")
	end := 0
	for end < len(rest) && harnesses.Word(rune(rest[end])) {
		end++
	}
	name := rest[:end]
	if name == "" || name[0] >= '0' && name[0] <= '9' || braces && !strings.HasPrefix(rest[end:], "}") {
		return "", "", false
	}
	s.at += 1 + len(name)
	if braces {
		s.at += 2
	}
	value, set, sure := s.lookup(name)
	w.sure = w.sure && sure
	if !set && sure && !slices.Contains(w.unset, name) {
		w.unset = append(w.unset, name)
	}
	return value, "$" + name, true
}
