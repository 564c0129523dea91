package edit

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

// trimHeaders takes the headers that are none out of servers over HTTP.
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

// Headers are for servers over HTTP, were there none of them: Codex 0.169.0 does not start with an empty
// http_headers beside a command.
func TestWrapTakesEmptyHeadersOut(t *testing.T) {
	for _, c := range []struct{ kind, before, after string }{
		{"toml", "[mcp_servers.w]\nurl = 'http://h/'\nhttp_headers = {}\n", "[mcp_servers.w]\ncommand = \"/usr/local/bin/wsi\"\nargs = [LINE]\n"},
		{"toml", "[mcp_servers.w]\nurl = 'http://h/'\n\n[mcp_servers.w.http_headers]\n\n[x]\n", "[mcp_servers.w]\ncommand = \"/usr/local/bin/wsi\"\nargs = [LINE]\n\n[x]\n"},
		{"json", `{"mcpServers": {"w": {"url": "http://h/", "headers": {}}}}`, `{"mcpServers": {"w": {"command": "/usr/local/bin/wsi", "args": [LINE]}}}`},
		{"jsonc", `{"mcpServers": {"w": {"url": "http://h/", "headers": null}}}`, `{"mcpServers": {"w": {"command": "/usr/local/bin/wsi", "args": [LINE]}}}`},
	} {
		want := strings.Replace(c.after, "LINE", `"relay", "--server", "w", "--harness", "x", "--state", "/s", "--url", "http://h/"`, 1)
		after, made, err := Wrap(registryOf(c.kind), []byte(c.before), frontFor("w"))
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

// Comments in what would be taken out have no other place: such an entry stays as it is. All others keep
// their place, and every byte.
func TestCommentsOfServersOverHTTP(t *testing.T) {
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
		{"toml", "[mcp_servers.w]\nurl = 'http://h/' # mine\n", "its url"},
		{"toml", "[mcp_servers]\nw = { url = 'http://h/', http_headers = { A = '#' } } # mine\n", ""},
		{"toml", "[mcp_servers.w]\nurl = 'http://h/'\nhttp_headers = { A = '#' } # mine\n", "its http_headers"},
		{"toml", "[mcp_servers.w]\nurl = 'http://h/'\n[mcp_servers.w.http_headers] # mine\nA = 'b'\n", "its http_headers"},
		{"toml", "[mcp_servers.w]\nurl = 'http://h/'\n[mcp_servers.w.http_headers]\nA = 'b' # mine\n", "its http_headers"},
		{"toml", "[mcp_servers.w]\nurl = 'http://h/'\n[mcp_servers.w.http_headers]\nA = 'b'\n# mine\nB = 'c'\n", "its http_headers"},
		{"toml", "# mine\n[mcp_servers.w] # too\n# above it\nurl = 'http://h/'\ntool_timeout_sec = 5 # s\n\n[mcp_servers.w.http_headers]\n\"A\" = \"#b\"\n\n# another\n[x] # end\n", ""},
	} {
		file := registryOf(c.kind)
		after, made, err := Wrap(file, []byte(c.before), frontFor("w"))
		if c.refused != "" {
			barred := Barred{}
			if !errors.As(err, &barred) || !strings.Contains(barred.Why, "in or behind "+c.refused) || barred.Fix == "" {
				t.Errorf("%s\n%v\n%s", c.before, err, after)
			}
			continue
		}
		if err != nil || comments(t, c.before) != comments(t, string(after)) {
			t.Errorf("%v\n%s\nwas\n%s", err, after, c.before)
		}
		if back, err := Unwrap(file, after, made); err != nil || comments(t, c.before) != comments(t, string(back)) {
			t.Errorf("%v\n%s\nwas\n%s", err, back, c.before)
		}
	}
}

// comments are those that the table above writes.
func comments(t *testing.T, text string) string {
	t.Helper()
	all := regexp.MustCompile(`(?m)(//|#) ([a-z, ]+)$`).FindAllString(text, -1)
	if len(all) == 0 {
		t.Errorf("no comment is left in\n%s", text)
	}
	return strings.Join(all, "\n")
}

// Nor is a comment lost that somebody put beside what wsi wrote.
func TestCommentsBesideTheRelayOfAServerOverHTTP(t *testing.T) {
	const wrapped = "[mcp_servers.w]\ncommand = \"/usr/local/bin/wsi\"\nargs = [\"relay\", \"--server\", \"w\", \"--url\", \"http://h/\", \"--header-env\", \"A=WSI_HEADER_A\"]\nenv = { WSI_HEADER_A = 'b' }\n"
	if _, err := Unwrap(registryOf("toml"), []byte(wrapped), nil); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"wsi\"\n", "\"]\n", "}\n"} {
		text := strings.Replace(wrapped, line, strings.TrimSpace(line)+" # mine\n", 1)
		if after, err := Unwrap(registryOf("toml"), []byte(text), nil); !errors.As(err, &Barred{}) {
			t.Errorf("%v\n%s\nbecame\n%s", err, text, after)
		}
	}
}

// A server that may want a login keeps the registration it has; one that somebody put behind wsi all the same
// stays there, and can be taken out.
func TestServersThatMayWantALogin(t *testing.T) {
	for address, want := range map[string]bool{"https://h/x": false, "HTTPS://h/x": false, "http://h/x": true, "": true} {
		if err := reachable(address, false); (err == nil) != want {
			t.Errorf("%s without a header: %v", address, err)
		}
		if err := reachable(address, true); err != nil {
			t.Errorf("%s with one: %v", address, err)
		}
	}
	before := `{"mcpServers": {"w": {"url": "https://h/x"}}}`
	_, _, err := Wrap(registryOf("json"), []byte(before), frontFor("w"))
	barred := Barred{}
	if !errors.As(err, &barred) || !strings.Contains(barred.Fix, "mcp-remote https://h/x") {
		t.Errorf("%v, %q", err, barred.Fix)
	}
	signed := `{"mcpServers": {"w": {"url": "https://h/x", "headers": {"Authorization": "Bearer x"}}}}`
	if after, _, err := Wrap(registryOf("json"), []byte(signed), frontFor("w")); err != nil || !strings.Contains(string(after), `"--header-env", "Authorization=WSI_HEADER_AUTHORIZATION"`) {
		t.Errorf("%v\n%s", err, after)
	}
	wrapped := `{"mcpServers": {"w": {"command": "/usr/local/bin/wsi", "args": ["relay", "--server", "w", "--harness", "x", "--state", "/s", "--url", "https://h/x"]}}}`
	if _, _, err := Wrap(registryOf("json"), []byte(wrapped), frontFor("w")); err != nil {
		t.Errorf("wrapped already: %v", err)
	}
	if after, err := Unwrap(registryOf("json"), []byte(wrapped), nil); err != nil || string(after) != before {
		t.Errorf("%v\n%s", err, after)
	}
}
