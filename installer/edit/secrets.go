package edit

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"wsi/harnesses"
)

// A secret in a text of another program, such as the command line of a server or of a hook, is found by the name before
// it (--api-key X, TOKEN=X, "Authorization: X", ?key=X), by its place in an address, and by its own form. It does not
// matter if too much is masked: only what is shown changes.

// secretsIn returns the places of secrets in a text, in order and without overlaps.
func secretsIn(text string) []span {
	var all []span
	mentions := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
	}
	if mentions("://") && mentions("@") {
		all = loginsIn(text)
	}
	if mentions("://") {
		all = append(all, opaqueParts(text)...)
	}
	if mentions("curl ") {
		for _, at := range curlLogin().FindAllStringSubmatchIndex(text, -1) {
			all = append(all, span{at[2], at[3]})
		}
	}
	if mentions("sk-", "gh", "glpat-", "xox", "AKIA", "ASIA", "AIza", "npm_", "hf_", "eyJ") {
		for _, at := range looksSecret().FindAllStringIndex(text, -1) {
			all = append(all, span{at[0], at[1]})
		}
	}
	if mentions("earer ", "EARER ", "asic ", "ASIC ") {
		for _, at := range bearer().FindAllStringSubmatchIndex(text, -1) {
			if strings.ContainsAny(text[at[2]:at[3]], "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ._~+/=") {
				all = append(all, span{at[2], at[3]})
			}
		}
	}
	all = append(all, namedSecrets(text)...)
	return apart(slices.DeleteFunc(all, func(s span) bool { return reference(text[s.start:s.end]) }))
}

// secretWords returns the places of secrets in each of the words of a command line.
func secretWords(words []string) [][]span {
	all := make([][]span, len(words))
	for i, word := range words {
		before := ""
		if i > 0 {
			before = words[i-1]
		}
		if before == "--header-env" && namesVariable(word) {
			continue
		}
		from := secretFrom(before, word)
		if flag, value, joined := strings.Cut(word, "="); from < 0 && joined {
			if from = secretFrom(flag, value); from >= 0 {
				from += len(flag) + 1
			}
		}
		switch {
		case from < 0:
			all[i] = secretsIn(word)
		case !reference(word[from:]):
			all[i] = []span{{from, len(word)}}
		}
	}
	return all
}

// namesVariable reports whether word is a valid value of wsi relay's --header-env: a header and the name of a variable.
func namesVariable(word string) bool {
	h, ok := harnesses.ParseHeader(word)
	return ok && strings.TrimFunc(h.Variable, nameRune) == "" && !looksSecret().MatchString(h.Variable)
}

// secretFrom returns where a secret begins in the value of a flag, or -1.
func secretFrom(flag, value string) int {
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
	if variable := strings.TrimFunc(flag, nameRune) == ""; (strings.HasPrefix(flag, "-") || variable) && secretName(flag) {
		return 0
	}
	return -1
}

func nameRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

var (
	names = sync.OnceValue(func() *regexp.Regexp { // not before main: that would slow down every hook
		return regexp.MustCompile(`-{0,2}[A-Za-z_][A-Za-z0-9_.-]*`)
	})
	bearer = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:bearer|basic) +([a-z0-9._~+/=-]{8,})`)
	})
	logins = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://([^/\s"'?#]+)@`)
	})
	addressPath = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`https?://[^/\s"'` + "`" + `?#]+/([^\s"'` + "`" + `?#;|&<>)\\]*)`)
	})
	curlLogin = sync.OnceValue(func() *regexp.Regexp { // one of a command: with others this flag can be a user and a group
		return regexp.MustCompile(`\bcurl [^;|&]*?(?:-[a-zA-Z]*u|--user|--proxy-user)[ =]?["']?([^\s"':]+:[^\s"';|&]+)`)
	})
	looksSecret = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(?:sk-[\w-]{12,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}\b|AIza[\w-]{30,}|npm_\w{30,}|hf_\w{20,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+)`)
	})
)

// namedSecrets returns the values after names of secrets.
func namedSecrets(text string) (all []span) {
	if !mentionsSecret(text) {
		return nil
	}
	for _, at := range names().FindAllStringIndex(text, -1) {
		name := text[at[0]:at[1]]
		if len(all) > 0 && at[0] < all[len(all)-1].end || at[0] > 0 && text[at[0]-1] == '$' || !secretName(name) {
			continue
		}
		if value, ok := valueBehind(text, name, at[1]); ok {
			all = append(all, value)
		}
	}
	return all
}

// valueBehind returns the value of a name that ends at i.
func valueBehind(text, name string, i int) (value span, ok bool) {
	blanks := func(i int) int { return len(text) - len(strings.TrimLeft(text[i:], " \t")) }
	if i < len(text) && strings.IndexByte(`"'`, text[i]) >= 0 { // of the name
		i++
	}
	from, ends := blanks(i), " \t\r\n\"'`&;|),<>"
	switch {
	case from == len(text):
		return span{}, false
	case text[from] == '=':
		from = blanks(from + 1)
	case text[from] == ':' && !strings.HasPrefix(text[from:], "://") && !weak(name):
		from = blanks(from + 1)
		if headerName(name) {
			ends = "\r\n\"'`"
		}
	case text[from] == '-' || from == i || !strings.HasPrefix(name, "-"):
		return span{}, false
	}
	if from < len(text) && strings.IndexByte(`"'`, text[from]) >= 0 {
		ends = text[from:from+1] + "\n"
		from++
	}
	to := len(text)
	if n := strings.IndexAny(text[from:], ends); n >= 0 {
		to = from + n
	}
	return span{from, to}, true
}

// headerName reports whether a name is that of an HTTP header, which may have spaces in its value.
func headerName(name string) bool {
	switch strings.ToLower(name) {
	case "authorization", "cookie", "set-cookie":
		return true
	}
	return strings.Contains(strings.TrimLeft(name, "-"), "-")
}

// loginsIn returns the logins in addresses, except git@, which is not a secret.
func loginsIn(text string) (all []span) {
	for _, at := range logins().FindAllStringSubmatchIndex(text, -1) {
		if text[at[2]:at[3]] != "git" {
			all = append(all, span{at[2], at[3]})
		}
	}
	return all
}

// opaqueParts returns the parts of paths in addresses that may be secrets, as in those of webhooks.
func opaqueParts(text string) (all []span) {
	for _, at := range addressPath().FindAllStringSubmatchIndex(text, -1) {
		from := at[2]
		for part := range strings.SplitSeq(text[at[2]:at[3]], "/") {
			if opaque(part) {
				all = append(all, span{from, from + len(part)})
			}
			from += len(part) + 1
		}
	}
	return all
}

// reference reports whether a text only refers to a value, or is a value that wsi writes itself.
func reference(text string) bool {
	text = strings.TrimSpace(text)
	for _, scheme := range []string{"Bearer ", "Basic ", "bearer ", "basic "} {
		text = strings.TrimPrefix(text, scheme)
	}
	switch {
	case text == "" || strings.HasPrefix(text, headerPrefix):
		return true
	case strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}"), strings.HasPrefix(text, "${") && strings.Index(text, "}") == len(text)-1:
		return true
	}
	name, variable := strings.CutPrefix(text, "$")
	return variable && strings.TrimFunc(name, nameRune) == ""
}

// A name with a word of strong has a secret value. A word of weaker must come last, and not alone before a colon. A name
// that ends with a word of neutral has no secret value: it says where the secret is.
var (
	strong  = []string{"token", "secret", "password", "passwd", "passphrase", "apikey", "authorization", "bearer", "credential", "credentials"}
	weaker  = []string{"key", "pass", "pwd", "auth", "pat", "cookie", "sig", "signature"}
	neutral = []string{
		"file", "path", "dir", "env", "var", "name", "url", "uri", "type", "limit", "count", "ttl", "id", "helper", "command",
		"stdin", "method", "store", "provider", "endpoint", "length", "size", "budget", "mode", "server", "header",
	}
)

// secretName reports whether the value of a flag, variable, header or member with this name is a secret.
func secretName(name string) bool {
	words := wordsOf(name)
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	switch {
	case slices.Equal(words, []string{"auth", "header"}):
		return true
	case slices.Contains(neutral, last) || slices.Contains(words, "env"):
		return false
	case slices.Contains(weaker, last):
		return true
	}
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(strong, w) })
}

// weak reports whether a name is a single weaker word.
func weak(name string) bool {
	words := wordsOf(name)
	return len(words) == 1 && slices.Contains(weaker, words[0])
}

// wordsOf splits a name: --api-key, API_KEY and apiKey become api and key.
func wordsOf(name string) []string {
	var b strings.Builder
	small := false
	for _, r := range name {
		if small && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		small = unicode.IsLower(r)
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

// mentionsSecret is a fast check for words of names of secrets.
func mentionsSecret(text string) bool {
	lower := bytes.ToLower([]byte(text))
	mentions := func(word string) bool { return bytes.Contains(lower, []byte(word)) }
	return slices.ContainsFunc(strong, mentions) || slices.ContainsFunc(weaker, mentions)
}

// apart sorts spans and merges overlapping ones.
func apart(all []span) (out []span) {
	slices.SortFunc(all, func(a, b span) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	for _, s := range all {
		if last := len(out) - 1; last >= 0 && s.start < out[last].end {
			out[last].end = max(out[last].end, s.end)
		} else if s.start < s.end {
			out = append(out, s)
		}
	}
	return out
}

// MaskSecrets returns a text of another program, such as a command line, with stars in place of possible secrets.
func MaskSecrets(text string) string {
	var cuts []cut
	for _, at := range secretsIn(text) {
		cuts = append(cuts, cut{at.start, at.end, "***"})
	}
	return string(splice([]byte(text), cuts...))
}

// MaskEntry returns an entry of a file, an object in JSON or a table in TOML, with stars in place of possible secrets and
// of the values of all headers and variables.
func MaskEntry(entry string) string {
	const name = "x = "
	var masked string
	if _, err := decodeTOML([]byte(entry)); err == nil {
		masked = mask(harnesses.TOML, entry)
	} else if _, err := decodeTOML([]byte(name + entry)); err == nil { // an inline table
		masked = strings.TrimPrefix(mask(harnesses.TOML, name+entry), name)
	} else {
		masked = mask(harnesses.JSON, entry)
	}
	return MaskSecrets(masked)
}

func mask(format harnesses.Format, text string) string {
	masked, _ := Mask(format, []byte(text), nil)
	return string(masked)
}
