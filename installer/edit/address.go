package edit

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"wsi/harnesses"
)

// showable refuses an address that may hold a secret: on a command line everybody could read it.
func showable(form harnesses.Form, address string, u *url.URL) error {
	what := secretPart(address, u)
	if what == "" {
		return nil
	}
	fix := "register what does in its place: the command npx with the arguments -y mcp-remote and the address, which everybody on this machine can then read, too"
	switch {
	case form.Headers != "" && u.User != nil:
		fix = "take the login out of the address and register it as a header, whose value stays in the file: under " + form.Headers + `, Authorization is "Basic " and user:password in base64`
	case form.Headers != "":
		fix = "if the server takes it in a header, register that under " + form.Headers + `, such as Authorization, which is "Bearer " and the token: its value stays in the file; if it does not, ` + fix
	}
	return NotWrappableError{Why: "its address may hold a secret (" + what + "), and on wsi's command line everybody on this machine could read it", Fix: fix}
}

// secretPart names the part of an address that may be a secret, "" if none may. It does not quote it.
func secretPart(address string, u *url.URL) string {
	query, err := url.ParseQuery(u.RawQuery)
	switch {
	case u.User != nil:
		return "a login"
	case strings.ContainsAny(address, "${}"):
		return "a variable"
	case slices.ContainsFunc(strings.Split(u.Path, "/"), opaque):
		return "a long part of its path that is not made of words"
	case err != nil || opaque(u.Fragment):
		return "what is behind its path"
	}
	for name, values := range query {
		if opaque(name) || slices.ContainsFunc(values, func(value string) bool { return secretParameter(name, value) }) {
			return "its query"
		}
	}
	return ""
}

// secretParameter reports whether a parameter of a query may be a secret: by its name, or by the look of its value,
// unless the name says that it only tells which of several things is meant.
func secretParameter(name, value string) bool {
	words := wordsOf(name)
	which := len(words) > 0 && slices.Contains([]string{"id", "ref"}, words[len(words)-1]) && !slices.Contains(words, "session")
	return value != "" && (secretName(name) || !which && opaque(value) || looksSecret().MatchString(value))
}

const longPart = 20 // characters, as many as the shortest of keys and tokens have

var wordOrNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[A-Za-z]*|[A-Za-z]+[0-9]{1,2}|[0-9]{1,8})$`)
})

// opaque reports whether a part of an address may be a secret: it looks like one of those that are known by their
// look, or it is long and not made of words and short numbers.
func opaque(part string) bool {
	if looksSecret().MatchString(part) {
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
