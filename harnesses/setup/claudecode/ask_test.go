//go:build unix

package claudecode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/lists"
)

// A program that answers like Claude Code. SAYS is written to the debug file; a file with the word bad is not accepted, and neither
// is one that was spoiled.
const claude = `#!/bin/sh
settings=$CLAUDE_CONFIG_DIR/settings.json
case "$*" in
"auth status")
	cat "$settings" >>"$0.seen"
	if grep -q -e bad -e "not JSON" -e cleanupPeriodDays "$settings"; then echo '{"loggedIn": false}'; exit 1; fi
	echo '{"loggedIn": true}';;
*) printf "$(sed "s|FILE|$settings|g" "$0.says")" >"$2"; exit 1;;
esac
`

const skip = "2026 [ERROR] Invalid setting skipped without dialog (automated session): FILE: "

func TestAsk(t *testing.T) {
	for name, c := range map[string]struct{ content, says, want string }{
		"accepted":       {`{"a":1,"env":{"T":"secret","N":5}}`, "", ""},
		"commands":       {`{"hooks":{"X":[{"hooks":[{"type":"command","comm\u0061nd":"secret","timeout":1}]}]},"apiKeyHelper":"secret","list":[]}`, "", ""},
		"a byte mark":    {"\ufeff{}", "", ""},
		"no settings":    {`[]`, "", "not asked"},
		"refused":        {`{"a":{"b":"bad"}}`, skip + "a.b: Expected boolean, but received string\\n", "a.b: expected boolean, but received string; correct a.b, or remove it"},
		"with a value":   {`{"a":"bad"}`, skip + "a: must be one of x; received bad\\n", "a: Claude Code does not accept its value; correct a, or remove it"},
		"two":            {`{"a":"bad","c":1}`, skip + "a: Required\\n" + skip + "c: Required\\n", "a, c: Claude Code does not accept these 2 values; correct a, c, or remove it"},
		"not said":       {`{"a":1,"b\"":"bad"}`, "", `b": Claude Code does not accept its value; correct b", or remove it`},
		"not an object":  {`{"env":"bad"}`, "", "env: Claude Code does not accept its value; correct env, or remove it"},
		"another reason": {`{"a":"ba","c":"d"}`, "", ""},
		"an event": {
			`{"hooks":{"Nope":[],"Stop":[{"hooks":[{"type":"command"}]}]}}`,
			skip + "hooks.Nope: Unknown hook event \"Nope\" was ignored. Valid events: Stop\n" + skip + "cleanupPeriodDays: Expected number\n" +
				skip + "hooks.Stop.0.hooks.0: Invalid command hook; entry ignored.\n",
			"hooks Nope: Unknown hook event \"Nope\" was ignored; hooks Stop 0 hooks 0: Invalid command hook",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			binary := filepath.Join(dir, "claude")
			for file, content := range map[string]string{binary: claude, binary + ".says": c.says} {
				if err := os.WriteFile(file, []byte(content), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			env := setup.Env{GOOS: "linux", Getenv: os.Getenv, Stat: func(string) (bool, error) { return false, os.ErrNotExist }}
			said, err := ask(t.Context(), env, binary, t.TempDir(), []byte(c.content))
			got := strings.Join(lists.Map(said.Ignored, func(e setup.IgnoredEntry) string { return strings.Join(e.Path, " ") + ": " + e.Why }), "; ")
			if r := said.Refused; r != nil {
				got = r.Place + ": " + r.Why + "; " + r.Fix
			} else if err != nil {
				got = "not asked"
			}
			if got != c.want {
				t.Errorf("got %q (%v), want %q", got, err, c.want)
			}
			if seen, _ := os.ReadFile(binary + ".seen"); strings.Contains(string(seen), "secret") || c.want == "" && !strings.Contains(string(seen), "ANTHROPIC_API_KEY") {
				t.Errorf("it was given %s", seen)
			}
		})
	}
}

// Where the administrator's settings log in as well, the answer says nothing.
func TestAskWithManagedSettings(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]bool{claude: true, "#!/bin/sh\necho '{\"loggedIn\": true}'\n": false, "#!/bin/sh\necho hello\n": false} {
		binary := filepath.Join(dir, "claude")
		if err := os.WriteFile(binary, []byte(name), 0o700); err != nil {
			t.Fatal(err)
		}
		env := setup.Env{GOOS: "linux", Getenv: os.Getenv, Stat: func(string) (bool, error) { return false, nil }}
		if _, err := ask(t.Context(), env, binary, t.TempDir(), []byte(`{"a":1}`)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
