package installer

import (
	"crypto/tls"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/installer/inspect"
	"wsi/internal/testkit/configgen"
)

// serverHome is a home with servers and hooks in all harnesses of several.
func serverHome(r *rand.Rand) map[string]string {
	all := randomHome(r)
	all[".claude.json"] = configgen.JSONServers(r, "mcpServers", false, false)
	all[".cursor/mcp.json"] = configgen.JSONServers(r, "mcpServers", false, true)
	all[".config/opencode/opencode.json"] = strings.NewReplacer(`"command"`, `"type": "local", "command"`, `"url"`, `"type": "remote", "url"`).Replace(configgen.JSONServers(r, "mcp", true, true))
	all[configFile] = configgen.TOMLServers(r)
	all[".gemini/settings.json"] = strings.ReplaceAll(configgen.JSONServers(r, "mcpServers", false, true), `"url"`, `"httpUrl"`)
	all[".copilot/mcp-config.json"] = configgen.JSONServers(r, "mcpServers", false, false)
	all[".cline/data/settings/cline_mcp_settings.json"] = configgen.JSONServers(r, "mcpServers", false, false)
	if r.IntN(2) == 0 {
		all[".cline/hooks/PreToolUse"], all[".copilot/hooks/guard.json"] = "guard\n", `{"version":1,"hooks":{}}`
	}
	return all
}

// For each mode, on a fresh home or over another mode: a second setup changes nothing, only entries of that mode
// exist, and remove restores every byte.
func TestEveryModeChange(t *testing.T) {
	t.Parallel()
	n := map[string]int{}
	configgen.Each(t, rounds(200), func(t *testing.T, r *rand.Rand) {
		t.Helper()
		o, m := inMemory(serverHome(r))
		before := m.tree(filepath.Dir(o.StateDir))
		h := several()[r.IntN(len(several()))]
		o.Harnesses, o.Trust = []setup.Harness{h}, r.IntN(2) == 0
		last := ""
		for range 1 + r.IntN(3) {
			o.Mode = h.Choices[r.IntN(len(h.Choices))].Mode
			p, err := PlanSetup(o)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Refusals) > 0 { // no such server, a comment in what would be taken out, or a mark that Gemini CLI does not take
				n["refused"]++
				if why := p.Refusals[0].Error(); !strings.Contains(why, "no server named") && !strings.Contains(why, "a comment in or after") && !strings.Contains(why, "gemini cli does not start") && !strings.Contains(why, "OpenCode does not start") {
					t.Error(p.Refusals)
				}
				continue
			}
			if err := Apply(t.Context(), m, p, nil); err != nil {
				t.Fatal(err)
			}
			n[last+" "+string(o.Mode)]++
			n[h.ID]++
			last = string(o.Mode)
			if is := inspect.Registered(o.Env, h, o.Scope).Mode(); is != o.Mode {
				t.Errorf("%s is wired by %s, want %s", h.ID, is, o.Mode)
			}
			if p := mustPlan(t, PlanSetup, o); len(p.Changes) > 0 {
				t.Errorf("a second time: %s", p.Changes[0].Diff(func(s string) string { return s }))
			}
			if o.Mode == setup.ByHooks && h.ID != "codex" { // whose hooks can be in that file
				for path := range serverHome(r) {
					at := filepath.Join(home(), path)
					if was, ok := before[at]; ok && strings.Contains(path, ".json") && !strings.Contains(path, "hooks") && !strings.Contains(path, "settings") && m.tree()[at] != was {
						t.Errorf("%s is\n%s", path, m.tree()[at])
					}
				}
			}
			relays := inspect.WrappedServers(o.Env, h, o.Scope)
			if (len(relays) > 0) != (o.Mode != setup.ByHooks) {
				t.Errorf("%s: wrapped: %+v", o.Mode, relays)
			}
		}
		o.Mode = ""
		mustApply(t, PlanRemove, o)
		sameTree(t, "removed", m.tree(filepath.Dir(o.StateDir)), before)
	})
	t.Logf("%v", n)
	if len(n) < 7+len(several()) {
		t.Errorf("only %v", n)
	}
}

// several returns the harnesses with more than one mode.
func several() []setup.Harness {
	return slices.DeleteFunc(registry.All(), func(h setup.Harness) bool { return len(h.Choices) < 2 })
}

// Claude Code writes its file all the time. What it writes between plan and Apply is not overwritten, and what it
// writes later remains when wsi is removed.
func TestServersInBusyFile(t *testing.T) {
	t.Parallel()
	const before = "{\n  \"numStartups\": 1,\n  \"mcpServers\": {\n    \"workflow-server\": {\n      \"command\": \"x\"\n    }\n  }\n}\n"
	o, m := inMemory(map[string]string{".claude.json": before})
	o.Harnesses, o.Mode = several()[:1], setup.ByRelay
	file := filepath.Join(home(), ".claude.json")
	p := mustPlan(t, PlanSetup, o)
	m.put(file, strings.Replace(before, "1", "2", 1))
	if err := Apply(t.Context(), m, p, nil); !errors.Is(err, ErrChanged) {
		t.Fatalf("%v", err)
	}
	if is := string(m[file].Data); is != strings.Replace(before, "1", "2", 1) {
		t.Errorf("now it is\n%s", is)
	}
	mustApply(t, PlanSetup, o)
	m.put(file, strings.Replace(string(m[file].Data), "2", "3", 1))
	if p := mustPlan(t, PlanSetup, o); len(p.Changes) > 0 {
		t.Errorf("a second time: %+v", p.Changes)
	}
	mustApply(t, PlanRemove, o)
	if is := string(m[file].Data); is != strings.Replace(before, "1", "3", 1) {
		t.Errorf("removed, it is\n%s", is)
	}

	// after an edit, the ledger has the edited file without wsi
	mustApply(t, PlanSetup, o)
	m.put(file, strings.Replace(string(m[file].Data), "3", "4", 1))
	o.Program.Path = filepath.Join(home(), "opt", "wsi")
	mustApply(t, PlanSetup, o)
	mustApply(t, PlanRemove, o)
	if is := string(m[file].Data); is != strings.Replace(before, "1", "4", 1) {
		t.Errorf("removed once more, it is\n%s", is)
	}
}

// The review reports a registration without wsi relay before anything is written.
func TestRegistrationsWithoutRelay(t *testing.T) {
	t.Parallel()
	const one = `{"mcpServers": {"workflow-server": {"command": "x"}}}`
	o, m := inMemory(map[string]string{
		".claude.json": one, "project/.mcp.json": one,
		".claude/settings.json":                  `{"enabledPlugins": {"p@mk": true}}`,
		".claude/plugins/installed_plugins.json": `{"version": 2, "plugins": {"p@mk": [{"installPath": "` + filepath.ToSlash(home()) + `/p"}]}}`,
		"p/.mcp.json":                            one,
	})
	o.Harnesses, o.Mode = several()[:1], setup.ByRelay
	p := mustPlan(t, PlanSetup, o)
	review := p.Review(o, func(s string) string { return s })
	var said []string
	for _, s := range review.Remarks {
		said = append(said, s.Text)
	}
	all := filepath.ToSlash(strings.Join(said, "\n"))
	if len(said) != 2 || !strings.Contains(all, "registered in "+filepath.ToSlash(home())+"/project/.mcp.json, without wsi relay") || !strings.Contains(all, "p/.mcp.json). If Claude Code loads the plugin, it starts both") {
		t.Errorf("%q", said)
	}
	m.put(filepath.Join(home(), ".codex", "config.toml"), "[mcp_servers.workflow-server]\nurl = 'http://h/mcp'\n")
	o.Harnesses, o.Mode = several()[1:2], setup.ByRelay
	p = mustPlan(t, PlanSetup, o)
	if all := p.Review(o, func(s string) string { return s }).Remarks; len(all) != 1 || !strings.Contains(all[0].Text, "If Codex logs in to workflow-server (http://h/mcp), put no relay") {
		t.Errorf("%+v", all)
	}
	if string(m[filepath.Join(home(), ".claude.json")].Data) != one {
		t.Error("a plan wrote something")
	}
}

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
		"bridge":     {Answer{Status: 401}, "requires a login", "by the command npx -y mcp-remote " + remoteURL, "", ""},
		"token":      {Answer{Status: 401}, "requires a login", `the header "Authorization: Bearer TOKEN" under headers`, "", ""},
		"elsewhere":  {Answer{Status: 302}, "it redirects to another address", "only the last slash differs", "", ""},
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
