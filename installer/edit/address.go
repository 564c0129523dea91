package edit

import (
	"net/url"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/secret"
)

// showable refuses an address that may contain a secret: every user of the machine can read a command line.
func showable(form setup.Form, address string, u *url.URL) error {
	what := secretPart(address, u)
	if what == "" {
		return nil
	}
	fix := "register a bridge instead: the command npx with the arguments -y mcp-remote and the address, which every user of this machine can then read too"
	switch {
	case form.Headers != "" && u.User != nil:
		fix = "move the login from the address to a header, which stays in the file: under " + form.Headers + `, Authorization is "Basic " and user:password in base64`
	case form.Headers != "":
		fix = "if the server accepts it in a header, register that under " + form.Headers + `, such as Authorization with "Bearer " and the token: its value stays in the file; if not, ` + fix
	}
	return NotWrappableError{Why: "its address may contain a secret (" + what + "), and every user of this machine could read it on wsi's command line", Fix: fix}
}

// secretPart describes the part of an address that may be a secret, without quoting it; "" if none may be.
func secretPart(address string, u *url.URL) string {
	query, err := url.ParseQuery(u.RawQuery)
	switch {
	case u.User != nil:
		return "a login"
	case strings.ContainsAny(address, "${}"):
		return "a variable"
	case slices.ContainsFunc(strings.Split(u.Path, "/"), secret.Opaque):
		return "a long part of its path that does not consist of words"
	case err != nil || secret.Opaque(u.Fragment):
		return "the part after its path"
	}
	for name, values := range query {
		if secret.Opaque(name) || slices.ContainsFunc(values, func(value string) bool { return secretParameter(name, value) }) {
			return "its query"
		}
	}
	return ""
}

// secretParameter reports whether a query parameter may be a secret, by its name or by the form of its value, unless the
// name is that of an identifier.
func secretParameter(name, value string) bool {
	words := secret.Words(name)
	which := len(words) > 0 && slices.Contains([]string{"id", "ref"}, words[len(words)-1]) && !slices.Contains(words, "session")
	return value != "" && (secret.Name(name) || !which && secret.Opaque(value) || secret.Token(value))
}
