// Package secret finds possible secrets in texts: by the names before them, in logins of addresses, and tokens of known kinds.
// It must not know which file or program a text comes from, nor what is shown in place of a secret.
//
// It does not matter if too much is found: only what is shown changes.
package secret

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// HeaderPrefix is the prefix of the variables that hold headers. Their names are in wsi's own command lines.
const HeaderPrefix = "WSI_HEADER_"

// Span is a part of a text.
type Span struct{ Start, End int }

// In returns the places of secrets in a text of another program, such as the command line of a hook, in order and without
// overlaps. A secret is found by the name before it (--api-key X, TOKEN=X, "Authorization: X", ?key=X), as a login or a
// long part in an address, and by the form of a known kind of token.
func In(text string) []Span {
	return apart(slices.DeleteFunc(find(text), func(s Span) bool { return Reference(text[s.Start:s.End]) }))
}

// InOutput returns the places of secrets in a line that a program wrote. It returns more than [In]: whatever follows
// "Bearer", and long words with a digit.
func InOutput(line string) []Span {
	found := apart(append(find(line), groups(anyBearer(), line)...))
	all, from := found, 0
	for _, next := range append(slices.Clone(found), Span{len(line), len(line)}) { // a name before a secret stays
		for _, at := range longWord().FindAllStringIndex(line[from:next.Start], -1) {
			if word := (Span{from + at[0], from + at[1]}); strings.ContainsAny(line[word.Start:word.End], "0123456789") {
				all = append(all, word)
			}
		}
		from = next.End
	}
	return apart(all)
}

// Replace returns a text with other text in place of spans, which are in order and without overlaps.
func Replace(text string, spans []Span, with string) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.Start] + with)
		at = s.End
	}
	return b.String() + text[at:]
}

func find(text string) (all []Span) {
	if mentions(text, ":/") {
		all = append(loginsIn(text), opaqueParts(text)...)
	}
	if Token(text) {
		for _, at := range token().FindAllStringIndex(text, -1) {
			all = append(all, Span{at[0], at[1]})
		}
	}
	if mentions(text, "earer ", "EARER ", "asic ", "ASIC ") {
		for _, s := range groups(bearer(), text) {
			if strings.ContainsAny(text[s.Start:s.End], "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ._~+/=") {
				all = append(all, s)
			}
		}
	}
	return append(all, named(text)...)
}

// InWords returns the places of secrets in each of the words of a command line.
func InWords(words []string) [][]Span {
	all := make([][]Span, len(words))
	for i, word := range words {
		before := ""
		if i > 0 {
			before = words[i-1]
		}
		if before == "--header-env" && namesVariable(word) {
			continue
		}
		from := after(before, word)
		if flag, value, joined := strings.Cut(word, "="); from < 0 && joined {
			if from = after(flag, value); from >= 0 {
				from += len(flag) + 1
			}
		}
		switch {
		case from < 0:
			all[i] = In(word)
		case !Reference(word[from:]):
			all[i] = []Span{{from, len(word)}}
		}
	}
	return all
}

// namesVariable reports whether word is a value of wsi relay's --header-env: a header, and the name of a variable after
// an optional scheme.
func namesVariable(word string) bool {
	_, value, ok := strings.Cut(word, "=")
	variable := value[strings.LastIndexByte(value, ' ')+1:]
	return ok && variable != "" && strings.Count(value, " ") < 2 && strings.TrimFunc(variable, nameRune) == "" && !Token(variable)
}

// after returns where a secret begins in the value of a flag, or -1.
func after(flag, value string) int {
	behind := func(separators string) int {
		i := strings.IndexAny(value, separators)
		if i < 0 {
			return -1
		}
		return len(value) - len(strings.TrimLeft(value[i+1:], " "))
	}
	switch flag {
	case "-H", "--header", "--headers":
		return behind(":=")
	case "-e", "--env":
		if name, _, ok := strings.Cut(value, "="); ok && strings.TrimFunc(name, nameRune) == "" {
			return behind("=")
		}
		return -1
	case "-u", "--user", "--proxy-user":
		return behind(":")
	}
	if strings.HasPrefix(value, "-") && len(value) > 1 && (value[1] == '-' || unicode.IsLetter(rune(value[1]))) {
		return -1 // the next flag
	}
	if variable := strings.TrimFunc(flag, nameRune) == ""; (strings.HasPrefix(flag, "-") || variable) && Name(flag) {
		return 0
	}
	return -1
}

// named returns the values after names of secrets.
func named(text string) (all []Span) {
	if !mentionsName(text) {
		return nil
	}
	for _, at := range names().FindAllStringIndex(text, -1) {
		name := text[at[0]:at[1]]
		if len(all) > 0 && at[0] < all[len(all)-1].End || at[0] > 0 && text[at[0]-1] == '$' || !Name(name) {
			continue
		}
		if value, ok := valueOf(text, name, at[1]); ok {
			all = append(all, value)
		}
	}
	return all
}

// valueOf returns the value of a name that ends at i.
func valueOf(text, name string, i int) (value Span, ok bool) {
	blanks := func(i int) int { return len(text) - len(strings.TrimLeft(text[i:], " \t")) }
	if i < len(text) && strings.IndexByte(`"'`, text[i]) >= 0 { // of the name
		i++
	}
	from, ends := blanks(i), " \t\r\n\"'`&;|),<>"
	switch {
	case from == len(text):
		return Span{}, false
	case text[from] == '=':
		from = blanks(from + 1)
	case text[from] == ':' && !strings.HasPrefix(text[from:], "://") && (!Weak(name) || headerName(name)):
		from = blanks(from + 1)
		if headerName(name) {
			ends = "\r\n\"'`"
		}
	case text[from] == '-' || from == i || !strings.HasPrefix(name, "-"):
		return Span{}, false
	}
	if from < len(text) && strings.IndexByte(`"'`, text[from]) >= 0 {
		ends = text[from:from+1] + "\n"
		from++
	}
	to := len(text)
	if n := strings.IndexAny(text[from:], ends); n >= 0 {
		to = from + n
	}
	return Span{from, to}, true
}

// loginsIn returns the logins in addresses, except git@, which is not a secret.
func loginsIn(text string) []Span {
	if !mentions(text, "@") {
		return nil
	}
	return slices.DeleteFunc(groups(logins(), text), func(s Span) bool { return text[s.Start:s.End] == "git" })
}

// opaqueParts returns the parts of paths in addresses that may be secrets, as in those of webhooks.
func opaqueParts(text string) (all []Span) {
	for _, s := range groups(addressPath(), text) {
		from := s.Start
		for part := range strings.SplitSeq(text[s.Start:s.End], "/") {
			if Opaque(part) {
				all = append(all, Span{from, from + len(part)})
			}
			from += len(part) + 1
		}
	}
	return all
}

// apart sorts spans and merges overlapping ones.
func apart(all []Span) (out []Span) {
	slices.SortFunc(all, func(a, b Span) int { return cmp.Or(a.Start-b.Start, a.End-b.End) })
	for _, s := range all {
		if last := len(out) - 1; last >= 0 && s.Start < out[last].End {
			out[last].End = max(out[last].End, s.End)
		} else if s.Start < s.End {
			out = append(out, s)
		}
	}
	return out
}
