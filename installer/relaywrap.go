package installer

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/installer/edit"
	"wsi/installer/files"
	"wsi/installer/inspect"
	"wsi/installer/ledger"
	"wsi/installer/refusal"
	"wsi/internal/lists"
)

// wrap makes the scope's files run the servers of p, and no others, through wsi relay.
func (w *workspace) wrap(h setup.Harness, p setup.Program) error {
	var done []string
	relay := func(name string) (setup.RelayCommand, bool) {
		if !slices.Contains(p.Servers, name) {
			return setup.RelayCommand{}, false
		}
		done = lists.AddUnique(done, name)
		return setup.RelayCommand{Path: p.Path, Server: name, As: p.As[name], Harness: h.ID, State: w.o.StateDir, Rules: w.o.Rules}, true
	}
	files := inspect.ServerFiles(w.o.Env, h, w.o.Scope)
	err := lists.Each(files, func(file setup.ServerFile) error { return w.wrapIn(h, file, relay) })
	if err == nil && len(done) == 0 {
		return w.nothingToWrap(h, p, files)
	}
	return err
}

func (w *workspace) wrapIn(h setup.Harness, file setup.ServerFile, relay func(string) (setup.RelayCommand, bool)) error {
	f, err := w.open(h, file.Path)
	if err != nil || f.after == nil {
		return err
	}
	if err := f.bare(file); err != nil {
		return w.unwrappable(h, file.Path, err)
	}
	if f.after, _, err = edit.Wrap(file, f.after, relay, w.login(h, file)); err != nil {
		return w.unwrappable(h, file.Path, err)
	}
	base, made, err := edit.Wrap(file, f.base, relay, nil)
	if err != nil {
		return w.unwrappable(h, file.Path, err)
	}
	if !files.Same(base, f.base) && f.format == "" {
		f.format = ledger.Servers
	}
	f.made = append(slices.DeleteFunc(f.made, inServers), made...)
	return nil
}

// bare unwraps the servers in the base of a file, unless the base comes from the ledger.
func (f *file) bare(file setup.ServerFile) (err error) {
	if !f.known {
		f.base, err = edit.Unwrap(file, f.base, f.recorded)
	}
	return err
}

// inServers reports whether a container is in a server's entry: its name is then a JSON pointer.
func inServers(made string) bool { return strings.HasPrefix(made, "/") }

// unwrap removes wsi relay from all servers of a file. Errors in a file without a wrapped server do not matter, unless
// wsi is to be removed from it by the ledger.
func (w *workspace) unwrap(h setup.Harness, file setup.ServerFile) error {
	content, err := w.o.Env.ReadFile(file.Path)
	if err != nil || !wrapped(file, content) {
		if r, _ := w.ledger.Get(file.Path); err == nil && w.removal && r.Format == ledger.Servers && w.concerns(r, h.ID) {
			if _, err := edit.Servers(file, content); err != nil {
				return w.unwrappable(h, file.Path, err)
			}
		}
		w.passed = append(w.passed, w.o.Env.Resolved(file.Path))
		return nil // nothing can be removed from a file that cannot be read
	}
	f, err := w.open(h, file.Path)
	if err != nil {
		return err
	}
	if err := f.bare(file); err != nil {
		return w.unwrappable(h, file.Path, err)
	}
	if r, ok := w.ledger.Get(file.Path); f.known && (w.removal || ok && r.Format == ledger.Servers) {
		f.after = f.base
	} else if f.after, err = edit.Unwrap(file, f.after, f.recorded); err != nil {
		return w.unwrappable(h, file.Path, err)
	}
	f.made = slices.DeleteFunc(f.made, inServers)
	return nil
}

// wrapped reports whether a file may run a server of its harness through wsi relay.
func wrapped(file setup.ServerFile, content []byte) bool {
	found, err := inspect.RelaysIn(file, content)
	return err != nil || slices.ContainsFunc(found, func(s edit.Server) bool { return !s.Others })
}

func (w *workspace) unwrappable(h setup.Harness, path string, err error) error {
	verb, fix, or, command := "setup", "correct that", "", ""
	if barred, ok := errors.AsType[edit.NotWrappableError](err); ok {
		fix = barred.Fix
	}
	switch _, hooks := h.Choice(setup.ByHooks); {
	case w.removal:
		verb = "remove"
	case hooks && w.modes[h.ID] != setup.ByHooks:
		hooked := w.o
		hooked.Mode, hooked.Modes, hooked.Harnesses = setup.ByHooks, nil, []setup.Harness{h}
		if p, err := PlanSetup(hooked); err == nil && len(p.Refusals) == 0 {
			or, command = ". Or use hooks", hooked.again(h, w.o.Scope, w.o.Program.Servers)
		}
	}
	return refusal.Error{Path: path, Err: err, Fix: fmt.Sprintf("%s, then run wsi %s again%s", fix, verb, or), Command: command}
}

var errUserOnly = errors.New("it has no servers per project")

// noServer is the error if the files register none of the servers to wrap.
type noServer struct{ names, places []string }

func (n noServer) Error() string {
	return fmt.Sprintf("no server named %s is registered in %s, so wsi relay has nothing to be in front of", strings.Join(lists.Map(n.names, strconv.Quote), " or "), strings.Join(n.places, " or "))
}

// nothingToWrap returns the refusal for files without any of the servers. Its hint says where one may be.
func (w *workspace) nothingToWrap(h setup.Harness, p setup.Program, files []setup.ServerFile) error {
	if len(files) == 0 {
		return refusal.Error{Err: errUserOnly, Command: w.forUser(h)}
	}
	r := refusal.Error{
		Err: noServer{p.Servers, lists.Map(files, func(f setup.ServerFile) string { return f.Path })},
		Fix: "register it there, then run wsi setup again",
	}
	found, err := h.Find(w.o.Env)
	if err != nil {
		return r
	}
	other := w.o.Scope.Other()
	for _, s := range found.Servers {
		elsewhere := slices.ContainsFunc(inspect.ServerFiles(w.o.Env, h, other), func(file setup.ServerFile) bool { return file.Path == s.File })
		if slices.Contains(p.Servers, s.Name) && elsewhere {
			r.Fix, r.Command = "it is registered in "+s.File, w.o.again(h, other, p.Servers)
			return r
		}
	}
	for _, s := range found.Servers {
		if _, known := inspect.ServersIn(w.o.Env, h, s.File); slices.Contains(p.Servers, s.Name) && !known {
			return w.registeredElsewhere(h, s, r)
		}
	}
	if name := inspect.Suggest(found.Servers); name != "" {
		r.Fix, r.Command = "if your server is "+name, w.o.again(h, w.o.Scope, []string{name})
	}
	return r
}

// registeredElsewhere is the refusal for a server that is registered only in a file that setup does not change.
func (w *workspace) registeredElsewhere(h setup.Harness, s setup.Server, r refusal.Error) error {
	r.Err = fmt.Errorf("%s is registered in %s, which setup does not change", s.Name, s.File)
	if s.With != "" {
		r.Err = fmt.Errorf("only %s uses %s: it is registered in %s, which setup does not change", s.With, s.Name, s.File)
	}
	r.Fix = "move it to " + inspect.ServerFiles(w.o.Env, h, w.o.Scope)[0].Path + ", then run wsi setup again"
	if _, hooks := h.Choice(setup.ByHooks); hooks {
		w.o.Mode, w.o.Modes = setup.ByHooks, nil
		r.Fix += ". Or leave it where it is, and use hooks"
		r.Command = w.o.again(h, w.o.Scope, w.o.Program.Servers)
	}
	return r
}

// unwrapAll removes wsi relay from the servers of a scope; on removal also in files that the harness no longer
// reads because an environment variable changed its paths.
func (w *workspace) unwrapAll(h setup.Harness) error {
	files := inspect.ServerFiles(w.o.Env, h, w.o.Scope)
	for _, r := range w.ledger.Files {
		named := slices.ContainsFunc(files, func(file setup.ServerFile) bool { return file.Path == r.Path })
		if w.removal && w.concerns(r, h.ID) && len(files) > 0 && !named && r.Format != ledger.Owned {
			moved := files[0]
			moved.Path, moved.Others = r.Path, inspect.OthersIn(w.o.Env, h, r.Path)
			files = append(files, moved)
		}
	}
	return lists.Each(files, func(file setup.ServerFile) error { return w.pass(h, w.unwrap(h, file)) })
}

// wrapped returns the files of a scope in which a server runs through wsi relay, as the workspace has them.
func (w *workspace) wrapped(h setup.Harness) (paths []string) {
	for _, of := range inspect.ServerFiles(w.o.Env, h, w.o.Scope) {
		i := slices.IndexFunc(w.files, func(one *file) bool { return one.path == of.Path })
		if i >= 0 && wrapped(of, w.files[i].after) {
			paths = append(paths, of.Path)
		}
	}
	return paths
}

// ofOthers refuses a harness if another one already runs one of the servers through wsi relay from the same file:
// with both set up, neither would carry the right values.
func (w *workspace) ofOthers(h setup.Harness, servers []string) error {
	for _, file := range inspect.ServerFiles(w.o.Env, h, w.o.Scope) {
		found, _ := inspect.RelaysIn(file, w.now(file.Path)) // its error is reported when it is edited
		for _, s := range found {
			if !s.Others || !slices.Contains(servers, s.Name) {
				continue
			}
			other, _ := registry.Get(s.Relay.Harness)
			scope, _ := inspect.ServersIn(w.o.Env, other, file.Path)
			return refusal.Error{
				Path: file.Path, Err: fmt.Errorf("%s reads the same file and already has wsi relay in front of %s in it", other.Name, s.Name),
				Fix:     fmt.Sprintf("give %s its own file, or remove wsi from %s first", h.Name, other.Name),
				Command: fmt.Sprintf("wsi remove --harness %s --scope %s", other.ID, scope),
			}
		}
	}
	return nil
}

// A server at an https address without a header may require a login. Harnesses log in with a browser; wsi relay
// cannot. So setup asks such a server before it wraps it.

// login returns a function that says why a server of this file at an https address without a header cannot be wrapped.
func (w *workspace) login(h setup.Harness, file setup.ServerFile) func(address string) error {
	return func(address string) error {
		answer := w.o.Answers[address]
		bridge := "replace the server's entry by the command npx -y mcp-remote " + address
		var certificate *tls.CertificateVerificationError
		why, fix := "", ""
		switch {
		case !w.startsUnasked(h, file, address):
			why = "it may require a login, which wsi relay does not support. Setup did not ask it: only a file of the project names it, and you have not approved it in " + h.Name
			fix = "approve the server in " + h.Name + ", or "
		case w.o.Answers == nil:
			w.unasked = lists.AddUnique(w.unasked, address)
		case answer.Status == http.StatusUnauthorized:
			why = "it requires a login (it answered initialize with HTTP status 401), which wsi relay does not support"
			if file.Form.Headers != "" {
				fix = `if it accepts a token, add the header "Authorization: Bearer TOKEN" under ` + file.Form.Headers + "; if not, "
			}
		case answer.Status >= 300 && answer.Status < 400:
			why = fmt.Sprintf("it redirects to another address (it answered initialize with HTTP status %d), which wsi relay does not follow", answer.Status)
			fix = "register the address to which it redirects (often only the last slash differs), or "
		case answer.Status == http.StatusMethodNotAllowed:
			why = "it does not support Streamable HTTP (it answered initialize with HTTP status 405)"
			fix = "use its Streamable HTTP address if it has one, or "
		case errors.As(answer.Err, &certificate):
			why = fmt.Sprintf("wsi relay could not reach it: %v", certificate)
			fix = "make this system trust its certificate, or "
		}
		if why == "" {
			return nil
		}
		return edit.NotWrappableError{Why: why, Fix: fix + bridge}
	}
}

// startsUnasked reports whether the harness connects to a server of this file without asking the user: to every server in
// the user's own files, and to those of a project that the user has agreed to.
func (w *workspace) startsUnasked(h setup.Harness, file setup.ServerFile, address string) bool {
	if w.o.Scope != setup.Project && !w.o.Env.InProject(file.Path) {
		return true
	}
	found, err := h.Find(w.o.Env)
	return err == nil && slices.ContainsFunc(found.Servers, func(s setup.Server) bool {
		return s.URL == address && inspect.Same(w.o.Env, s.File, file.Path) && s.Agreed && s.Blocked == "" && !s.Disabled
	})
}
