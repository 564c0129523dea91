package installer

import (
	"crypto/tls"
	"errors"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
)

const remoteURL = "https://example.com/mcp"

// planned plans a harness by relay with one answer of the server at remoteURL, and returns the texts and the addresses asked.
func planned(t *testing.T, id string, files map[string]string, scope setup.Scope, answers map[string]Answer) (p Plan, refused, hint, remarks, notes string, asked []string) {
	t.Helper()
	o, _ := inMemory(files)
	h, _ := registry.Get(id)
	o.Harnesses, o.Mode, o.Scope = []setup.Harness{h}, setup.ByRelay, scope
	ask := func(addresses []string) map[string]Answer {
		asked = append(asked, addresses...)
		return answers
	}
	o, p, err := PlanAsking(o, ask)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range p.Refusals {
		refused, hint = refused+r.Error(), hint+r.ToDo().String()
	}
	review := p.Review(o, func(s string) string { return s })
	for _, s := range review.Remarks {
		remarks += s.ToDo().String() + "\n"
	}
	for _, s := range review.Notes {
		notes += s.ToDo().String() + "\n"
	}
	return p, refused, hint, remarks, notes, asked
}

// A server's answer without a login decides whether setup wraps it, and setup reports the answer.
func TestLoginAnswers(t *testing.T) {
	t.Parallel()
	files := map[string]string{".claude.json": `{"mcpServers": {"workflow-server": {"url": "` + remoteURL + `"}}}`}
	for name, c := range map[string]struct {
		answer                         Answer
		refused, hint, remark, caveats string
	}{
		"answers":    {Answer{Status: 200}, "", "", "", "workflow-server (" + remoteURL + ") whether it requires a login: it does not."},
		"accepts":    {Answer{Status: 202}, "", "", "", "it does not"},
		"login":      {Answer{Status: 401}, "it requires a login (it answered initialize with HTTP status 401)", "use hooks: wsi setup --harness claude-code --wiring hooks", "", ""},
		"bridge":     {Answer{Status: 401}, "requires a login", "npx with the arguments -y mcp-remote " + remoteURL, "", ""},
		"token":      {Answer{Status: 401}, "requires a login", `under headers as Authorization: "Bearer " and the token`, "", ""},
		"elsewhere":  {Answer{Status: 302}, "it redirects to another address", "with or without a slash", "", ""},
		"no POST":    {Answer{Status: 405}, "does not support Streamable HTTP", "wsi setup --harness claude-code --wiring hooks", "", ""},
		"forbidden":  {Answer{Status: 403}, "", "", "it answered with HTTP status 403. If Claude Code has logged in there", ""},
		"overloaded": {Answer{Status: 503}, "", "", "with HTTP status 503", ""},
		"gone":       {Answer{Err: errors.New("connection refused")}, "", "", "got no answer: connection refused. If it does", ""},
		"untrusted":  {Answer{Err: &tls.CertificateVerificationError{Err: errors.New("unknown authority")}}, "wsi relay could not reach it: tls: failed to verify certificate: unknown authority", "make this system trust", "", ""},
	} {
		p, refused, hint, remarks, notes, asked := planned(t, "claude-code", files, setup.User, map[string]Answer{remoteURL: c.answer})
		if !slices.Equal(asked, []string{remoteURL}) {
			t.Errorf("%s: asked %q", name, asked)
		}
		if (refused == "") != (c.refused == "") || !strings.Contains(refused, c.refused) || !strings.Contains(hint, c.hint) || (len(p.Changes) > 0) != (c.refused == "") {
			t.Errorf("%s: refused %q\nhint %q\n%d changes", name, refused, hint, len(p.Changes))
		}
		if strings.Contains(remarks, "login") != (c.remark != "") || !strings.Contains(remarks, c.remark) || strings.Contains(notes, "Setup asked") != (c.caveats != "") || !strings.Contains(notes, c.caveats) {
			t.Errorf("%s: remarks %q\nnotes %q", name, remarks, notes)
		}
	}
}

// A project file may name any address, so setup asks only those to which the harness connects by itself.
func TestProjectServersAskedIfAgreed(t *testing.T) {
	t.Parallel()
	files := map[string]string{"project/.mcp.json": `{"mcpServers": {"workflow-server": {"url": "` + remoteURL + `"}}}`}
	answers := map[string]Answer{remoteURL: {Status: 200}}
	_, refused, hint, _, _, asked := planned(t, "claude-code", files, setup.Project, answers)
	if len(asked) > 0 || !strings.Contains(refused, "a file of the project names it") || !strings.Contains(hint, "approve the server in Claude Code") {
		t.Errorf("asked %q, refused %q, hint %q", asked, refused, hint)
	}
	files[".claude/settings.json"] = `{"enabledMcpjsonServers": ["workflow-server"]}`
	if _, refused, _, _, _, asked = planned(t, "claude-code", files, setup.Project, answers); len(asked) != 1 || refused != "" {
		t.Errorf("agreed to: asked %q, refused %q", asked, refused)
	}
}

// A header for another machine is a secret that the way there must not show. Setup says so before it is confirmed.
func TestUnencryptedHeaders(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"http://flows.example/mcp": true, "https://flows.example/mcp": false, "http://localhost:80/mcp": false, "http://127.0.0.1:80/mcp": false,
	} {
		for headers, some := range map[string]bool{`"Authorization": "Bearer hunter-two"`: true, "": false} {
			files := map[string]string{".claude.json": `{"mcpServers": {"workflow-server": {"type": "http", "url": "` + address + `", "headers": {` + headers + `}}}}`}
			_, refused, _, remarks, _, _ := planned(t, "claude-code", files, setup.User, map[string]Answer{address: {Status: 200}})
			said := strings.Contains(remarks, "others on the network can read what is sent to it, also Authorization.")
			if refused != "" || said != (want && some) || strings.Contains(remarks, "hunter") {
				t.Errorf("%s with {%s}: refused %q, remarks %q", address, headers, refused, remarks)
			}
		}
	}
}
