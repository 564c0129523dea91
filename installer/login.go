package installer

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"wsi/harnesses/setup"
	"wsi/installer/edit"
	"wsi/installer/inspect"
	"wsi/internal/lists"
)

// A server at an https address without a header may require a login. Harnesses log in with a browser; wsi relay
// cannot. So setup asks such a server before it wraps it.

// login returns a function that says why a server of this file at an https address without a header cannot be wrapped.
func (w *workspace) login(h setup.Harness, file setup.ServerFile) func(address string) error {
	return func(address string) error {
		bridge := "register a bridge instead, the command npx with the arguments -y mcp-remote " + address
		if !w.startsUnasked(h, file, address) {
			return edit.NotWrappableError{
				Why: "its address is https without a registered header, so it may require a login, which wsi relay does not support; setup did not ask it, because a file of the project names it and you have not approved it in " + h.Name,
				Fix: "approve the server in " + h.Name + ", or " + bridge,
			}
		}
		if w.o.Answers == nil {
			w.unasked = lists.AddUnique(w.unasked, address)
			return nil
		}
		answer := w.o.Answers[address]
		var certificate *tls.CertificateVerificationError
		switch {
		case answer.Status == http.StatusUnauthorized:
			fix := bridge
			if file.Form.Headers != "" {
				fix = `if it accepts a token, register that under ` + file.Form.Headers + ` as Authorization: "Bearer " and the token; or ` + bridge
			}
			return edit.NotWrappableError{Why: "it requires a login (it answered initialize with HTTP status 401), which wsi relay does not support", Fix: fix}
		case answer.Status >= 300 && answer.Status < 400:
			return edit.NotWrappableError{
				Why: fmt.Sprintf("it redirects to another address (it answered initialize with HTTP status %d), which wsi relay does not follow", answer.Status),
				Fix: "register the address to which it redirects, often the same with or without a slash at the end, or " + bridge,
			}
		case answer.Status == http.StatusMethodNotAllowed:
			return edit.NotWrappableError{
				Why: "it does not support Streamable HTTP (it answered initialize with HTTP status 405)",
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
