// Package secret finds possible secrets in texts: by the names before them, in logins of addresses, and tokens of known kinds.
// It must not know which file or program a text comes from, nor what is shown in place of a secret.
//
// It does not matter if too much is found: only what is shown changes.
package secret

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
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
		all = slices.DeleteFunc(groups(logins(), text), func(s Span) bool { return text[s.Start:s.End] == "git" }) // no secret
		all = append(all, opaqueParts(text)...)
	}
	if Token(text) {
		all = append(all, groups(token(), text)...)
	}
	if mentions(text, "earer ", "EARER ", "asic ", "ASIC ") {
		plain := func(s Span) bool {
			return !strings.ContainsAny(text[s.Start:s.End], "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ._~+/=")
		}
		all = append(all, slices.DeleteFunc(groups(bearer(), text), plain)...)
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

// The expressions are compiled when they are first needed: before main, they would slow down every hook.
var (
	names  = lazy(`-{0,2}[A-Za-z_][A-Za-z0-9_.-]*`)
	bearer = lazy(`(?i)\b(?:bearer|basic) +([a-z0-9._~+/=-]{8,})`)
	// Two slashes are one in a path that was cleaned. A password may have characters that an address may not have.
	logins       = lazy(`[A-Za-z][A-Za-z0-9+.-]*(?:://|[A-Za-z0-9]:/)(?:([^/\s"'?#]+)|([^/\s"'?#:@\[]+:[0-9]*[^\s"'@0-9/?#][^\s"'@]*))@`)
	addressPath  = lazy(`https?://[^/\s"'` + "`" + `?#]+/([^\s"'` + "`" + `?#;|&<>)\\]*)`)
	token        = lazy(`\b(sk-[\w-]{12,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}\b|AIza[\w-]{30,}|npm_\w{30,}|hf_\w{20,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+)`)
	wordOrNumber = lazy(`^(?:[A-Za-z]*|[A-Za-z]+[0-9]{1,2}|[0-9]{1,8})$`)
	// In the output of a program, what only may be a secret need not be readable.
	anyBearer = lazy(`(?i)\b(?:bearer|basic)\s+([^\s"',;]+)`)
	longWord  = lazy(`[A-Za-z0-9_+=.-]{20,}`)
)

// lazy returns a function that compiles an expression when it is first called.
func lazy(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// Token reports whether a text contains a token of a known kind, such as a key of AWS.
func Token(text string) bool {
	return mentions(text, "sk-", "gh", "glpat-", "xox", "AKIA", "ASIA", "AIza", "npm_", "hf_", "eyJ") && token().MatchString(text)
}

// Opaque reports whether a part of an address may be a secret: it has the form of a known kind of token, or it is long and does not
// consist of words and short numbers.
func Opaque(part string) bool {
	words := strings.FieldsFunc(part, func(r rune) bool { return strings.ContainsRune("-_.,:;~+ @", r) })
	return Token(part) || len(part) >= 20 && slices.ContainsFunc(words, func(word string) bool { return !wordOrNumber().MatchString(word) })
}

// Reference reports whether a text only refers to a value, or is the name of a variable that wsi writes itself.
func Reference(text string) bool {
	text = strings.TrimSpace(text)
	for _, scheme := range []string{"Bearer ", "Basic ", "bearer ", "basic "} {
		text = strings.TrimPrefix(text, scheme)
	}
	switch {
	case text == "" || strings.HasPrefix(text, HeaderPrefix):
		return true
	case strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}"), strings.HasPrefix(text, "${") && strings.Index(text, "}") == len(text)-1:
		return true
	}
	name, variable := strings.CutPrefix(text, "$")
	return variable && strings.TrimFunc(name, nameRune) == ""
}

func mentions(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// groups returns what matched in the groups of an expression.
func groups(expression *regexp.Regexp, text string) (all []Span) {
	for _, at := range expression.FindAllStringSubmatchIndex(text, -1) {
		for i := 2; i < len(at); i += 2 {
			if at[i] >= 0 {
				all = append(all, Span{at[i], at[i+1]})
			}
		}
	}
	return all
}
