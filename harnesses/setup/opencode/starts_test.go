package opencode

import (
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/envtest"
)

// Files with which `opencode debug config` of 1.18.33 ends with status 1.
func TestFilesThatOpenCodeRefuses(t *testing.T) {
	for content, want := range map[string]string{
		`null`:                               "null is in place of an object",
		"\n{\"mcp\":\tnull} // none":         "null is in place of an object",
		`{"mcp":{"w":{"command":["x"]}}}`:    "the server w has no type",
		`{"mcp":{"w":{"url":"http://h/"}}}`:  "the server w has no type",
		`{"mcp":{"w":{"enabled":false}}}`:    "",
		`{"plugin":"one"}`:                   "expected a list, found a string",
		`{"mcp":{"w":{"command":"node x"}}}`: "expected a list, found a string",
		`{"mcp":`:                            "it ends too early",
		`[]`:                                 "expected an object, found a list",
		`{}`:                                 "",
		`{"mcp":{},}`:                        "",
	} {
		env := envtest.Memory(map[string]string{
			"/home/u/.config/opencode/opencode.json": `{"mcp":{"w":{"type":"local","command":["own"]}}}`, "/proj/opencode.json": content,
		}, nil)
		_, err := find(env)
		if setup.Fatal(err) != (want != "") || want != "" && !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", content, err)
		}
	}
}

// Output of 1.18.33, and what wsi shows of it.
func TestRefusal(t *testing.T) {
	moved := map[string]string{"/s/.config/opencode/opencode.json": "/home/u/opencode.json", "/s/.config/opencode/opencode.jsonc": "/proj/opencode.jsonc"}
	const head = "\x1b[91m\x1b[1mError: \x1b[0m"
	for said, want := range map[string]string{
		head + "Configuration is invalid at /s/.config/opencode/opencode.json\n↳ Expected Config, got null \n\n":                                                                     "/home/u/opencode.json: Expected Config",
		head + "Configuration is invalid at /s/.config/opencode/opencode.jsonc\n↳ Expected array, got \"a hunter2 b\" mcp.w.command\n↳ Missing key mcp.w.enabled\n":                  "/proj/opencode.jsonc: mcp.w.command: Expected array; Missing key mcp.w.enabled",
		head + "Config file at /s/.config/opencode/opencode.jsonc is not valid JSON(C): \n--- JSONC Input ---\n{\"hunter2\"\n\n--- Errors ---\nColonExpected at line 1, column 14\n": "/proj/opencode.jsonc: line 1, column 14: ColonExpected",
		head + "Config file at /s/.config/opencode/opencode.json is not valid JSON(C): \n":                                                                                           "/home/u/opencode.json: it is not valid JSON",
		head + "Unexpected error\n\nBadResource: FileSystem.readFile (/s)\n":                                                                                                         "",
		"error: unknown command 'config'\n": "",
		"":                                  "",
	} {
		if got := refusal(said, moved); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}
