package edit

import (
	"reflect"
	"slices"
	"testing"

	"wsi/harnesses/setup"
)

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
