package geminicli

import (
	"path/filepath"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
)

func TestSwitches(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string // part of the reason, "" = open
	}{
		{"nothing", nil, ""},
		{"off", map[string]string{".gemini/settings.json": `{"hooksConfig":{"enabled":false}} // mine`}, "switches all hooks off"},
		{"off, and on in the project", map[string]string{".gemini/settings.json": `{"hooksConfig":{"enabled":false}}`, "project/.gemini/settings.json": `{"hooksConfig":{"enabled":true}}`}, ""},
		{"off in the project", map[string]string{"project/.gemini/settings.json": `{"hooksConfig":{"enabled":false}}`}, "switches all hooks off"},
		{"one by its name", map[string]string{".gemini/settings.json": `{"hooksConfig":{"disabled":[1,"guard"]}}`}, ""},
		{"a folder that is trusted", map[string]string{".gemini/trustedFolders.json": `{"HOME":"DO_NOT_TRUST","HOME/project":"TRUST_FOLDER"}`}, ""},
		{"a folder that is not", map[string]string{".gemini/trustedFolders.json": `{"HOME":"DO_NOT_TRUST"}`}, "do not trust"},
		{"another that is not", map[string]string{".gemini/trustedFolders.json": `{"HOME/project/sub":"DO_NOT_TRUST"}`}, ""},
		{"its parent", map[string]string{".gemini/trustedFolders.json": `{"HOME":"DO_NOT_TRUST","HOME/project/sub":"TRUST_PARENT"}`}, ""},
		{"no trust is asked for", map[string]string{".gemini/trustedFolders.json": `{"HOME":"DO_NOT_TRUST"}`, ".gemini/settings.json": `{"security":{"folderTrust":{"enabled":false}}}`}, ""},
	} {
		env := envtest.New(t, nil, nil)
		for path, text := range c.files {
			envtest.Put(t, filepath.Join(env.Home, path), strings.ReplaceAll(text, "HOME", filepath.ToSlash(env.Home)))
		}
		if off := switches(env); (off == nil) != (c.want == "") || off != nil && (len(off) != 1 || !off[0].Off || !strings.Contains(off[0].Why, c.want)) {
			t.Errorf("%s: %v", c.name, off)
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
		envtest.Put(t, filepath.Join(env.Home, ".gemini", "trustedFolders.json"), strings.ReplaceAll(c.rules, "HOME", envtest.Quoted(env.Home)))
		p, err := Harness().Find(env)
		if err != nil || len(p.Servers) != 2 {
			t.Fatal(p.Servers, err)
		}
		for i, s := range p.Servers {
			if theirs := i == 1; (s.Blocked != "") != c.held || s.Agreed != (theirs && c.agreed) || (s.Scope == setup.Project) != theirs {
				t.Errorf("%s: %+v", c.rules, s)
			}
		}
	}
}
