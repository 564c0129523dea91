package edit

import (
	"fmt"
	"strings"
	"testing"

	"wsi/harnesses/setup"
)

func TestHooks(t *testing.T) {
	tests := []struct {
		name    string
		format  setup.Format
		shape   setup.Shape
		content string
		want    []string // line event[group].hooks[handler] kind matcher command
	}{
		{"grouped", setup.JSON, setup.Grouped, `{
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [
        {"type": "command", "command": "a"},
        {"type": "http", "url": "http://localhost/x"}
      ]}
    ],
    "Stop": [{"hooks": [{"type": "prompt", "prompt": "p"}]}]
  }
}`, []string{"5 PreToolUse[0][0] command Bash a", "6 PreToolUse[0][1] http Bash http://localhost/x", "9 Stop[0][0] prompt  p"}},
		{"flat", setup.JSONC, setup.Flat, "{ // c\n\"hooks\": {\"stop\": [\n{\"command\": \"a\", \"matcher\": \"m\"},\n]}}", []string{"3 stop[0][0] command m a"}},
		{"the last of duplicate keys counts", setup.JSON, setup.Grouped, "{\"hooks\": {\"A\": [{\"hooks\": [{\"command\": \"a\"}]}],\n\"A\": [{\"hooks\": [{\"command\": \"b\", \"command\": \"c\"}]}]}}", []string{
			"1 A[0][0] command  a: a later \"A\" in the same object replaces it, in line 2", "2 A[0][0] command  c", "2 A[0][0] command  b: a later \"command\" in the same object replaces it, in line 2",
		}},
		{"an escaped key", setup.JSON, setup.Grouped, `{"hooks": {"Stop": [{"hooks": [{"command": "a"}]}],
"St\u006fp": []}}`, []string{`1 Stop[0][0] command  a: a later "Stop" in the same object replaces it, in line 2`}},
		{"the table of events", setup.JSON, setup.Grouped, `{"hooks": {"A": [{"hooks": [{"command": "a"}]}]},
"hooks": {"B": [{"hooks": [{"command": "b"}]}]}}`, []string{`1 A[0][0] command  a: a later "hooks" in the same object replaces it, in line 2`, "2 B[0][0] command  b"}},
		{"a group's list", setup.JSON, setup.Grouped, `{"hooks": {"A": [{"hooks": [{"command": "a"}],
"hooks": [{"command": "b"}]}]}}`, []string{`1 A[0][0] command  a: a later "hooks" in the same object replaces it, in line 2`, "2 A[0][0] command  b"}},
		{"a matcher", setup.JSON, setup.Grouped, `{"hooks": {"A": [{"matcher": "x", "matcher": "y", "hooks": [{"command": "a"}]}]}}`, []string{
			"1 A[0][0] command y a", `1 A[0][0] command x a: a later "matcher" in the same object replaces it, in line 1`,
		}},
		{"a flat entry", setup.JSONC, setup.Flat, `{"hooks": {"a": [{"command": "x", "command": "y", "matcher": "m", "matcher": "n"}]}}`, []string{
			"1 a[0][0] command n y", `1 a[0][0] command n x: a later "command" in the same object replaces it, in line 1`,
			`1 a[0][0] command m y: a later "matcher" in the same object replaces it, in line 1`,
		}},
		{"other values", setup.JSON, setup.Grouped, `{"hooks": {"A": "x", "B": [1, {"hooks": {}}, {"hooks": [2]}]}}`, []string{"1 B[2][0] command  "}},
		{"a flat entry among groups", setup.JSON, setup.Grouped, `{"hooks": {"A": [{"matcher": "m", "command": "a"}]}}`, []string{"1 A[0][0] command m a"}},
		{"an address is not a command", setup.JSON, setup.Flat, `{"hooks": {"A": [{"url": "http://localhost/x"}, {"type": "command", "prompt": "p"}]}}`, []string{"1 A[0][0] command  ", "1 A[1][0] command  "}},
		{"no hooks", setup.JSON, setup.Grouped, `{"hooks": "x"}`, nil},
		{
			"tables", setup.TOML, setup.Grouped, "[[hooks.PreToolUse]]\nmatcher = \"m\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"a\"\n[[hooks.PreToolUse.hooks]]\ncommand = \"b\"\n",
			[]string{"3 PreToolUse[0][0] command m a", "6 PreToolUse[0][1] command m b"},
		},
		{
			"inline tables", setup.TOML, setup.Grouped, "[hooks]\nStop = [\n{ hooks = [ { command = \"a\" },\n{ command = \"b\" } ] },\n]\n",
			[]string{"3 Stop[0][0] command  a", "4 Stop[0][1] command  b"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			all, err := Hooks(setup.HookFile{Path: "/f", Format: test.format, Shape: test.shape}, []byte(test.content))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, h := range all {
				line := fmt.Sprintf("%d %s[%d][%d] %s %s %s", h.Line, h.Event, h.Group, h.Handler, h.Kind, h.Matcher, h.Command)
				if len(h.Skipped) > 0 && strings.Contains(h.Skipped[0].Why, "replaces") {
					line += ": " + h.Skipped[0].Why
				}
				got = append(got, line)
			}
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// Events can be somewhere else in a file.
func TestHooksInATable(t *testing.T) {
	file := setup.HookFile{Path: "/f", Format: setup.JSON, Shape: setup.Grouped, Root: "/r"}
	for path, want := range map[string]int{"plugins/1/hooks": 1, "plugins/0/hooks": 0, "plugins/2/hooks": 0, "plugins/x": 0, "plugins/-1/hooks": 0, "none": 0} {
		file.Table = strings.Split(path, "/")
		all, err := Hooks(file, []byte(`{"hooks": {"B": [{"hooks": [{}, {}]}]}, "plugins": [{}, {"hooks": {"A": [{"hooks": [{"command": "a"}]}]}}]}`))
		if err != nil || len(all) != want || want == 1 && (all[0].Command != "a" || all[0].Root != "/r") {
			t.Errorf("%s: %+v, %v", path, all, err)
		}
	}
}

// The entry of a hook is its text in the file.
func TestHooksEntries(t *testing.T) {
	for content, want := range map[string][]string{
		`{"hooks": {"A": [{"hooks": [{"command" : "a", "x": 1.0}, {"command": "b"}]}]}}`:                           {`{"command" : "a", "x": 1.0}`, `{"command": "b"}`},
		"[[hooks.A]]\n[[hooks.A.hooks]]\ncommand = 'a' # c\n\n[[hooks.A.hooks]]\ncommand = 'b'\n\n[x]\ny = 1\n":    {"[[hooks.A.hooks]]\ncommand = 'a' # c", "[[hooks.A.hooks]]\ncommand = 'b'"},
		"[hooks]\nA = [{ hooks = [{ command = 'a' }, { command = 'b' }] }]\nB = [{ hooks = [{ command = 'c' }] }]": {"{ command = 'a' }", "{ command = 'b' }", "{ command = 'c' }"},
	} {
		format := setup.TOML
		if content[0] == '{' {
			format = setup.JSON
		}
		all, err := Hooks(setup.HookFile{Path: "/f", Format: format, Shape: setup.Grouped}, []byte(content))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range all {
			got = append(got, h.Entry)
		}
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s\ngot %q", content, got)
		}
	}
}
