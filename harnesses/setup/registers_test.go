package setup

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
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
