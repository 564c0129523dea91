package installer

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"

	"wsi/harnesses"
	"wsi/installer/edit"
)

// A server at an https address without a header may want a login. Harnesses log in by themselves, with a browser;
// wsi relay does not. So such a server is asked before wsi is put in front of it.

// Answer is what a server said to initialize without a login.
type Answer struct {
	Status int   // of HTTP; 0 if there was no answer
	Err    error // why not
}

// PlanAsking is PlanSetup, with answers of the servers that the plan depends on. ask returns them by address. The
// options returned are those of the plan.
func PlanAsking(o Options, ask func(addresses []string) map[string]Answer) (Options, Plan, error) {
	p, err := PlanSetup(o)
	if err != nil || len(p.Unasked) == 0 {
		return o, p, err
	}
	o.Answers = ask(p.Unasked)
	p, err = PlanSetup(o)
	return o, p, err
}

// login reports why wsi cannot be put in front of a server of this file that is at an https address without a header.
func (w *workspace) login(h harnesses.Harness, file harnesses.ServerFile) func(address string) error {
	return func(address string) error {
		bridge := "register a bridge in its place, the command npx with the arguments -y mcp-remote " + address
		if !w.startsUnasked(h, file, address) {
			return edit.NotWrappableError{
				Why: "its address is https and no header is registered with it, so that it may want a login, which wsi relay cannot do; and it is not asked, for a file of the project names it, and " + h.Name + " would not reach it before you have agreed to that",
				Fix: "agree to the server in " + h.Name + ", or " + bridge,
			}
		}
		if w.o.Answers == nil {
			w.unasked = addUnique(w.unasked, address)
			return nil
		}
		answer, asked := w.o.Answers[address]
		var certificate *tls.CertificateVerificationError
		switch {
		case !asked:
			return edit.NotWrappableError{
				Why: "its address is https and no header is registered with it, so that it may want a login, which wsi relay cannot do; and it was not asked",
				Fix: "leave --offline out, so that setup asks it, or " + bridge,
			}
		case answer.Status == http.StatusUnauthorized:
			fix := bridge
			if file.Form.Headers != "" {
				fix = `register a token, if it takes one, under ` + file.Form.Headers + `, where Authorization is "Bearer " and the token, or ` + bridge
			}
			return edit.NotWrappableError{Why: "it wants a login (asked without one, it answered with the HTTP status 401), which wsi relay cannot do", Fix: fix}
		case answer.Status >= 300 && answer.Status < 400:
			return edit.NotWrappableError{
				Why: fmt.Sprintf("it is at another address (asked for initialize, it answered with the HTTP status %d), and wsi relay does not go there", answer.Status),
				Fix: "register the address to which that leads, often the same with or without a slash at its end, or " + bridge,
			}
		case answer.Status == http.StatusMethodNotAllowed:
			return edit.NotWrappableError{
				Why: "it does not speak Streamable HTTP (asked for initialize, it answered with the HTTP status 405)",
				Fix: "use its Streamable HTTP address if it has one, or " + bridge,
			}
		case errors.As(answer.Err, &certificate):
			return edit.NotWrappableError{
				Why: fmt.Sprintf("wsi relay could not reach it: %v", certificate),
				Fix: "make this system trust its certificate, or " + bridge,
			}
		}
		return nil
	}
}

// startsUnasked reports whether the harness would connect to a server of this file without asking its user: all that
// is in the user's own files, of a project's what the user has agreed to.
func (w *workspace) startsUnasked(h harnesses.Harness, file harnesses.ServerFile, address string) bool {
	if w.o.Scope != harnesses.Project && !w.withinProject(file.Path) {
		return true
	}
	found, err := h.Find(w.o.Env)
	return err == nil && slices.ContainsFunc(found.Servers, func(s harnesses.Server) bool {
		return s.URL == address && Same(w.o.Env, s.File, file.Path) && s.Agreed && s.Blocked == "" && !s.Disabled
	})
}

// withinProject reports whether a file, or what it leads to, is in the repository or the folder at which wsi is run. A
// folder that holds the user's home is no project's.
func (w *workspace) withinProject(path string) bool {
	roots := []string{w.o.Env.Cwd}
	if r, ok := w.o.Env.Repository(); ok {
		roots = append(roots, r.Root, r.Main)
	}
	inside := func(root, path string) bool {
		rel, err := filepath.Rel(root, path)
		return err == nil && filepath.IsLocal(rel)
	}
	return slices.ContainsFunc(roots, func(root string) bool {
		root = resolved(w.o.Env, root)
		return root != "" && !inside(root, resolved(w.o.Env, w.o.Env.Home)) && inside(root, resolved(w.o.Env, path))
	})
}

// aboutLogins says which of these servers was asked whether it wants a login, and what is not known for sure.
func aboutLogins(o Options, h harnesses.Harness, fronts []Fronted) (notes []Note) {
	for _, f := range fronts {
		answer, asked := o.Answers[f.Front.URL]
		note := Note{Harness: h.ID, Kind: Remark}
		switch ok := answer.Status >= 200 && answer.Status < 300; {
		case !asked:
			continue
		case ok:
			note.Kind = Caveat
			note.Text = fmt.Sprintf("Setup asked %s (%s) whether it wants a login: it answers without one.", f.Name, f.Front.URL)
		case answer.Err != nil:
			note.Text = fmt.Sprintf("Setup asked %s (%s) whether it wants a login, and got no answer: %s. If it wants one, leave it as it is: wsi logs in nowhere.", f.Name, f.Front.URL, oneLine(answer.Err.Error()))
		default:
			note.Text = fmt.Sprintf("Setup asked %s (%s) whether it wants a login, and it answered with the HTTP status %d. If %s has logged in there so far, leave it as it is: wsi logs in nowhere.", f.Name, f.Front.URL, answer.Status, h.Name)
		}
		notes = append(notes, note)
	}
	return notes
}
