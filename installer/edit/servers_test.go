package edit

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses/setup"
)

func registryOf(kind string) setup.ServerFile {
	form := setup.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "http", Kept: []string{"oauth"}}
	switch kind {
	case "toml":
		form.Headers = "http_headers"
		return setup.ServerFile{Format: setup.TOML, Tables: [][]string{{"mcp_servers"}}, Form: form}
	case "joined":
		form.Joined, form.Local, form.Remote = true, "local", "remote"
		return setup.ServerFile{Format: setup.JSONC, Tables: [][]string{{"mcp"}}, Form: form}
	case "jsonc":
		return setup.ServerFile{Format: setup.JSONC, Tables: [][]string{{"mcpServers"}}, Form: form}
	}
	return setup.ServerFile{Format: setup.JSON, Tables: [][]string{{"mcpServers"}, {"projects", "*", "mcpServers"}}, Form: form}
}

func frontFor(names ...string) func(string) (setup.RelayCommand, bool) {
	return func(name string) (setup.RelayCommand, bool) {
		return setup.RelayCommand{Path: "/usr/local/bin/wsi", Server: name, Harness: "x", State: "/s"}, slices.Contains(names, name)
	}
}

// noLogin is for servers that require no login.
func noLogin(string) error { return nil }

// Wrap gives the expected file, and Unwrap restores the old one.
func TestWrap(t *testing.T) {
	for _, c := range []struct{ kind, before, after string }{
		{
			"json", `{"mcpServers": {"w": {"command": "npx", "args": ["-y", "x"]}}}`,
			`{"mcpServers": {"w": {"command": "/usr/local/bin/wsi", "args": ["relay", "--server", "w", "--harness", "x", "--state", "/s", "--", "npx", "-y", "x"]}}}`,
		},
		{
			"json", `{"mcpServers":{"w":{"command":"n\u0070x","env":{}}}}`,
			`{"mcpServers":{"w":{"command":"/usr/local/bin/wsi","env":{},"args":["relay","--server","w","--harness","x","--state","/s","--","n\u0070x"]}}}`,
		},
		{
			"json", `{"projects": {"/a": {"mcpServers": {"w": {"command": "y", "args": []}, "v": {"command": "y"}}}, "/b": {}}, "mcpServers": {}}`,
			`{"projects": {"/a": {"mcpServers": {"w": {"command": "/usr/local/bin/wsi", "args": ["relay", "--server", "w", "--harness", "x", "--state", "/s", "--", "y"]}, "v": {"command": "y"}}}, "/b": {}}, "mcpServers": {}}`,
		},
		{
			"jsonc", "{\n\t\"mcpServers\": {\n\t\t\"w\": { // mine\n\t\t\t\"command\": \"npx\", // \"args\": []\n\t\t\t\"args\": [\n\t\t\t\t// first\n\t\t\t\t\"x\",\n\t\t\t],\n\t\t},\n\t},\n}\n",
			"{\n\t\"mcpServers\": {\n\t\t\"w\": { // mine\n\t\t\t\"command\": \"/usr/local/bin/wsi\", // \"args\": []\n\t\t\t\"args\": [\n\t\t\t\t// first\n" +
				"\t\t\t\t\"relay\",\n\t\t\t\t\"--server\",\n\t\t\t\t\"w\",\n\t\t\t\t\"--harness\",\n\t\t\t\t\"x\",\n\t\t\t\t\"--state\",\n\t\t\t\t\"/s\",\n\t\t\t\t\"--\",\n\t\t\t\t\"npx\",\n\t\t\t\t\"x\",\n\t\t\t],\n\t\t},\n\t},\n}\n",
		},
		{
			"joined", `{"mcp": {"w": {"type": "local", "command": ["npx", "x"]}}}`,
			`{"mcp": {"w": {"type": "local", "command": ["/usr/local/bin/wsi", "relay", "--server", "w", "--harness", "x", "--state", "/s", "--", "npx", "x"]}}}`,
		},
		{
			"toml", "[mcp_servers.w]\ncommand = 'C:\\npx' # mine\nargs = [ \"-y\", # yes\n \"x\" ]\n[mcp_servers.w.env]\nA = \"1\"\n",
			"[mcp_servers.w]\ncommand = \"/usr/local/bin/wsi\" # mine\nargs = [ \"relay\", \"--server\", \"w\", \"--harness\", \"x\", \"--state\", \"/s\", \"--\", 'C:\\npx', \"-y\", # yes\n \"x\" ]\n[mcp_servers.w.env]\nA = \"1\"\n",
		},
		{
			"toml", "mcp_servers.w.command = \"npx\"\r\n\r\n[x]\r\n",
			"mcp_servers.w.command = \"/usr/local/bin/wsi\"\r\nmcp_servers.w.args = [\"relay\", \"--server\", \"w\", \"--harness\", \"x\", \"--state\", \"/s\", \"--\", \"npx\"]\r\n\r\n[x]\r\n",
		},
		{
			"json", `{"mcpServers": {"w": {"type": "http", "url": "http://h/mcp", "headers": {"X-A": "b${C}", "Z": "\u0031"}, "timeout": 5}}}`,
			`{"mcpServers": {"w": {"type": "stdio", "timeout": 5, "command": "/usr/local/bin/wsi", "args": ["relay", "--server", "w", "--harness", "x", "--state", "/s", "--url", "http://h/mcp", "--header-env", "X-A=WSI_HEADER_X_A", "--header-env", "Z=WSI_HEADER_Z"], "env": {"WSI_HEADER_X_A": "b${C}", "WSI_HEADER_Z": "\u0031"}}}}`,
		},
		{
			"joined", `{"mcp": {"w": {"type": "remote", "url": "http://h/mcp", "enabled": true}}}`,
			`{"mcp": {"w": {"type": "local", "enabled": true, "command": ["/usr/local/bin/wsi", "relay", "--server", "w", "--harness", "x", "--state", "/s", "--url", "http://h/mcp"]}}}`,
		},
		{
			"toml", "[mcp_servers.w]\nurl = \"http://h/\"\n[mcp_servers.w.http_headers]\nA = 'b#'\n[x] # mine\n",
			"[mcp_servers.w]\ncommand = \"/usr/local/bin/wsi\"\nargs = [\"relay\", \"--server\", \"w\", \"--harness\", \"x\", \"--state\", \"/s\", \"--url\", \"http://h/\", \"--header-env\", \"A=WSI_HEADER_A\"]\nenv = { WSI_HEADER_A = 'b#' }\n[x] # mine\n",
		},
	} {
		file := registryOf(c.kind)
		after, made, err := Wrap(file, []byte(c.before), frontFor("w"), noLogin)
		if err != nil || string(after) != c.after {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.kind, err, after, c.after)
			continue
		}
		checkUnwrapped(t, file, c.before, after, made, strings.Contains(c.before, "url"))
	}
}

func TestWrapIsRefused(t *testing.T) {
	entry := func(text string) string { return `{"mcpServers": {"w": ` + text + `}}` }
	for text, want := range map[string]string{
		`{`:                                    "the file ends too early",
		`[]`:                                   "not a JSON object",
		entry(`{"type": "http"}`):              "the server w: it has neither a command nor the address",
		entry(`{"command": {"path": 1}}`):      "its command is not a string",
		entry(`{"command": "x", "args": "y"}`): "its args are not a list",
		entry(`{"command": "x", "command": "y"}`):                                          `duplicate key "command"`,
		`{"mcpServers": {"w": {}, "w": {"command": "x"}}}`:                                 `duplicate key "w"`,
		`{"mcpServers": {}, "mcpServers": {"w": {"command": "x"}}}`:                        `duplicate key "mcpServers"`,
		entry(`{"url": "https://h/x", "type": "sse"}`):                                     "HTTP+SSE",
		entry(`{"url": "https://h/x?key=1"}`):                                              "may contain a secret",
		entry(`{"url": "https://u:p@h/x"}`):                                                "may contain a secret",
		entry(`{"url": "https://h/${KEY}"}`):                                               "may contain a secret",
		entry(`{"url": "https://h/s/0123456789abcdef0123/mcp"}`):                           "may contain a secret",
		entry(`{"url": "stdio"}`):                                                          "the URL is not valid",
		entry(`{"url": "https://h/x", "oauth": {}}`):                                       "its oauth works only in the harness",
		entry(`{"url": "http://h/x", "headers": {"A B": "c"}}`):                            `its header "A B"`,
		entry(`{"url": "http://h/x", "headers": {"a-b": "c", "A_B": ""}}`):                 "cannot be passed in a variable",
		entry(`{"url": "http://h/x", "headers": ["c"]}`):                                   "its headers are not a table",
		entry(`{"url": "http://h/x", "headers": {"a": "c"}, "env": {"WSI_HEADER_A": ""}}`): "exists already",
		// What wsi relay would refuse in its command line.
		entry(`{"url": "http://h/a b"}`):                                     "a blank or a control character",
		entry(`{"url": "http://h/\u0007"}`):                                  "a blank or a control character",
		entry(`{"url": " http://h/"}`):                                       "a blank or a control character",
		entry(`{"url": "http://"}`):                                          "the URL is not valid",
		entry(`{"url": "ftp://h/"}`):                                         "does not begin with http:// or https://",
		entry(`{"url": "http://h/", "headers": {"X": "a\u001bb"}}`):          "the value of the header X has a control character",
		entry(`{"url": "http://h/", "headers": {"X": "a\nY: b"}}`):           "the value of the header X has a control character",
		entry(`{"url": "http://h/", "headers": {"content-type": "text/x"}}`): "the header content-type is set by wsi itself",
		entry(`{"url": "http://h/", "headers": {"X": ""}}`):                  "its header X is empty",
		// Of several headers, the same one is named each time.
		entry(`{"url": "http://h/x", "headers": {"d d": "", "c c": "", "b b": "", "a a": ""}}`): `"a a"`,
	} {
		for range 10 { // the same reason each time
			after, _, err := Wrap(registryOf("json"), []byte(text), frontFor("w"), noLogin)
			if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\a\x1b\n") {
				t.Fatalf("%s: %v, want %q\n%s", text, err, want, after)
			}
		}
	}
}

// Servers that are not wanted any more are unwrapped, and those of another wsi are wrapped again.
func TestWrapChangesServers(t *testing.T) {
	file := registryOf("json")
	before := []byte(`{"mcpServers": {"v": {"command": "a"}, "w": {"command": "b", "args": ["c"]}}}`)
	wrapped, _, err := Wrap(file, before, frontFor("v", "w"), noLogin)
	if err != nil {
		t.Fatal(err)
	}
	one, _, err := Wrap(file, wrapped, frontFor("w"), noLogin)
	if all, _ := Servers(file, one); err != nil || all[0].Wrapped || !all[1].Wrapped {
		t.Errorf("%v %s", err, one)
	}
	moved, _, err := Wrap(file, one, func(name string) (setup.RelayCommand, bool) {
		f, ok := frontFor("w")(name)
		f.Path = "/opt/wsi"
		return f, ok
	}, noLogin)
	if err != nil || strings.ReplaceAll(string(moved), "/opt/wsi", "/usr/local/bin/wsi") != string(one) || string(moved) == string(one) {
		t.Errorf("%v %s", err, moved)
	}
	elsewhere, _, err := Wrap(file, one, func(name string) (setup.RelayCommand, bool) {
		f, ok := frontFor("w")(name)
		f.State = "/t"
		return f, ok
	}, noLogin)
	if err != nil || string(elsewhere) != strings.Replace(string(one), `"/s"`, `"/t"`, 1) {
		t.Errorf("%v %s", err, elsewhere)
	}
}

// A relay for another harness is not changed.
func TestWrapKeepsOtherRelays(t *testing.T) {
	file := registryOf("json")
	file.Others = func(f setup.RelayCommand) bool { return f.Harness == "other" }
	entry := func(name, harness string) string {
		return `"` + name + `": {"command": "/usr/local/bin/wsi", "args": ["relay", "--server", "` + name + `", "--harness", "` + harness + `", "--state", "/s", "--", "npx"]}`
	}
	text := `{"mcpServers": {` + entry("v", "x") + `, ` + entry("w", "other") + `}}`
	after, _, err := Wrap(file, []byte(text), frontFor("v", "w"), noLogin)
	if err != nil || string(after) != text {
		t.Errorf("%v\n%s", err, after)
	}
	after, err = Unwrap(file, []byte(text), nil)
	if want := strings.Replace(text, entry("v", "x"), `"v": {"command": "npx", "args": []}`, 1); err != nil || string(after) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, after, want)
	}
	if all, err := Servers(file, []byte(text)); err != nil || all[0].Others || !all[1].Others {
		t.Errorf("%v %+v", err, all)
	}
}

// An entry that only enables or disables a server of another file cannot be wrapped.
func TestWrapSkipsLayers(t *testing.T) {
	for kind, text := range map[string]string{
		"json": `{"mcpServers": {"w": {}}}`, "joined": `{"mcp": {"w": {"enabled": true}}}`, "toml": "[mcp_servers.w]\nenabled = true\nenv = { A = \"b\" }\n",
	} {
		asked := false
		after, made, err := Wrap(registryOf(kind), []byte(text), func(name string) (setup.RelayCommand, bool) {
			asked = true
			return frontFor("w")(name)
		}, noLogin)
		if err != nil || string(after) != text || len(made) > 0 || asked {
			t.Errorf("%s: %v %q %v\n%s", kind, err, made, asked, after)
		}
	}
}

// A relay command with added words is not wrapped again, and keeps the words when the program moves.
func TestWrapKeepsAddedWords(t *testing.T) {
	file := registryOf("toml")
	line := "[mcp_servers.w]\ncommand = \"/usr/local/bin/wsi\"\nargs = [\"relay\", \"--server\", \"w\", \"--harness\", \"x\", \"--state\", \"/s\", \"--rules\", \"/mine\", \"--schema\", \"hidden\", \"--\", 'npx']\n"
	after, _, err := Wrap(file, []byte(line), frontFor("w"), noLogin)
	if err != nil || string(after) != line {
		t.Errorf("%v\n%s", err, after)
	}
	after, _, err = Wrap(file, []byte(strings.Replace(line, "/usr/local/bin", "/old", 1)), frontFor("w"), noLogin)
	if err != nil || string(after) != line {
		t.Errorf("moved: %v\n%s", err, after)
	}
	after, err = Unwrap(file, []byte(line), []string{"/mcp_servers/w/args"})
	if err != nil || string(after) != "[mcp_servers.w]\ncommand = 'npx'\n" {
		t.Errorf("removed: %v\n%s", err, after)
	}
}

// A relay command that a formatter or the user changed can still be removed.
func TestUnwrapEditedRelay(t *testing.T) {
	for _, c := range []struct{ kind, before, after string }{
		{"jsonc", `{"mcpServers": {"w": {"command": "/a/wsi", "args": ["relay", "--server", "w", "--", "x",]}}}`, `{"mcpServers": {"w": {"command": "x", "args": []}}}`},
		{"joined", `{"mcp": {"w": {"command": ["wsi", "relay", // mine` + "\n" + ` "--server", "w", "--", "x",]}}}`, `{"mcp": {"w": {"command": ["x",]}}}`},
		{"toml", "[mcp_servers.w]\ncommand = \"wsi\"\nargs = [\"relay\", \"--server\", \"w\", \"--\", 'x', ]\n", "[mcp_servers.w]\ncommand = 'x'\nargs = [ ]\n"},
	} {
		if after, err := Unwrap(registryOf(c.kind), []byte(c.before), nil); err != nil || string(after) != c.after {
			t.Errorf("%v\n%s\nwant\n%s", err, after, c.after)
		}
	}
}

// checkUnwrapped checks that wrapping again changes nothing and that unwrapping restores the file byte for byte; for a
// server over HTTP, or with unknown containers, in meaning.
func checkUnwrapped(t *testing.T, file setup.ServerFile, before string, after []byte, made []string, remote bool) {
	t.Helper()
	again, more, err := Wrap(file, after, func(name string) (setup.RelayCommand, bool) {
		all, err := Servers(file, after)
		i := slices.IndexFunc(all, func(s Server) bool { return s.Name == name && s.Wrapped })
		if err != nil || i < 0 {
			return setup.RelayCommand{}, false
		}
		return frontFor(name)(name)
	}, noLogin)
	if err != nil || string(again) != string(after) || len(more) > 0 {
		t.Errorf("a second time: %v %q\n%s", err, more, again)
	}
	back, err := Unwrap(file, after, made)
	if is, was := meant(t, file, back), meant(t, file, []byte(before)); err != nil || !remote && string(back) != before || !reflect.DeepEqual(trimHeaders(is), trimHeaders(was)) {
		t.Errorf("%v\nunwrapped\n%s\nwas\n%s", err, back, before)
	}
	if back, err = Unwrap(file, after, nil); err != nil {
		t.Errorf("%v\n%s", err, after)
	}
	is, was := meant(t, file, back), meant(t, file, []byte(before))
	trim(is)
	trim(was)
	trimHeaders(is)
	trimHeaders(was)
	if !reflect.DeepEqual(is, was) {
		t.Errorf("without a memory\n%s\nwas\n%s", back, before)
	}
}

func meant(t *testing.T, file setup.ServerFile, content []byte) map[string]any {
	t.Helper()
	if isBlank(content) {
		return nil
	}
	r, err := openDocument(file.Format, content)
	if err != nil {
		t.Fatalf("%v\n%s", err, content)
	}
	return normal(r.tree).(map[string]any)
}

// trim removes empty lists of arguments and tables of variables.
func trim(v any) {
	table, _ := v.(map[string]any)
	for key, value := range table {
		list, isList := value.([]any)
		inner, isTable := value.(map[string]any)
		if key == "args" && isList && len(list) == 0 || key == "env" && isTable && len(inner) == 0 {
			delete(table, key)
		}
		trim(value)
	}
}

// FuzzServers checks that a wrapped file parses and can be unwrapped, and that nothing else changes.
func FuzzServers(f *testing.F) {
	for _, s := range []string{
		`{"mcpServers":{"w":{"command":"x"}}}`, `{"mcpServers":{"w":{"command":"x","args":["a",]},}, // c` + "\n}", `{"mcp":{"w":{"command":["x"]}}}`,
		"[mcp_servers.w]\ncommand='x'\nargs=[]", "mcp_servers={w={command=\"x\"}}", "mcp_servers.w.command=\"\"\"x\"\"\"", "[mcp_servers]\nw.command='x'\n[mcp_servers.w.env]\n",
		`{"mcpServers":{"w":{"url":"http://h/","headers":{"a":"b"}}}}`, "[mcp_servers.w]\nurl='http://h/'\nhttp_headers={a='b'}", `{"mcpServers":{"w":{"command":"wsi","args":["relay","--server","w","--","x"]}}}`,
	} {
		for kind := range byte(4) {
			f.Add([]byte(s), kind)
		}
	}
	f.Fuzz(func(t *testing.T, before []byte, kind byte) {
		file := registryOf([]string{"json", "jsonc", "joined", "toml"}[kind%4])
		there, err := Servers(file, before)
		if err != nil || slices.ContainsFunc(there, func(s Server) bool { return s.Wrapped }) {
			return
		}
		after, made, err := Wrap(file, before, frontFor("w"), noLogin)
		if err != nil {
			return
		}
		back, err := Unwrap(file, after, made)
		was := meant(t, file, before)
		if err != nil || !reflect.DeepEqual(trimHeaders(meant(t, file, back)), trimHeaders(was)) {
			t.Errorf("%v\nbefore %q\nafter %q\nback %q", err, before, after, back)
		}
	})
}
