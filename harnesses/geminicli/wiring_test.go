package geminicli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/internal/testkit/envtest"
)

var program = harnesses.Program{Path: "/usr/local/bin/wsi", Servers: []string{"workflow-server"}}

func TestWiring(t *testing.T) {
	env := envtest.New(t, nil, nil)
	w, err := wiring(env, harnesses.User, program)
	if err != nil {
		t.Fatal(err)
	}
	entries := w.Hooks[0].Entries
	if w.Hooks[0].Path != filepath.Join(env.Home, ".gemini", "settings.json") || len(entries) != 2 || entries[0].Event != "BeforeTool" || entries[1].Event != "AfterTool" {
		t.Errorf("%+v", w)
	}
	for _, e := range entries {
		if e.Matcher != "^mcp_workflow-server_" || e.Timeout < 1000 {
			t.Errorf("%+v: milliseconds are meant", e)
		}
	}
	w, err = wiring(env, harnesses.User, harnesses.Program{Path: "/home/$USER/wsi", Servers: program.Servers})
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(w.Hooks[0], []byte("{}")); err == nil || !strings.Contains(err.Error(), "/home/$USER/wsi") {
		t.Errorf("a path with a variable: %v", err)
	}
	quoted := harnesses.HookFile{Entries: []harnesses.Entry{{Command: `"C:/my tools/wsi.exe" inject --harness gemini-cli`}}}
	if err := validate(quoted, []byte("{}")); err == nil || !strings.Contains(err.Error(), "my tools") {
		t.Errorf("a quoted program in PowerShell: %v", err)
	}
}

// A variable moves all files of Gemini CLI.
func TestMovedHome(t *testing.T) {
	moved := t.TempDir()
	env := envtest.New(t, nil, map[string]string{"GEMINI_CLI_HOME": moved})
	w, err := wiring(env, harnesses.User, program)
	want := filepath.Join(moved, ".gemini", "settings.json")
	if h := Harness(); err != nil || w.Hooks[0].Path != want || h.Registers(env, harnesses.User)[0].Path != want || h.Reads(env, harnesses.User)[0].Path != want {
		t.Errorf("%+v, %v", w, err)
	}
}

func TestMatcher(t *testing.T) {
	for _, c := range []struct {
		servers []string
		want    string
	}{
		{[]string{"my server", "b.c"}, `^mcp_(my_server_|b\.c_)`},
		{[]string{"a-server-whose-name-is-too-long-for-gemini"}, `^mcp_a-server-whose-name-is-too`},
	} {
		if got := matcher(c.servers); got != c.want {
			t.Errorf("%s", got)
		}
	}
	for m, want := range map[string]bool{"": true, "*": true, " mcp_.*_next ": true, "^mcp_w_x$": false, "(": false, "mcp_w_next": true} {
		if got := matches(m, harnesses.Event{Name: "mcp_w_next"}); got != want {
			t.Errorf("%q: %v", m, got)
		}
	}
}

func TestPolicy(t *testing.T) {
	inject := program.Command("linux", harnesses.Inject, ID)
	mine := string(harnesses.JSONLine(map[string]string{"command": inject}))
	disabled := string(harnesses.JSONLine(map[string]any{"hooksConfig": map[string]any{"disabled": []any{1, inject}}}))
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string // part of the reason, "" = open
	}{
		{"nothing", nil, ""},
		{"off", map[string]string{".gemini/settings.json": `{"hooksConfig":{"enabled":false}} // mine`}, "switches all hooks off"},
		{"off, and on in the project", map[string]string{".gemini/settings.json": `{"hooksConfig":{"enabled":false}}`, "project/.gemini/settings.json": `{"hooksConfig":{"enabled":true}}`}, ""},
		{"off in the project", map[string]string{"project/.gemini/settings.json": `{"hooksConfig":{"enabled":false}}`}, "switches all hooks off"},
		{"this one", map[string]string{".gemini/settings.json": disabled}, "switches wsi's hooks off"},
		{"another one", map[string]string{".gemini/settings.json": `{"hooksConfig":{"disabled":["guard"]}}`}, ""},
		{"a folder that is trusted", map[string]string{".gemini/trustedFolders.json": `{"HOME":"DO_NOT_TRUST","HOME/project":"TRUST_FOLDER"}`}, ""},
		{"a folder that is not", map[string]string{".gemini/trustedFolders.json": `{"HOME":"DO_NOT_TRUST"}`}, "do not trust"},
		{"another that is not", map[string]string{".gemini/trustedFolders.json": `{"HOME/project/sub":"DO_NOT_TRUST"}`}, ""},
		{"its parent", map[string]string{".gemini/trustedFolders.json": `{"HOME":"DO_NOT_TRUST","HOME/project/sub":"TRUST_PARENT"}`}, ""},
		{"no trust is asked for", map[string]string{".gemini/trustedFolders.json": `{"HOME":"DO_NOT_TRUST"}`, ".gemini/settings.json": `{"security":{"folderTrust":{"enabled":false}}}`}, ""},
	} {
		env := envtest.New(t, nil, nil)
		read := env.ReadFile
		env.ReadFile = func(path string) ([]byte, error) {
			if rel, err := filepath.Rel(env.Home, path); err == nil {
				if text, ok := c.files[filepath.ToSlash(rel)]; ok {
					return []byte(strings.ReplaceAll(text, "HOME", filepath.ToSlash(env.Home))), nil
				}
			}
			return read(path)
		}
		err := policy(env, hookFile(settings(env, harnesses.User)), []byte(mine))
		if closed := harnesses.AllBlocked(err); (err == nil) != (c.want == "") || err != nil && (len(closed) != 1 || !closed[0].Off || !strings.Contains(closed[0].Why, c.want)) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// In a folder that is not trusted no server starts, the user's own included. Servers of a project's file are agreed to
// if the folder is trusted.
func TestFindKnowsTrust(t *testing.T) {
	const server = `{"mcpServers":{"w":{"command":"x"}}}`
	for _, c := range []struct {
		rules        string
		held, agreed bool
	}{
		{`{}`, false, false},
		{`{"HOME/project":"TRUST_FOLDER"}`, false, true},
		{`{"HOME/project/sub":"TRUST_PARENT"}`, false, true},
		{`{"HOME/project":"DO_NOT_TRUST"}`, true, false},
		{`{"HOME":"TRUST_FOLDER","HOME/project":"DO_NOT_TRUST"}`, true, false},
	} {
		env := envtest.New(t, map[string]string{".gemini/settings.json": server, "project/.gemini/settings.json": server}, nil)
		if err := os.WriteFile(filepath.Join(env.Home, ".gemini", "trustedFolders.json"), []byte(strings.ReplaceAll(c.rules, "HOME", envtest.Quoted(env.Home))), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := Harness().Find(env)
		if err != nil || len(p.Servers) != 2 {
			t.Fatal(p.Servers, err)
		}
		for i, s := range p.Servers {
			if theirs := i == 1; (s.Blocked != "") != c.held || s.Agreed != (theirs && c.agreed) || (s.Scope == harnesses.Project) != theirs {
				t.Errorf("%s: %+v", c.rules, s)
			}
		}
	}
}

// Each was tried with 0.61.0: `gemini mcp list`.
func TestValidate(t *testing.T) {
	for text, ok := range map[string]bool{
		"{}":                              true,
		"{ /* c */ } // d":                true,
		"{} /* c":                         true,
		`{"a":"// \" /* "}`:               true,
		`{"hooks":[]}`:                    true,
		`{"hooks":{"BeforeTool":["x"]}}`:  true,
		"":                                false,
		"[]":                              false,
		"{\"a\":{},}":                     false,
		"\ufeff{}":                        false,
		"{\"a\": /* not closed \"b\": 1}": false,
	} {
		err := validate(harnesses.HookFile{}, []byte(text))
		if bad, _ := err.(harnesses.InvalidConfigError); (err == nil) != ok || err != nil && !bad.Fatal { //nolint:errorlint // the very value
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Comments are replaced by blanks, and a trailing comma stays.
func FuzzComments(f *testing.F) {
	for _, s := range []string{"{}", "{ // a\n\"b\":\"//\\\"\" /* c */ }", "/", "\"\\", "/*", "{\"a\":1,}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		plain, err := withoutComments(text)
		if err != nil {
			return
		}
		if len(plain) != len(text) {
			t.Fatalf("%q became %q", text, plain)
		}
		if json.Valid(text) && !bytes.Equal(plain, text) {
			t.Fatalf("%q was changed to %q", text, plain)
		}
	})
}
