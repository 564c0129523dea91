package setup

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRegistered(t *testing.T) {
	files := map[string]string{
		"/a": "{ // mine\n\"projects\": {\"/x\": {\"mcp\": {\"in\": {\"command\": \"c\"}}}}, \"mcp\": {\"b\": {\"address\": \"http://h/\", \"command\": \"\"}, \"a\": {\"command\": \"x\", \"args\": [\"y\"], \"env\": {\"E\": \"1\"}},},}",
		"/b": `{"mcp": `, "/c": "", "/d": `{"mcp": {"late": {"command": "z"}}}`,
	}
	env := Env{ReadFile: func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}}
	file := func(path string, format Format) ServerFile {
		return ServerFile{Path: path, Format: format, Tables: [][]string{{"mcp"}}, Form: Form{URL: "address"}}
	}
	all, err := env.Registered([]ServerFile{file("/a", JSONC), file("/b", JSON), file("/none", JSON), file("/c", JSON), file("/d", JSON)})
	if err == nil || !strings.HasPrefix(err.Error(), "/b: line 1, column 9") || strings.Count(err.Error(), "/b") != 1 {
		t.Errorf("%v", err)
	}
	var said []string
	for _, s := range all {
		said = append(said, s.Name+" "+strings.Join(s.Command, " ")+s.URL+s.Env["E"])
	}
	if got := strings.Join(said, ", "); got != "a x y1, b http://h/, late z" {
		t.Error(got)
	}
}

func TestAppConfig(t *testing.T) {
	absolute := filepath.Join(t.TempDir(), "x")
	for _, c := range []struct {
		goos, name, value, want string
	}{
		{"linux", "", "", "/h/.config"},
		{"linux", "XDG_CONFIG_HOME", absolute, filepath.ToSlash(absolute)},
		{"linux", "XDG_CONFIG_HOME", "x", "/h/.config"},
		{"darwin", "XDG_CONFIG_HOME", "/x", "/h/Library/Application Support"},
		{"windows", "APPDATA", "/roaming", "/roaming"},
		{"windows", "", "", "/h/AppData/Roaming"},
	} {
		env := Env{Home: "/h", GOOS: c.goos, Getenv: func(name string) string {
			return map[string]string{c.name: c.value}[name]
		}}
		if got := strings.ReplaceAll(env.AppConfig(), `\`, "/"); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestMCPServers(t *testing.T) {
	got, err := MCPServers("/f", []byte(`{
	 "b": {"url":"http://x"},
	 "a": {"command":"node","args":["s.js"],"env":{"KEY":"v","N":1,"ON":true},"cwd":"/d"},
	 "odd": {"command":"x","env":"none","cwd":7}}`), Form{})
	want := []Server{
		{Name: "a", File: "/f", Command: []string{"node", "s.js"}, Dir: "/d", Env: map[string]string{"KEY": "v", "N": "1", "ON": "true"}},
		{Name: "b", File: "/f", URL: "http://x"},
		{Name: "odd", File: "/f", Command: []string{"x"}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// An invalid entry does not hide others.
func TestMCPServersOneByOne(t *testing.T) {
	got, err := MCPServers("/f", []byte(`{
	 "a": {"command":"node","args":["-p", 3000]},
	 "b": {"command":{"path":"x"},"args":[]},
	 "c": true,
	 "d": {"command":"d"}}`), Form{})
	want := []Server{{Name: "a", File: "/f", Command: []string{"node", "-p", ""}}, {Name: "b", File: "/f"}, {Name: "c", File: "/f"}, {Name: "d", File: "/f", Command: []string{"d"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const says = "mcpServers in /f: a: expected a string, found a number\n" +
		"mcpServers in /f: b: expected a string, found an object\nmcpServers in /f: c: expected an object, found true or false"
	if err == nil || err.Error() != says {
		t.Errorf("%v", err)
	}
}
