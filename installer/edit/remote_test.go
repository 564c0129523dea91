package edit

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"wsi/harnesses/setup"
)

// trimHeaders removes empty headers from servers over HTTP.
func trimHeaders(v any) any {
	table, _ := v.(map[string]any)
	for _, key := range []string{"headers", "http_headers"} {
		if headers, _ := table[key].(map[string]any); table["url"] != nil && len(headers) == 0 {
			delete(table, key)
		}
	}
	for _, value := range table {
		trimHeaders(value)
	}
	return v
}

// Wrapping removes even empty headers: Codex 0.169.0 does not start with an empty http_headers next to a command.
func TestWrapRemovesEmptyHeaders(t *testing.T) {
	for _, c := range []struct{ kind, before, after string }{
		{"toml", "[mcp_servers.w]\nurl = 'http://h/'\nhttp_headers = {}\n", "[mcp_servers.w]\ncommand = \"/usr/local/bin/wsi\"\nargs = [LINE]\n"},
		{"toml", "[mcp_servers.w]\nurl = 'http://h/'\n\n[mcp_servers.w.http_headers]\n\n[x]\n", "[mcp_servers.w]\ncommand = \"/usr/local/bin/wsi\"\nargs = [LINE]\n\n[x]\n"},
		{"json", `{"mcpServers": {"w": {"url": "http://h/", "headers": {}}}}`, `{"mcpServers": {"w": {"command": "/usr/local/bin/wsi", "args": [LINE]}}}`},
		{"jsonc", `{"mcpServers": {"w": {"url": "http://h/", "headers": null}}}`, `{"mcpServers": {"w": {"command": "/usr/local/bin/wsi", "args": [LINE]}}}`},
	} {
		want := strings.Replace(c.after, "LINE", `"relay", "--server", "w", "--harness", "x", "--state", "/s", "--url", "http://h/"`, 1)
		after, made, err := Wrap(registryOf(c.kind), []byte(c.before), frontFor("w"), noLogin)
		if err != nil || string(after) != want {
			t.Errorf("%v\n%s\nwant\n%s", err, after, want)
			continue
		}
		back, err := Unwrap(registryOf(c.kind), after, made)
		if all, e := Servers(registryOf(c.kind), back); err != nil || e != nil || len(all) != 1 || all[0].entry["url"] != "http://h/" || len(all[0].entry) != 1 {
			t.Errorf("%v %v\n%s", err, e, back)
		}
	}
}

// An entry with comments in what would be moved is refused. All other comments keep their place, and every byte.
func TestCommentsInHTTPServers(t *testing.T) {
	for _, c := range []struct {
		kind, before string
		refused      string
	}{
		{"jsonc", "{\"mcpServers\": {\"w\": {\n  \"url\": \"http://h/\", // mine\n  \"timeout\": 5\n}}}", "its url"},
		{"jsonc", "{\"mcpServers\": {\"w\": {\n  \"url\": \"http://h/\" // mine\n}}}", "its url"},
		{"jsonc", `{"mcpServers": {"w": {"timeout": 5, /* mine */ "url": "http://h/"}}}`, "its url"},
		{"jsonc", `{"mcpServers": {"w": {"url": /* mine */ "http://h/", "timeout": 5}}}`, "its url"},
		{"jsonc", "{\"mcpServers\": {\"w\": {\"url\": \"http://h/\", \"headers\": {\n// mine\n\"A\": \"//\"}}}}", "its headers"},
		{"jsonc", "{\"mcpServers\": {\"w\": {\"url\": \"http://h/\",\n\"headers\": {\"A\": \"b\"} // mine\n}}}", "its headers"},
		{"jsonc", "// mine\n{\"mcpServers\": {\"w\": { // mine, too\n  // above it\n  \"url\": \"http://h//x\",\n  \"timeout\": 5, // s\n  \"headers\": {\n    \"A\": \"/* b */\",\n  },\n  // last\n} } } // end\n", ""},
		{"jsonc", "{\"mcpServers\": {\"w\": {\"headers\": {\"A\": \"b\"}, \"url\": \"http://h/\", \"timeout\": 5 // mine\n}}}", ""},
		{"joined", "{\"mcp\": {\"w\": {\"headers\": {\"A\": \"b\"}, \"url\": \"http://h/\", \"type\": \"remote\", // mine\n}}}", ""},
		{"toml", "[mcp_servers.w]\nurl = 'http://h/' # mine\n", "its url"},
		{"toml", "[mcp_servers]\nw = { url = 'http://h/', http_headers = { A = '#' } } # mine\n", ""},
		{"toml", "[mcp_servers.w]\nurl = 'http://h/'\nhttp_headers = { A = '#' } # mine\n", "its http_headers"},
		{"toml", "[mcp_servers.w]\nurl = 'http://h/'\n[mcp_servers.w.http_headers] # mine\nA = 'b'\n", "its http_headers"},
		{"toml", "[mcp_servers.w]\nurl = 'http://h/'\n[mcp_servers.w.http_headers]\nA = 'b' # mine\n", "its http_headers"},
		{"toml", "[mcp_servers.w]\nurl = 'http://h/'\n[mcp_servers.w.http_headers]\nA = 'b'\n# mine\nB = 'c'\n", "its http_headers"},
		{"toml", "# mine\n[mcp_servers.w] # too\n# above it\nurl = 'http://h/'\ntool_timeout_sec = 5 # s\n\n[mcp_servers.w.http_headers]\n\"A\" = \"#b\"\n\n# another\n[x] # end\n", ""},
	} {
		file := registryOf(c.kind)
		after, made, err := Wrap(file, []byte(c.before), frontFor("w"), noLogin)
		if c.refused != "" {
			barred := NotWrappableError{}
			if !errors.As(err, &barred) || !strings.Contains(barred.Why, "in or after "+c.refused) || barred.Fix == "" {
				t.Errorf("%s\n%v\n%s", c.before, err, after)
			}
			continue
		}
		if err != nil || comments(t, c.before) != comments(t, string(after)) {
			t.Errorf("%v\n%s\nwas\n%s", err, after, c.before)
		}
		for _, known := range [][]string{made, nil} {
			if back, err := Unwrap(file, after, known); err != nil || comments(t, c.before) != comments(t, string(back)) {
				t.Errorf("%v\n%s\nwas\n%s", err, back, c.before)
			}
		}
	}
}

// comments are those of the table above.
func comments(t *testing.T, text string) string {
	t.Helper()
	all := regexp.MustCompile(`(?m)(//|#) ([a-z, ]+)$`).FindAllString(text, -1)
	if len(all) == 0 {
		t.Errorf("no comment is left in\n%s", text)
	}
	return strings.Join(all, "\n")
}

// Unwrapping does not lose a comment that was added next to what wsi wrote.
func TestCommentsNextToRelay(t *testing.T) {
	const wrapped = "[mcp_servers.w]\ncommand = \"/usr/local/bin/wsi\"\nargs = [\"relay\", \"--server\", \"w\", \"--url\", \"http://h/\", \"--header-env\", \"A=WSI_HEADER_A\"]\nenv = { WSI_HEADER_A = 'b' }\n"
	if _, err := Unwrap(registryOf("toml"), []byte(wrapped), nil); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"wsi\"\n", "\"]\n", "}\n"} {
		text := strings.Replace(wrapped, line, strings.TrimSpace(line)+" # mine\n", 1)
		if after, err := Unwrap(registryOf("toml"), []byte(text), nil); !errors.As(err, &NotWrappableError{}) {
			t.Errorf("%v\n%s\nbecame\n%s", err, text, after)
		}
	}
}

// A login matters only for a server at an https address without a header that is not wrapped yet. A server that requires
// one keeps its registration.
func TestServersThatMayRequireLogin(t *testing.T) {
	wants := errors.New("it wants a login")
	for entry, asked := range map[string]string{
		`{"url": "https://h/x"}`:                            "https://h/x",
		`{"url": "HTTPS://h/x", "headers": {}}`:             "HTTPS://h/x",
		`{"url": "http://h/x"}`:                             "",
		`{"url": "https://h/x", "headers": {"X-Key": "k"}}`: "",
		`{"command": "npx"}`:                                "",
		`{"command": "npx", "url": "https://h/x"}`:          "",
		`{"url": "https://h/x", "oauth": {}}`:               "",
		`{"url": "https://h/?token=x"}`:                     "",
	} {
		got := ""
		before := `{"mcpServers": {"w": ` + entry + `, "other": {"url": "https://h/other"}}}`
		after, _, err := Wrap(registryOf("json"), []byte(before), frontFor("w"), func(address string) error {
			got = address
			return wants
		})
		if got != asked || errors.Is(err, wants) != (asked != "") || err == nil && !strings.Contains(string(after), `"relay"`) {
			t.Errorf("%s: asked %q, %v\n%s", entry, got, err, after)
		}
	}
	before := `{"mcpServers": {"w": {"url": "https://h/x"}}}`
	signed := `{"mcpServers": {"w": {"url": "https://h/x", "headers": {"Authorization": "Bearer x"}}}}`
	if after, _, err := Wrap(registryOf("json"), []byte(signed), frontFor("w"), noLogin); err != nil || !strings.Contains(string(after), `"--header-env", "Authorization=WSI_HEADER_AUTHORIZATION"`) {
		t.Errorf("%v\n%s", err, after)
	}
	wrapped := `{"mcpServers": {"w": {"command": "/usr/local/bin/wsi", "args": ["relay", "--server", "w", "--harness", "x", "--state", "/s", "--url", "https://h/x"]}}}`
	if _, _, err := Wrap(registryOf("json"), []byte(wrapped), frontFor("w"), noLogin); err != nil {
		t.Errorf("wrapped already: %v", err)
	}
	if after, err := Unwrap(registryOf("json"), []byte(wrapped), nil); err != nil || string(after) != before {
		t.Errorf("%v\n%s", err, after)
	}
}

// No possible secret gets into a command line; names and identifiers are not secrets.
func TestSecretsInAddresses(t *testing.T) {
	const secret = "secret"
	for address, want := range map[string]string{
		"https://h/mcp": "",
		"https://mcp.supabase.com/mcp?project_ref=abcdefghijklmnopqrst&features=docs%2Cdatabase": "",
		"https://h/mcp?project_ref=abcdefghij0123456789":                                         "",
		"https://h/mcp?workspace_id=550e8400-e29b-41d4-a716-446655440000&read_only=true":         "",
		"https://h/v2/getting-started-with-the-protocol-2025/mcp":                                "",
		"https://h/azure/mcp-for-customers.of.acme_corporation-eu2":                              "",
		"https://h/?toolsets=issues,pull_requests,code_security&v=20250618":                      "",
		"https://h/mcp#top":                                              "",
		"https://h/mcp?key=":                                             "",
		"https://user:" + secret + "@h/x":                                "a login",
		"https://h/${KEY}":                                               "a variable",
		"https://h/?x=$KEY":                                              "a variable",
		"https://h/{key}/mcp":                                            "a variable",
		"https://h/x?key=" + secret:                                      "its query",
		"https://h/x?apiKey=" + secret:                                   "its query",
		"https://h/x?ACCESS_TOKEN=" + secret:                             "its query",
		"https://h/x?a=ghp_abcdefghijklmnopqrstuvwxyz0123":               "its query",
		"https://h/x?project_id=sk-abcdefghijklmnop":                     "its query",
		"https://h/x?session_id=550e8400-e29b-41d4-a716-446655440000":    "its query",
		"https://h/x?profile=550e8400-e29b-41d4-a716-446655440000":       "its query",
		"https://h/x?550e8400e29b41d4a716446655440000":                   "its query",
		"https://h/x?a=%zz":                                              "after its path",
		"https://h/s/0123456789abcdef0123/mcp":                           "its path",
		"https://h/550e8400-e29b-41d4-a716-446655440000/mcp":             "its path",
		"https://mcp.zapier.com/api/mcp/s/NDk4OWI1-Y2QyNy00/mcp":         "",
		"https://mcp.zapier.com/api/mcp/s/NDk4OWI1-Y2QyNy00ZGQ4LWI3/mcp": "its path",
		"https://h/%30123456789abcdef0123/mcp":                           "its path",
	} {
		before := `{"mcpServers": {"w": {"url": "` + address + `"}}}`
		_, _, err := Wrap(registryOf("json"), []byte(before), frontFor("w"), noLogin)
		barred := NotWrappableError{}
		switch {
		case want == "" && err != nil, want != "" && (!errors.As(err, &barred) || !strings.Contains(barred.Why, want)):
			t.Errorf("%s: %v, want %q", address, err, want)
		case want != "" && (strings.Contains(barred.Why+barred.Fix, secret+"@") || !strings.Contains(barred.Fix, "under headers")):
			t.Errorf("%s: %s", address, barred.Fix)
		}
	}
}

// tokenFile is a file with entries that take a token from a variable of the user's, as in Codex.
func tokenFile() setup.ServerFile {
	file := registryOf("toml")
	file.Form.Bearer, file.Form.Passes = "bearer_token_env_var", "env_vars"
	return file
}

// The variable that holds a token is passed on to the relay, which adds Bearer, and unwrapping restores it.
func TestTokenInVariable(t *testing.T) {
	const head, args = "[mcp_servers.w]\n", `args = ["relay", "--server", "w", "--harness", "x", "--state", "/s", "--url", "https://h/", `
	for before, after := range map[string]string{
		head + "url = 'https://h/'\nbearer_token_env_var = \"TOK\"\ntool_timeout_sec = 5\n": head + "tool_timeout_sec = 5\ncommand = \"/usr/local/bin/wsi\"\n" + args + "\"--header-env\", \"Authorization=Bearer TOK\"]\nenv_vars = [\"TOK\"]\n",
		head + "url = 'https://h/'\nbearer_token_env_var = 'TOK'\nhttp_headers = { X-A = 'b' }\n": head + "command = \"/usr/local/bin/wsi\"\n" + args +
			"\"--header-env\", \"X-A=WSI_HEADER_X_A\", \"--header-env\", \"Authorization=Bearer TOK\"]\nenv = { WSI_HEADER_X_A = 'b' }\nenv_vars = [\"TOK\"]\n",
	} {
		got, made, err := Wrap(tokenFile(), []byte(before), frontFor("w"), func(address string) error { return errors.New("asked " + address) })
		if err != nil || string(got) != after {
			t.Errorf("%v\n%s\nwant\n%s", err, got, after)
			continue
		}
		checkUnwrapped(t, tokenFile(), before, got, made, true)
	}
	for entry, want := range map[string]string{
		"bearer_token_env_var = 5":                                                  "not the name of a variable",
		"bearer_token_env_var = ''":                                                 "not the name of a variable",
		"bearer_token_env_var = 'A B'":                                              "not the name of a variable",
		"bearer_token_env_var = 'A=B'":                                              "not the name of a variable",
		"bearer_token_env_var = \"A\\u0007\"":                                       "not the name of a variable",
		"bearer_token_env_var = 'A'\nenv_vars = ['B']":                              "it has both an address and env_vars, which are for a server that is started",
		"bearer_token_env_var = 'A'\nhttp_headers = { authorization = 'Bearer x' }": "both a header authorization and bearer_token_env_var",
		"bearer_token_env_var = 'A' # mine":                                         "a comment in or after its bearer_token_env_var",
	} {
		before := head + "url = 'https://h/'\n" + entry + "\n"
		if after, _, err := Wrap(tokenFile(), []byte(before), frontFor("w"), noLogin); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q\n%s", entry, err, want, after)
		}
	}
	wrapped := head + "command = \"/usr/local/bin/wsi\"\n" + args + "\"--header-env\", \"Authorization=Bearer TOK\"]\n"
	if back, err := Unwrap(tokenFile(), []byte(wrapped), nil); err != nil || string(back) != head+"url = \"https://h/\"\nbearer_token_env_var = \"TOK\"\n" {
		t.Errorf("without env_vars: %v\n%s", err, back)
	}
	if back, err := Unwrap(tokenFile(), []byte(wrapped+"env_vars = ['TOK', 'MINE']\n"), nil); err == nil {
		t.Errorf("an added line is gone:\n%s", back)
	}
	if back, err := Unwrap(registryOf("toml"), []byte(wrapped), nil); err == nil {
		t.Errorf("a harness that knows no such key:\n%s", back)
	}
}
