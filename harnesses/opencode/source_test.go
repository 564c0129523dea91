package opencode

import (
	"strings"
	"testing"
)

// The problems are those of modules that OpenCode 1.18.33 did not load.
func TestReadModule(t *testing.T) {
	for source, want := range map[string]struct{ events, problem string }{
		`export const P = async () => ({ "tool.execute.before": f, event: async () => {} })`:         {"event tool.execute.before", ""},
		`export default async () => ({ async event() {}, 'chat.message'(x) {}, config: cfg => {} })`: {"chat.message config event", ""},
		"const h = {}\nh[`shell.env`] = f\nexport default () => h":                                   {"shell.env", ""},
		"// \"tool.execute.before\": f\nexport default () => ({ /* event: f() */ })":                 {"", ""},
		`const url = "http://x" // event: () => 1
export const P = () => ({})`: {"", ""},
		`export const P = f; const s = "export const V = 1"`: {"", ""},
		"export const V: string = \"1\"\nexport const P = f": {"", "V, which is not a function"},
		"export class Helper {}\nexport const P = f":         {"", "class Helper"},
		"const P = f":                                           {"", "exports nothing"},
		"module.exports = f":                                    {"", "CommonJS"},
		"exports.P = f":                                         {"", "CommonJS"},
		"export default {\n  event: () => {} }":                 {"event", "without server()"},
		"export default { server: f }":                          {"", "no id"},
		"export default { id: \"x\", server: f }":               {"", ""},
		"export default \"text\"":                               {"", "not a function"},
		"export type O = { event: string }\nexport const P = f": {"", ""},
		"":           {"", "exports nothing"},
		"/* never":   {"", "exports nothing"},
		"export {f}": {"", ""},
	} {
		events, problem := readModule([]byte(source))
		if got := strings.Join(events, " "); got != want.events || (problem == "") != (want.problem == "") || !strings.Contains(problem, want.problem) {
			t.Errorf("%s\n%q, %q, want %+v", source, got, problem, want)
		}
	}
}

// No text makes the reader fail.
func FuzzReadModule(f *testing.F) {
	for _, s := range []string{"", "/*", "'", "`a${", "export const", "//", "\\", "/* *", "export default {"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		if code := withoutComments(source); len(code) != len(source) {
			t.Errorf("%d bytes of %d", len(code), len(source))
		}
		readModule(source)
	})
}
