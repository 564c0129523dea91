package secret

import (
	"slices"
	"strings"
	"unicode"
)

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
	case slices.Contains(weaker, singular(last)):
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
	return len(words) == 1 && slices.Contains(weaker, singular(words[0]))
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
	lower := strings.ToLower(text)
	return mentions(lower, weaker...) || mentions(lower, strong...)
}

func nameRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// headerName reports whether a name is that of an HTTP header, which may have spaces in its value.
func headerName(name string) bool {
	return slices.Contains([]string{"authorization", "cookie"}, strings.ToLower(name)) || strings.Contains(strings.TrimLeft(name, "-"), "-")
}
