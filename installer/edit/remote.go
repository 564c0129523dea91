package edit

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"wsi/harnesses"
)

// Of a server over HTTP, the address moves to wsi's command line and the headers to the entry's own
// variables: their values are secrets, and everybody on a machine can read a command line. They stay in
// the file they were in.

// headerPrefix begins the names of the variables that headers became.
const headerPrefix = "WSI_HEADER_"

func wrapRemote(form harnesses.Form, r registry, s Server, f harnesses.Front) (made []string, err error) {
	if err := relayable(form, s.entry); err != nil {
		return nil, err
	}
	if err := uncommented(r, s, s.path(form.URL), s.path(form.Headers)); err != nil {
		return nil, err
	}
	f.URL = s.entry[form.URL].(string)
	headers, _ := s.entry[form.Headers].(map[string]any)
	env, hadEnv := s.entry[form.Env].(map[string]any)
	env = maps.Clone(env)
	if env == nil {
		env = map[string]any{}
	}
	values := map[string]string{} // raw, by the names of variables
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		variable := headerPrefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		if _, taken := env[variable]; taken {
			return nil, fmt.Errorf("the variable %s, which its header %s would become, is taken", variable, name)
		}
		f.Headers = append(f.Headers, harnesses.HeaderVar{Name: name, Variable: variable})
		env[variable] = headers[name]
		values[variable], _ = r.raw(s.path(form.Headers, name))
	}
	to := maps.Clone(s.entry)
	delete(to, form.URL)
	_, hadHeaders := to[form.Headers]
	delete(to, form.Headers) // an empty table, too: Codex 0.169.0 does not start with it beside a command
	line := f.Words()
	if form.Joined {
		to[command] = anys(line)
	} else {
		to[command], to[args] = line[0], anys(line[1:])
	}
	if len(values) > 0 {
		to[form.Env] = env
		if !hadEnv {
			made = append(made, pointer(s.path(form.Env)))
		}
	}
	setType(to, form.Local)
	return made, change(r, s, to, func() error {
		errs := []error{setLine(form, r, s, line)}
		for _, h := range f.Headers {
			errs = append(errs, setVariable(form, r, s, h.Variable, values[h.Variable]))
		}
		if hadHeaders {
			errs = append(errs, r.drop(s.path(form.Headers)))
		}
		errs = append(errs, r.drop(s.path(form.URL)), replaceType(r, s, to))
		return errors.Join(errs...)
	})
}

func unwrapRemote(form harnesses.Form, r registry, s Server, f harnesses.Front, made []string) error {
	to := maps.Clone(s.entry)
	env, _ := s.entry[form.Env].(map[string]any)
	env = maps.Clone(env)
	headers, raws := map[string]any{}, map[string]string{}
	gone := [][]string{s.path(command), s.path(args)}
	for _, h := range f.Headers {
		value, ok := env[h.Variable]
		if !ok || !strings.HasPrefix(h.Variable, headerPrefix) || form.Headers == "" {
			return fmt.Errorf("the variable %s, which held its header %s, is gone", h.Variable, h.Name)
		}
		headers[h.Name] = value
		raws[h.Name], _ = r.raw(s.path(form.Env, h.Variable))
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
	if err := uncommented(r, s, gone...); err != nil {
		return err
	}
	setType(to, form.Remote)
	return change(r, s, to, func() error {
		errs := []error{r.set(s.path(form.URL), r.quote(f.URL))}
		for i, h := range f.Headers {
			if i == 0 {
				errs = append(errs, r.set(s.path(form.Headers), r.object(h.Name, raws[h.Name])))
			} else {
				errs = append(errs, r.set(s.path(form.Headers, h.Name), raws[h.Name]))
			}
			errs = append(errs, r.drop(s.path(form.Env, h.Variable)))
		}
		if bare {
			errs = append(errs, r.drop(s.path(form.Env)))
		}
		if !form.Joined {
			errs = append(errs, r.drop(s.path(args)))
		}
		errs = append(errs, r.drop(s.path(command)), replaceType(r, s, to))
		return errors.Join(errs...)
	})
}

// setLine writes wsi's command line into an entry that has none.
func setLine(form harnesses.Form, r registry, s Server, line []string) error {
	if form.Joined {
		return r.set(s.path(command), array(quoteEach(r, line)))
	}
	return errors.Join(r.set(s.path(command), r.quote(line[0])), r.set(s.path(args), array(quoteEach(r, line[1:]))))
}

// setVariable adds a variable, and the table of them.
func setVariable(form harnesses.Form, r registry, s Server, name, raw string) error {
	tree, err := r.tree()
	if err != nil {
		return err
	}
	if at(tree, s.path())[form.Env] == nil {
		return r.set(s.path(form.Env), r.object(name, raw))
	}
	return r.set(s.path(form.Env, name), raw)
}

func setType(entry map[string]any, kind string) {
	if entry["type"] != nil && kind != "" {
		entry["type"] = kind
	}
}

func replaceType(r registry, s Server, to map[string]any) error {
	if kind, ok := to["type"].(string); ok && kind != s.entry["type"] {
		return r.set(s.path("type"), r.quote(kind))
	}
	return nil
}

// relayable tells why wsi cannot stand between the harness and a server over HTTP.
func relayable(form harnesses.Form, entry map[string]any) error {
	address, ok := entry[form.URL].(string)
	if form.URL == "" || !ok {
		return errors.New("it has neither a command nor the address of a server over Streamable HTTP")
	}
	if entry["type"] == "sse" {
		return errors.New("it speaks HTTP+SSE, which wsi does not: use its Streamable HTTP address if it has one")
	}
	for _, key := range form.Kept {
		if entry[key] != nil {
			return fmt.Errorf("its %s is for the harness alone: wsi could not use it", key)
		}
	}
	if err := showable(address); err != nil {
		return err
	}
	headers, ok := entry[form.Headers].(map[string]any)
	if !ok && entry[form.Headers] != nil {
		return fmt.Errorf("its %s are not a table", form.Headers)
	}
	if err := reachable(address, len(headers) > 0); err != nil {
		return err
	}
	if env := entry[form.Env]; env != nil {
		if _, ok := env.(map[string]any); !ok {
			return fmt.Errorf("its %s is not a table", form.Env)
		}
	}
	seen := map[string]bool{}
	for name, value := range headers {
		upper := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		if _, ok := value.(string); !ok || upper == "" || seen[upper] || strings.Trim(upper, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
			return fmt.Errorf("its header %q cannot be handed on by a variable", name)
		}
		seen[upper] = true
	}
	return nil
}

// Barred is the error of a server that wsi cannot stand in front of as it is registered, and what its user
// can do about it.
type Barred struct{ Why, Fix string }

func (b Barred) Error() string { return b.Why }

// reachable refuses an address that may want a login: harnesses do that by themselves, with a browser, and
// with wsi in between, which does not, they would lose the server.
func reachable(address string, headers bool) error {
	if u, err := url.Parse(address); headers || err != nil || u.Scheme != "https" {
		return nil //nolint:nilerr // what is no address is refused elsewhere
	}
	return Barred{
		Why: "its address is https and no header is registered with it, so that it may want a login, which wsi relay cannot do",
		Fix: "register what does in its place: the command npx with the arguments -y mcp-remote " + address,
	}
}

// showable refuses an address that may hold a secret: on a command line everybody could read it.
func showable(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return errors.New("its address is not one of a server over HTTP")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.ContainsAny(address, "${}"):
		return errors.New("its address may hold a secret (a login, a query or a variable), and on wsi's command line everybody on this machine could read it")
	}
	for part := range strings.SplitSeq(u.Path, "/") {
		if len(part) >= 20 && strings.ContainsAny(part, "0123456789") {
			return errors.New("its address may hold a secret (a long part of its path), and on wsi's command line everybody on this machine could read it")
		}
	}
	return nil
}
