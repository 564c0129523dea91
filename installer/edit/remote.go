package edit

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/endpoint"
	"wsi/internal/secret"
)

// The address of a server over HTTP moves to wsi's command line, its headers to variables of the entry: their values
// are secrets, and every user of the machine can read a command line. The values stay in the same file.

func wrapRemote(form setup.Form, d *document, s Server, f setup.RelayCommand) (made []string, err error) {
	if err := relayable(form, s.entry); err != nil {
		return nil, err
	}
	variable, key := "", form.AddressIn(s.entry) // the variable of the user's that holds the token
	if form.Bearer != "" {
		variable, _ = s.entry[form.Bearer].(string)
	}
	if err := uncommented(d, s, s.path(key), s.path(form.Headers), s.path(form.Bearer)); err != nil {
		return nil, err
	}
	f.URL = s.entry[key].(string)
	if key == form.TypedURL {
		made = append(made, pointer(s.path(key)))
	}
	headers, _ := s.entry[form.Headers].(map[string]any)
	env, hadEnv := s.entry[form.Env].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		h := endpoint.HeaderVar{Name: name, Variable: secret.HeaderPrefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))}
		if _, taken := env[h.Variable]; taken {
			return nil, fmt.Errorf("the variable %s, which wsi needs for its header %s, exists already", h.Variable, name)
		}
		f.Headers = append(f.Headers, h)
	}
	own := f.Headers
	if variable != "" {
		f.Headers = append(f.Headers, tokenIn(variable))
		made = append(made, pointer(s.path(form.Passes)))
	}
	if len(own) > 0 && !hadEnv {
		made = append(made, pointer(s.path(form.Env)))
	}
	e := begin(d, s)
	e.setLine(form, f.Words())
	for _, h := range own {
		e.set(headers[h.Name], d.rawAt(s.path(form.Headers, h.Name)), form.Env, h.Variable)
	}
	if variable != "" {
		e.set([]any{variable}, array([]string{d.quote(variable)}), form.Passes)
		e.drop(form.Bearer)
	}
	if _, had := s.entry[form.Headers]; had {
		e.drop(form.Headers) // also if it is empty: Codex 0.169.0 does not start with it next to a command
	}
	e.drop(key)
	e.setType(form.Local)
	return made, nil
}

func unwrapRemote(form setup.Form, d *document, s Server, f setup.RelayCommand, made []string) error {
	gone := [][]string{s.path(command), s.path(args)}
	variable, own, err := split(form, s.entry, f.Headers)
	if err != nil {
		return err
	}
	env, _ := s.entry[form.Env].(map[string]any)
	for _, h := range own {
		if env[h.Variable] == nil || !strings.HasPrefix(h.Variable, secret.HeaderPrefix) || form.Headers == "" {
			return fmt.Errorf("the variable %s with its header %s is missing", h.Variable, h.Name)
		}
		gone = append(gone, s.path(form.Env, h.Variable))
	}
	bare := len(own) > 0 && len(env) == len(own) && (made == nil || slices.Contains(made, pointer(s.path(form.Env))))
	if bare {
		gone = append(gone, s.path(form.Env))
	}
	if variable != "" {
		gone = append(gone, s.path(form.Passes))
	}
	if err := uncommented(d, s, gone...); err != nil {
		return err
	}
	e := begin(d, s)
	key := form.URL
	if form.TypedURL != "" && s.entry["type"] != nil && (made == nil || slices.Contains(made, pointer(s.path(form.TypedURL)))) {
		key = form.TypedURL
	}
	e.set(f.URL, d.quote(f.URL), key)
	if variable != "" {
		e.set(variable, d.quote(variable), form.Bearer)
		e.drop(form.Passes)
	}
	for _, h := range own {
		e.set(env[h.Variable], d.rawAt(s.path(form.Env, h.Variable)), form.Headers, h.Name)
		if !bare {
			e.drop(form.Env, h.Variable)
		}
	}
	if bare {
		e.drop(form.Env)
	}
	if !form.Joined {
		e.drop(args)
	}
	if s.entry[command] != nil {
		e.drop(command)
	}
	e.setType(form.Remote)
	return nil
}

// split returns the user's variable that holds the token, "" if none does, and the headers in variables of the entry.
func split(form setup.Form, entry map[string]any, headers []endpoint.HeaderVar) (variable string, own []endpoint.HeaderVar, err error) {
	for _, h := range headers {
		if form.Bearer != "" && h == tokenIn(h.Variable) && variable == "" {
			variable = h.Variable
		} else {
			own = append(own, h)
		}
	}
	if passed, _ := entry[form.Passes].([]any); variable != "" && entry[form.Passes] != nil && (len(passed) != 1 || passed[0] != variable) {
		return "", nil, fmt.Errorf("its %s has entries that wsi did not write; a server with an address cannot have them", form.Passes)
	}
	return variable, own, nil
}

// relayable returns why a server over HTTP cannot run through wsi relay.
func relayable(form setup.Form, entry map[string]any) error {
	at := form.AddressIn(entry)
	address, ok := entry[at].(string)
	if form.URL != "" && at != "url" && !slices.Contains(form.Kept, "url") && entry["url"] != nil {
		return NotWrappableError{Why: "it has an address under url", Fix: "register its address under " + form.URL + " only"}
	}
	if form.URL == "" || !ok {
		return errors.New("it has neither a command nor the address of a server over Streamable HTTP")
	}
	if entry["type"] == "sse" || entry["transport"] == "sse" {
		return errors.New("it uses HTTP+SSE, which wsi does not support: use its Streamable HTTP address if it has one")
	}
	for _, key := range form.Kept {
		if entry[key] != nil && key != at {
			return fmt.Errorf("its %s works only in the harness: wsi relay cannot use it", key)
		}
	}
	if _, err := endpoint.Parse(address); err != nil {
		return fmt.Errorf("wsi relay does not accept its address: %w", err)
	}
	if env := entry[form.Env]; env != nil {
		if _, ok := env.(map[string]any); !ok {
			return fmt.Errorf("its %s is not a table", form.Env)
		}
	}
	if err := bearable(form, entry); err != nil {
		return err
	}
	return sendable(form, entry)
}

// sendable returns why wsi relay cannot send the headers of an entry.
func sendable(form setup.Form, entry map[string]any) error {
	headers, ok := entry[form.Headers].(map[string]any)
	if !ok && entry[form.Headers] != nil {
		return fmt.Errorf("its %s are not a table", form.Headers)
	}
	seen := map[string]bool{}
	names := slices.Sorted(maps.Keys(headers)) // so that an error names the same one each time
	for _, name := range names {
		_, ok := headers[name].(string)
		upper := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		if !ok || upper == "" || seen[upper] || strings.Trim(upper, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
			return fmt.Errorf("its header %q cannot be passed in a variable", name)
		}
		seen[upper] = true
	}
	for _, name := range names {
		if err := endpoint.CheckHeader(name, headers[name].(string)); err != nil {
			return NotWrappableError{Why: "wsi relay does not accept its headers: " + err.Error(), Fix: "remove or correct the header " + name}
		}
		if headers[name] == "" {
			return NotWrappableError{Why: "its header " + name + " is empty: as a variable it would count as missing", Fix: "remove the header " + name}
		}
	}
	return nil
}

// bearable returns why the token that an entry takes from a variable cannot be passed on by that variable.
func bearable(form setup.Form, entry map[string]any) error {
	if form.Bearer == "" || entry[form.Bearer] == nil {
		return nil
	}
	variable, _ := entry[form.Bearer].(string)
	if h, ok := endpoint.ParseHeader(tokenIn(variable).String()); !ok || h.Variable != variable || strings.Contains(variable, "=") {
		return fmt.Errorf("its %s is not the name of a variable", form.Bearer)
	}
	if entry[form.Passes] != nil {
		return fmt.Errorf("it has both an address and %s, which are for a server that is started", form.Passes)
	}
	headers, _ := entry[form.Headers].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if strings.EqualFold(name, authorization) {
			return fmt.Errorf("it has both a header %s and %s", name, form.Bearer)
		}
	}
	return nil
}

const authorization = "Authorization"

// tokenIn returns the header for a token in a variable of the user's.
func tokenIn(variable string) endpoint.HeaderVar {
	return endpoint.HeaderVar{Name: authorization, Scheme: "Bearer", Variable: variable}
}

// NotWrappableError says why wsi relay cannot wrap a server as it is registered, and what the user can do.
type NotWrappableError struct{ Why, Fix string }

func (b NotWrappableError) Error() string { return b.Why }

// mayWrap returns why a server over HTTP must not be wrapped although it could be: its address may contain a secret, or it
// may require a login.
func mayWrap(form setup.Form, entry map[string]any, address string, login func(address string) error) error {
	if err := relayable(form, entry); err != nil {
		return err
	}
	u, err := endpoint.Parse(address)
	if err != nil {
		return err
	}
	if what := secretPart(address, u); what != "" {
		return unshowable(form, what, u.User != nil)
	}
	headers, _ := entry[form.Headers].(map[string]any)
	if u.Scheme != "https" || len(headers) > 0 || form.Bearer != "" && entry[form.Bearer] != nil {
		return nil
	}
	return login(address)
}

// unshowable is the refusal of an address that may contain a secret: every user of the machine can read a command line.
func unshowable(form setup.Form, what string, login bool) error {
	fix := "replace the server's entry by the command npx -y mcp-remote and the address (every user of this machine can then read the address)"
	switch {
	case form.Headers != "" && login:
		fix = "move the login from the address to a header, which stays in the file: under " + form.Headers + `, register Authorization with "Basic " and user:password in base64`
	case form.Headers != "":
		fix = `register the secret as a header, such as "Authorization: Bearer TOKEN", under ` + form.Headers + ", where it stays in the file"
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
