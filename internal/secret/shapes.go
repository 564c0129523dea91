package secret

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// The expressions are compiled when they are first needed: before main, they would slow down every hook.
var (
	names       = lazy(`-{0,2}[A-Za-z_][A-Za-z0-9_.-]*`)
	bearer      = lazy(`(?i)\b(?:bearer|basic) +([a-z0-9._~+/=-]{8,})`)
	logins      = lazy(`[A-Za-z][A-Za-z0-9+.-]*://([^/\s"'?#]+)@`)
	addressPath = lazy(`https?://[^/\s"'` + "`" + `?#]+/([^\s"'` + "`" + `?#;|&<>)\\]*)`)
	// The last part of a webhook's address is its secret, whatever it looks like.
	webhook   = lazy(`\b(?:hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/(?:[^/\s"'` + "`" + `?#]+/){2,3}|discord(?:app)?\.com/api/webhooks/[0-9]+/)([^/\s"'` + "`" + `?#;|&<>)\\]+)`)
	curlLogin = lazy(`\bcurl [^;|&]*?(?:-[a-zA-Z]*u|--user|--proxy-user)[ =]?["']?([^\s"':]+:[^\s"';|&]+)`) // one of a command: with others this flag can be a user and a group
	// What follows -p is a port, a path or a project with most commands, and a password with these. The first ones take it
	// only in the same word. In one expression, they could take time that grows with the square of the text.
	passwordFlags = sync.OnceValue(func() []flagged {
		after := func(commands, flag, blank string, words ...string) flagged {
			return flagged{words, regexp.MustCompile(`\b(?:` + commands + `)\s(?:[^;|&\n]*?\s)??(?:"` + flag + `([^"\n]+)|'` + flag + `([^'\n]+)|` +
				flag + blank + `(?:"([^"\n]+)|'([^'\n]+)|([^\s"';|&-][^\s"';|&]*)))`)}
		}
		placed := func(expression string, words ...string) flagged {
			return flagged{words, regexp.MustCompile(`\b` + expression)}
		}
		return []flagged{
			after(`mysql\w*|mariadb[\w-]*|7z\w*`, "-p", "", "mysql", "mariadb", "7z"),
			after(`sshpass|mongo\w*|twine`, "-p", "[ =]?", "sshpass", "mongo", "twine"),
			after(`(?:docker|podman|nerdctl|helm|az|oc)\s(?:[^;|&\n]*?\s)??login`, "-p", "[ =]?", "login"),
			after("redis-cli", "-a", " ?", "redis-cli"),
			after("sqlcmd|zip|unzip", "-P", " ?", "sqlcmd", "zip"),
			after(`ldap\w+`, "-w", " ?", "ldap"),
			after("openssl", "-k", " ", "openssl"),
			placed(`(?:smb\w+|rpcclient|winexe)\s(?:[^;|&\n]*?\s)??-U[ =]?["']?[^\s"'%;|&]+%([^\s"';|&]+)`, "smb", "rpcclient", "winexe"),
			placed(`htpasswd\s+(?:-\w+\s+)*-\w*b\w*\s+(?:-\w+\s+)*(?:[^\s;|&-][^\s;|&]*\s+)?[^\s;|&-][^\s;|&]*\s+["']?([^\s"';|&]+)["']?\s*(?:$|[;|&\n])`, "htpasswd"),
			placed(`vault\s+login\s+(?:-[\w-]+(?:=\S*)?\s+)*["']?([^\s"';|&=-][^\s"';|&=]*)["']?(?:\s|[;|&]|$)`, "vault"),
		}
	})
	joinedFlag   = lazy(`(?:^|[\s"'])-p([^\s"';|&/=]{4,})`) // with any command; see likelyPassword
	token        = lazy(`\b(?:sk-[\w-]{12,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}\b|AIza[\w-]{30,}|npm_\w{30,}|hf_\w{20,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+)`)
	wordOrNumber = lazy(`^(?:[A-Za-z]*|[A-Za-z]+[0-9]{1,2}|[0-9]{1,8})$`)
	// In the output of a program, what only may be a secret need not be readable.
	anyBearer = lazy(`(?i)\b(?:bearer|basic)\s+([^\s"',;]+)`)
	longWord  = lazy(`[A-Za-z0-9_+=.-]{20,}`)
)

// lazy returns a function that compiles an expression when it is first called.
func lazy(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// flagged is an expression for the passwords of commands. A text without any of words does not match it.
type flagged struct {
	words      []string
	expression *regexp.Regexp
}

// Token reports whether a text contains a token of a known kind, such as a key of AWS.
func Token(text string) bool {
	return mentions(text, "sk-", "gh", "glpat-", "xox", "AKIA", "ASIA", "AIza", "npm_", "hf_", "eyJ") && token().MatchString(text)
}

const longPart = 20 // characters of the shortest keys and tokens

// Opaque reports whether a part of an address may be a secret: it has the form of a known kind of token, or it is long
// and does not consist of words and short numbers.
func Opaque(part string) bool {
	if Token(part) {
		return true
	}
	if len(part) < longPart {
		return false
	}
	for word := range strings.FieldsFuncSeq(part, func(r rune) bool { return strings.ContainsRune("-_.,:;~+ @", r) }) {
		if !wordOrNumber().MatchString(word) {
			return true
		}
	}
	return false
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

// likelyPassword reports whether the rest of a word that begins with -p looks like a password and not like a port, a list
// of ports, or the rest of a long flag with one dash.
func likelyPassword(rest string) bool {
	const digits = "0123456789"
	switch {
	case rest == "rint0", strings.Trim(rest, digits+".,:-") == "", strings.HasPrefix(rest, ":"):
		return false
	}
	return strings.ContainsAny(rest, digits) || strings.ToUpper(rest) == rest
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

// A name has a secret value if a word of it, or two that follow each other, end with one of strong, or if its last word is
// one of weaker. A weaker word alone does not count before a colon. A name that ends with a word of neutral has no secret
// value: it says where the secret is. Nor has one that counts tokens. The plural counts as the word.
var (
	strong = []string{
		"token", "secret", "password", "passwd", "passphrase", "authorization", "bearer", "credential", "sshpass",
		"apikey", "accesskey", "secretkey", "privatekey", "authkey", "signingkey", "encryptionkey", "licensekey",
	}
	weaker  = []string{"key", "pass", "pwd", "pw", "auth", "pat", "cookie", "sig", "signature", "jwt"}
	neutral = []string{
		"file", "path", "dir", "env", "var", "name", "url", "uri", "type", "limit", "count", "ttl", "id", "helper", "command",
		"stdin", "method", "store", "provider", "endpoint", "length", "size", "budget", "mode", "server", "header",
	}
	counts = []string{"max", "min", "num", "total", "used", "input", "output", "prompt", "completion", "thinking"}
)

// Name reports whether the value of a flag, variable, header or member with this name is a secret.
func Name(name string) bool {
	words := Words(name)
	if len(words) > 1 && strings.Trim(words[len(words)-1], "0123456789") == "" { // API_KEY_2
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	switch {
	case slices.Equal(words, []string{"auth", "header"}):
		return true
	case slices.Contains(neutral, last) || slices.Contains(words, "env"):
		return false
	case last == "tokens" && slices.ContainsFunc(words, func(w string) bool { return slices.Contains(counts, w) }):
		return false
	case oneOf(weaker, last):
		return true
	}
	before := ""
	return slices.ContainsFunc(words, func(w string) bool {
		both := singular(before + w)
		before = w
		return slices.ContainsFunc(strong, func(s string) bool { return strings.HasSuffix(both, s) })
	})
}

// Weak reports whether a name is a single weaker word.
func Weak(name string) bool {
	words := Words(name)
	return len(words) == 1 && oneOf(weaker, words[0])
}

func oneOf(list []string, word string) bool {
	return slices.Contains(list, singular(word))
}

// singular returns a word without a number and the s of the plural.
func singular(word string) string {
	word = strings.TrimRight(word, "0123456789")
	if strings.HasSuffix(word, "ss") { // pass
		return word
	}
	return strings.TrimSuffix(word, "s")
}

// Words splits a name: --api-key, API_KEY and apiKey become api and key.
func Words(name string) []string {
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

// mentionsName is a fast check for words of names of secrets.
func mentionsName(text string) bool {
	lower := bytes.ToLower([]byte(text))
	mentions := func(word string) bool { return bytes.Contains(lower, []byte(word)) }
	return slices.ContainsFunc(weaker, mentions) || slices.ContainsFunc(strong, mentions)
}

func nameRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// headerName reports whether a name is that of an HTTP header, which may have spaces in its value.
func headerName(name string) bool {
	switch strings.ToLower(name) {
	case "authorization", "cookie", "set-cookie":
		return true
	}
	return strings.Contains(strings.TrimLeft(name, "-"), "-")
}
