package installer

import (
	"crypto/tls"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/harnesses/registry"
)

const afar = "https://example.com/mcp"

// planned plans a harness by relay with one answer of the server at afar, and returns what is said and asked.
func planned(t *testing.T, id string, files map[string]string, scope harnesses.Scope, answers map[string]Answer) (p Plan, refused, hint, remarks, notes string, asked []string) {
	t.Helper()
	o, _ := inMemory(files)
	h, _ := registry.Get(id)
	o.Harnesses, o.Mode, o.Install, o.Scope = []harnesses.Harness{h}, harnesses.ByRelay, nil, scope
	ask := func(addresses []string) map[string]Answer {
		asked = append(asked, addresses...)
		return answers
	}
	o, p, err := PlanAsking(o, ask)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range p.Refusals {
		refused, hint = refused+r.Error(), hint+r.Hint
	}
	review := p.Review(o, func(s string) string { return s })
	for _, s := range review.Remarks {
		remarks += s.Text + "\n"
	}
	for _, s := range review.Notes {
		notes += s.Text + "\n"
	}
	return p, refused, hint, remarks, notes, asked
}

// What a server says without a login decides whether wsi is put in front of it, and setup says what it was told.
func TestWhatServersSayWithoutALogin(t *testing.T) {
	t.Parallel()
	files := map[string]string{".claude.json": `{"mcpServers": {"workflow-server": {"url": "` + afar + `"}}}`}
	for name, c := range map[string]struct {
		answer                         Answer
		refused, hint, remark, caveats string
	}{
		"answers":    {Answer{Status: 200}, "", "", "", "workflow-server (" + afar + ") whether it wants a login: it answers without one."},
		"accepts":    {Answer{Status: 202}, "", "", "", "it answers without one"},
		"login":      {Answer{Status: 401}, "it wants a login (asked without one, it answered with the HTTP status 401)", "let hooks carry its values: wsi setup --harness claude-code --wiring hooks", "", ""},
		"bridge":     {Answer{Status: 401}, "wants a login", "npx with the arguments -y mcp-remote " + afar, "", ""},
		"token":      {Answer{Status: 401}, "wants a login", `under headers, where Authorization is "Bearer " and the token`, "", ""},
		"elsewhere":  {Answer{Status: 302}, "it is at another address", "with or without a slash", "", ""},
		"no POST":    {Answer{Status: 405}, "does not speak Streamable HTTP", "wsi setup --harness claude-code --wiring hooks", "", ""},
		"forbidden":  {Answer{Status: 403}, "", "", "it answered with the HTTP status 403. If Claude Code has logged in there", ""},
		"overloaded": {Answer{Status: 503}, "", "", "the HTTP status 503", ""},
		"gone":       {Answer{Err: errors.New("connection refused")}, "", "", "got no answer: connection refused. If it wants one", ""},
		"untrusted":  {Answer{Err: &tls.CertificateVerificationError{Err: errors.New("unknown authority")}}, "wsi relay could not reach it: tls: failed to verify certificate: unknown authority", "make this system trust", "", ""},
	} {
		p, refused, hint, remarks, notes, asked := planned(t, "claude-code", files, harnesses.User, map[string]Answer{afar: c.answer})
		if !slices.Equal(asked, []string{afar}) {
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

// Nobody is asked whose answer would change nothing: what is refused anyway, has a header, is not at an https address,
// or has wsi in front of it already. What the answers leave out is refused.
func TestWhoIsNotAsked(t *testing.T) {
	t.Parallel()
	entry := func(text string) map[string]string {
		return map[string]string{".claude.json": `{"mcpServers": {"workflow-server": ` + text + `, "other": {"url": "https://other.example/"}}}`}
	}
	for text, want := range map[string]string{
		`{"url": "http://h/mcp"}`:                        "",
		`{"url": "` + afar + `", "headers": {"X": "y"}}`: "",
		`{"command": "npx"}`:                             "",
		`{"url": "` + afar + `", "oauth": {}}`:           "for the harness alone",
		`{"url": "https://example.com/?token=x"}`:        "may hold a secret",
		`{"url": "https://example.com/\u0007"}`:          "control character",
		`{"command": "/usr/local/bin/wsi", "args": ["relay", "--server", "workflow-server", "--harness", "claude-code", "--state", "/old", "--url", "` + afar + `"]}`:       "",
		`{"command": "/usr/local/bin/wsi", "args": ["relay", "--server", "workflow-server", "--harness", "claude-code", "--state", "/old", "--url", "` + afar + `?key=x"]}`: "",
	} {
		_, refused, _, _, _, asked := planned(t, "claude-code", entry(text), harnesses.User, nil)
		if len(asked) > 0 || (refused == "") != (want == "") || !strings.Contains(refused, want) {
			t.Errorf("%s: asked %q, refused %q", text, asked, refused)
		}
	}
	_, refused, hint, _, _, _ := planned(t, "zed", map[string]string{".config/zed/settings.json": `{"context_servers": {"workflow-server": {"url": "` + afar + `"}}}`}, harnesses.User, map[string]Answer{})
	if !strings.Contains(refused, "and it was not asked") || !strings.Contains(hint, "leave --offline out") || strings.Contains(hint, "--wiring hooks") {
		t.Errorf("refused %q, hint %q", refused, hint)
	}
}

// A file of a project may name any address: nobody is asked there to whom the harness would not go by itself.
func TestServersOfAProjectAreAskedOnlyWhereAgreedTo(t *testing.T) {
	t.Parallel()
	files := map[string]string{"project/.mcp.json": `{"mcpServers": {"workflow-server": {"url": "` + afar + `"}}}`}
	answers := map[string]Answer{afar: {Status: 200}}
	_, refused, hint, _, _, asked := planned(t, "claude-code", files, harnesses.Project, answers)
	if len(asked) > 0 || !strings.Contains(refused, "a file of the project names it") || !strings.Contains(hint, "agree to the server in Claude Code") {
		t.Errorf("asked %q, refused %q, hint %q", asked, refused, hint)
	}
	files[".claude/settings.json"] = `{"enabledMcpjsonServers": ["workflow-server"]}`
	if _, refused, _, _, _, asked = planned(t, "claude-code", files, harnesses.Project, answers); len(asked) != 1 || refused != "" {
		t.Errorf("agreed to: asked %q, refused %q", asked, refused)
	}
}

// A look at what is there asks nobody, and takes no server to want a login.
func TestALookAsksNobody(t *testing.T) {
	t.Parallel()
	o, _ := inMemory(map[string]string{".gemini/settings.json": `{"mcpServers": {"workflow-server": {"httpUrl": "` + afar + `"}}}`})
	h, _ := registry.Get("gemini-cli")
	o.Install = nil
	if s, err := Inspect(o, h); err != nil || s.State != Absent {
		t.Errorf("%+v, %v", s, err)
	}
	if open, way := Modes(o, h); way != harnesses.ByRelay || !slices.ContainsFunc(open, func(c harnesses.Choice) bool { return c.Way == harnesses.ByRelay }) {
		t.Errorf("%+v %s", open, way)
	}
	o.Answers = map[string]Answer{}
	if open, _ := Modes(o, h); slices.ContainsFunc(open, func(c harnesses.Choice) bool { return c.Way == harnesses.ByRelay }) {
		t.Errorf("offline: %+v", open)
	}
}

// A token of Codex's in a variable goes on working behind wsi, and comes out again byte for byte.
func TestTheTokenOfCodexInAVariable(t *testing.T) {
	t.Parallel()
	const before = "[mcp_servers.workflow-server]\nurl = \"" + afar + "\" \nbearer_token_env_var = 'TOK'\n"
	o, m := inMemory(map[string]string{".codex/config.toml": before})
	h, _ := registry.Get("codex")
	o.Harnesses, o.Mode, o.Install = []harnesses.Harness{h}, harnesses.ByRelay, nil
	mustApply(t, PlanSetup, o)
	file := filepath.Join(home(), ".codex", "config.toml")
	if is := string(m[file].Data); !strings.Contains(is, `"--header-env", "Authorization=Bearer TOK"]`) || !strings.Contains(is, `env_vars = ["TOK"]`) {
		t.Errorf("it is\n%s", is)
	}
	if p := mustPlan(t, PlanSetup, o); len(p.Changes) > 0 {
		t.Errorf("a second time: %+v", p.Changes)
	}
	mustApply(t, PlanRemove, o)
	if is := string(m[file].Data); is != before {
		t.Errorf("removed, it is\n%s", is)
	}
}
