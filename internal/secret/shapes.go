package secret

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The expressions are compiled when they are first needed: before main, they would slow down every hook.
var (
	names  = lazy(`-{0,2}[A-Za-z_][A-Za-z0-9_.-]*`)
	bearer = lazy(`(?i)\b(?:bearer|basic) +([a-z0-9._~+/=-]{8,})`)
	// Two slashes are one in a path that was cleaned. A password may have characters that an address may not have.
	logins      = lazy(`[A-Za-z][A-Za-z0-9+.-]*(?:://|[A-Za-z0-9]:/)(?:([^/\s"'?#]+)|([^/\s"'?#:@\[]+:[0-9]*[^\s"'@0-9/?#][^\s"'@]*))@`)
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
