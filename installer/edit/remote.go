package edit

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/internal/endpoint"
	"wsi/internal/secret"
)

// The address of a server over HTTP moves to wsi's command line, its headers to variables of the entry: their values
// are secrets, and every user of the machine can read a command line. The values stay in the same file.

// headerPrefix is the prefix of the variables that hold headers.
const headerPrefix = secret.HeaderPrefix

func wrapRemote(form setup.Form, d *document, s Server, f setup.RelayCommand) (made []string, err error) {
	if err := relayable(form, s.entry); err != nil {
		return nil, err
	}
	variable := usersVariable(form, s.entry)
	if err := uncommented(d, s, s.path(form.URL), s.path(form.Headers), s.path(form.Bearer)); err != nil {
		return nil, err
	}
	f.URL = s.entry[form.URL].(string)
	headers, _ := s.entry[form.Headers].(map[string]any)
	env := map[string]any{}
	old, hadEnv := s.entry[form.Env].(map[string]any)
	maps.Copy(env, old)
	values := map[string]string{} // raw values by variable
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		h := variableFor(name)
		if _, taken := env[h.Variable]; taken {
			return nil, fmt.Errorf("the variable %s, which wsi needs for its header %s, exists already", h.Variable, name)
		}
		f.Headers = append(f.Headers, h)
		env[h.Variable] = headers[name]
		values[h.Variable] = d.rawAt(s.path(form.Headers, name))
	}
	to := maps.Clone(s.entry)
	delete(to, form.URL)
	if variable != "" {
		f.Headers = append(f.Headers, tokenIn(variable))
		delete(to, form.Bearer)
		to[form.Passes] = []any{variable}
		made = append(made, pointer(s.path(form.Passes)))
	}
	_, hadHeaders := to[form.Headers]
	delete(to, form.Headers) // also if it is empty: Codex 0.169.0 does not start with it next to a command
	line := f.Words()
	putLine(to, form, line)
	if len(values) > 0 {
		to[form.Env] = env
		if !hadEnv {
			made = append(made, pointer(s.path(form.Env)))
		}
	}
	setType(to, form.Local)
	return made, change(d, s, to, func() error {
		errs := []error{setLine(form, d, s, line)}
		for _, h := range f.Headers {
			if raw, own := values[h.Variable]; own {
				errs = append(errs, setVariable(form, d, s, h.Variable, raw))
			}
		}
		if variable != "" {
			errs = append(errs, d.set(s.path(form.Passes), array([]string{d.quote(variable)})), d.cutOut(s.path(form.Bearer)))
		}
		if hadHeaders {
			errs = append(errs, d.cutOut(s.path(form.Headers)))
		}
		errs = append(errs, d.cutOut(s.path(form.URL)), replaceType(d, s, to))
		return errors.Join(errs...)
	})
}

// usersVariable returns the variable of the user's that holds the token, "" if none does.
func usersVariable(form setup.Form, entry map[string]any) string {
	if form.Bearer == "" {
		return ""
	}
	variable, _ := entry[form.Bearer].(string)
	return variable
}

// variableFor returns the variable for a header.
func variableFor(header string) harnesses.HeaderVar {
	return harnesses.HeaderVar{Name: header, Variable: headerPrefix + strings.ToUpper(strings.ReplaceAll(header, "-", "_"))}
}

// putLine puts a command line into an entry.
func putLine(entry map[string]any, form setup.Form, line []string) {
	if form.Joined {
		entry[command] = anys(line)
	} else {
		entry[command], entry[args] = line[0], anys(line[1:])
	}
}

func unwrapRemote(form setup.Form, d *document, s Server, f setup.RelayCommand, made []string) error {
	to := maps.Clone(s.entry)
	gone := [][]string{s.path(command), s.path(args)}
	variable, own, err := split(form, s.entry, f.Headers)
	if err != nil {
		return err
	}
	env, _ := s.entry[form.Env].(map[string]any)
	env = maps.Clone(env)
	headers, raws := map[string]any{}, map[string]string{}
	for _, h := range own {
		value, ok := env[h.Variable]
		if !ok || !strings.HasPrefix(h.Variable, headerPrefix) || form.Headers == "" {
			return fmt.Errorf("the variable %s with its header %s is missing", h.Variable, h.Name)
		}
		headers[h.Name] = value
		raws[h.Name] = d.rawAt(s.path(form.Env, h.Variable))
		delete(env, h.Variable)
		gone = append(gone, s.path(form.Env, h.Variable))
	}
	delete(to, command)
	delete(to, args)
	to[form.URL] = f.URL
	if len(headers) > 0 {
		to[form.Headers], to[form.Env] = headers, env
	}
	bare := len(headers) > 0 && len(env) == 0 && (made == nil || slices.Contains(made, pointer(s.path(form.Env))))
	if bare {
		delete(to, form.Env)
		gone = append(gone, s.path(form.Env))
	}
	if variable != "" {
		to[form.Bearer] = variable
		delete(to, form.Passes)
		gone = append(gone, s.path(form.Passes))
	}
	if err := uncommented(d, s, gone...); err != nil {
		return err
	}
	setType(to, form.Remote)
	return change(d, s, to, func() error {
		errs := []error{d.set(s.path(form.URL), d.quote(f.URL))}
		if variable != "" {
			errs = append(errs, d.set(s.path(form.Bearer), d.quote(variable)), d.cutOut(s.path(form.Passes)))
		}
		errs = append(errs, returnHeaders(form, d, s, own, raws))
		if bare {
			errs = append(errs, d.cutOut(s.path(form.Env)))
		}
		if !form.Joined {
			errs = append(errs, d.cutOut(s.path(args)))
		}
		errs = append(errs, d.cutOut(s.path(command)), replaceType(d, s, to))
		return errors.Join(errs...)
	})
}

// returnHeaders moves headers from variables back into an entry, with their raw values.
func returnHeaders(form setup.Form, d *document, s Server, own []harnesses.HeaderVar, raws map[string]string) error {
	var errs []error
	for i, h := range own {
		path, raw := s.path(form.Headers, h.Name), raws[h.Name]
		if i == 0 {
			path, raw = s.path(form.Headers), d.raw(fields{{h.Name, verbatim(raw)}})
		}
		errs = append(errs, d.set(path, raw), d.cutOut(s.path(form.Env, h.Variable)))
	}
	return errors.Join(errs...)
}

// split returns the user's variable that holds the token, "" if none does, and the headers in variables of the entry.
func split(form setup.Form, entry map[string]any, headers []harnesses.HeaderVar) (variable string, own []harnesses.HeaderVar, err error) {
	for _, h := range headers {
		if ofUser(form, h) && variable == "" {
			variable = h.Variable
		} else {
			own = append(own, h)
		}
	}
	if passed, _ := entry[form.Passes].([]any); variable != "" && entry[form.Passes] != nil && (len(passed) != 1 || passed[0] != variable) {
		return "", nil, fmt.Errorf("its %s has more than wsi wrote, and a server at an address has none", form.Passes)
	}
	return variable, own, nil
}

// setLine writes wsi's command line into an entry without one.
func setLine(form setup.Form, d *document, s Server, line []string) error {
	if form.Joined {
		return d.set(s.path(command), array(quoteEach(d, line)))
	}
	return errors.Join(d.set(s.path(command), d.quote(line[0])), d.set(s.path(args), array(quoteEach(d, line[1:]))))
}

// setVariable adds a variable, and its table if needed.
func setVariable(form setup.Form, d *document, s Server, name, raw string) error {
	tree, err := d.tree()
	if err != nil {
		return err
	}
	if at(tree, s.path())[form.Env] == nil {
		return d.set(s.path(form.Env), d.raw(fields{{name, verbatim(raw)}}))
	}
	return d.set(s.path(form.Env, name), raw)
}

func setType(entry map[string]any, kind string) {
	if entry["type"] != nil && kind != "" {
		entry["type"] = kind
	}
}

func replaceType(d *document, s Server, to map[string]any) error {
	if kind, ok := to["type"].(string); ok && kind != s.entry["type"] {
		return d.set(s.path("type"), d.quote(kind))
	}
	return nil
}

// relayable returns why a server over HTTP cannot run through wsi relay.
func relayable(form setup.Form, entry map[string]any) error {
	address, ok := entry[form.URL].(string)
	if form.URL == "" || !ok {
		return errors.New("it has neither a command nor the address of a server over Streamable HTTP")
	}
	if entry["type"] == "sse" {
		return errors.New("it uses HTTP+SSE, which wsi does not support: use its Streamable HTTP address if it has one")
	}
	for _, key := range form.Kept {
		if entry[key] != nil {
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
			return NotWrappableError{Why: "its header " + name + " is empty, and an empty variable counts as missing", Fix: "remove the header " + name}
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
	if h, ok := harnesses.ParseHeader(tokenIn(variable).String()); !ok || h.Variable != variable || strings.Contains(variable, "=") {
		return fmt.Errorf("its %s is not the name of a variable", form.Bearer)
	}
	if entry[form.Passes] != nil {
		return fmt.Errorf("its %s are for a server that is started", form.Passes)
	}
	headers, _ := entry[form.Headers].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if strings.EqualFold(name, authorization) {
			return fmt.Errorf("it has both a header %s and %s", name, form.Bearer)
		}
	}
	return nil
}

const (
	authorization = "Authorization"
	bearerScheme  = "Bearer"
)

// tokenIn returns the header for a token in a variable of the user's.
func tokenIn(variable string) harnesses.HeaderVar {
	return harnesses.HeaderVar{Name: authorization, Scheme: bearerScheme, Variable: variable}
}

// ofUser reports whether a header of wsi's command line takes its token from a variable of the user's, as from tokenIn.
func ofUser(form setup.Form, h harnesses.HeaderVar) bool {
	return form.Bearer != "" && h == tokenIn(h.Variable)
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
	if err := showable(form, address, u); err != nil {
		return err
	}
	headers, _ := entry[form.Headers].(map[string]any)
	if u.Scheme != "https" || len(headers) > 0 || form.Bearer != "" && entry[form.Bearer] != nil {
		return nil
	}
	return login(address)
}
