package setup

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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
	const says = "mcpServers in /f: server \"a\": expected a string, found a number\n" +
		"mcpServers in /f: server \"b\": expected a string, found an object\nmcpServers in /f: server \"c\": expected an object, found true or false"
	if err == nil || err.Error() != says {
		t.Errorf("%v", err)
	}
}

func TestExplainJSON(t *testing.T) {
	var into struct {
		List []struct {
			Hooks map[string]string `json:"hooks"`
			On    bool              `json:"on"`
			N     int               `json:"n"`
		} `json:"list"`
	}
	for text, want := range map[string]string{
		"{\n  \"list\": {}\n}":          "line 2, column 11: expected a list, found an object",
		`{"list": ["x"]}`:               "line 1, column 13: expected an object, found a string",
		`{"list": [{"hooks":{"é":7}}]}`: "line 1, column 25: expected a string, found a number",
		`{"list": [{"on":"yes"}]}`:      "line 1, column 21: expected true or false, found a string",
		`{"list": [{"n":[]}]}`:          "line 1, column 16: expected a number, found a list",
		"{\n,}":                         "line 2, column 1: invalid character ',' where a name in quotes must be",
		`{"list": [`:                    "line 1, column 11: the file ends too early",
		"":                              "line 1, column 1: the file ends too early",
		"{\n  // mine\n}":               "line 2, column 3: invalid character '/': this file may have no comments",
		"{\"a\": 1 // mine\n}":          "line 1, column 9: invalid character '/': this file may have no comments",
		"{\"a\": 1,\n}":                 "line 2, column 1: invalid character '}' where a name in quotes must be",
		"{\n\"a\": 1\n\"b\": 2}":        "line 3, column 1: invalid character '\"' where a comma or } must be",
		`{"list": [] []`:                "line 1, column 13: invalid character '[' where a comma or } must be",
		`{"list" []}`:                   "line 1, column 9: invalid character '[' where a colon must be",
		`{"list": [1 2]}`:               "line 1, column 13: invalid character '2' where a comma or ] must be",
		`{"list": ]`:                    "line 1, column 10: invalid character ']' where a value must be",
		`{} x`:                          "line 1, column 4: invalid character 'x' after the end",
	} {
		err := ExplainJSON([]byte(text), json.Unmarshal([]byte(text), &into))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if err := ExplainJSON(nil, json.Unmarshal([]byte(`"x"`), &into)); err == nil || err.Error() != "expected an object, found a string" {
		t.Error(err)
	}
}

func TestDecodeTOML(t *testing.T) {
	numbered := func(n int, line string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, line, i)
		}
		return b.String()
	}
	const tooMany = "more than 15000 of the signs"
	for name, c := range map[string]struct{ text, err string }{
		"a byte order mark":          {"\ufeffa = 1", ""},
		"a wrong line":               {"a = 1\n b", "line 2, column "},
		"thousands of projects":      {numbered(4000, "[projects.\"/p%d\"]\ntrust_level = \"trusted\"\n"), ""},
		"keys":                       {numbered(100_000, "k%d = 1\n"), tooMany},
		"tables":                     {numbered(100_000, "[t%d]\n"), tooMany},
		"members of an inline table": {"a = {" + numbered(100_000, "k%d=1,") + "a = 1}", tooMany},
		"nested lists":               {"a = " + strings.Repeat("[", 14_000) + strings.Repeat("]", 14_000), "maximum of 10000 levels"},
		"a deep list":                {"a = " + strings.Repeat("[", 200) + strings.Repeat("]", 200), "nested more than 100 deep"},
		"a long key":                 {strings.Repeat("a.", 10_000) + "a = 1", "nested more than 100 deep"},
		"lists in a row":             {"a = [" + strings.Repeat("[],", 1000) + "]", ""},
	} {
		start := time.Now()
		_, err := DecodeTOML([]byte(c.text))
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", name, err, c.err)
		}
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%s took %v", name, took)
		}
	}
}

func TestNewer(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"1.2.0", "1.1.9", true},
		{"1.10.0", "1.9.0", true},
		{"v2.0.0-rc1", "1.9.0", true},
		{"1.2.0", "1.2.0", false},
		{"1.2.0-5-gabc", "1.2.0", false},
		{"1.1.0", "1.2.0", false},
		{"1.2.0", "devel", false},
		{"", "1.2.0", false},
		{"devel", "1.2.0", false},
		{"abc1234", "0.1.0", false},
		{"12345678", "0.1.0", false}, // a commit
		{"1.2.0", "v0.0.0-20261123115335-5ab2ec46e474", false},
		{"v0.0.0-20261123115335-5ab2ec46e474", "0.0.0", false},
		{"v1.2.1-0.20261123115335-5ab2ec46e474", "1.2.0", true},
	} {
		if got := Newer(c.a, c.b); got != c.want {
			t.Errorf("%q newer than %q: %v", c.a, c.b, got)
		}
	}
	if !slices.Equal(numbers("v1.2.3+dirty"), []int{1, 2, 3}) {
		t.Errorf("v1.2.3+dirty: %v", numbers("v1.2.3+dirty"))
	}
}

func TestFlaw(t *testing.T) {
	between := Flaw{From: "2000.0", Before: "2026.05.20"}
	below := Flaw{Before: "3.7"}
	for _, c := range []struct {
		flaw    Flaw
		version string
		want    bool
	}{
		{between, "2026.05.19-abc", true},
		{between, "2000.1", true},
		{between, "2026.05.20", false},
		{between, "3.6.2", false},
		{below, "3.6.99", true},
		{below, "3.7.0", false},
		{below, "2026.01.01", false},
		{below, "", false},
		{below, "nightly", false},
	} {
		if got := c.flaw.In(c.version); got != c.want {
			t.Errorf("%q in %+v: %v", c.version, c.flaw, got)
		}
	}
}
