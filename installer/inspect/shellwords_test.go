package inspect

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

var shellVars = map[string]string{"A": "one", "DIR": "/opt/a b", "HOME": "/home/ada"}

// The words are those of a shell.
func TestWordsAreThoseOfAShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	for _, line := range []string{
		"a", " a\tb ", "a 'b c' \"d e\"", `"$DIR/x" y`, `"${DIR}"/x`, `$A $A$A "$A"'-'`, `'a'"b"c`, "~/x ~ '~/y' \"~/z\"",
		`'' x`, "a 2b", "a b=c", "${A}x", "a\"\"", "ä 'ö' \"ü\"", "x -y --z=1 .", "a:b,c%d@e+f/g",
	} {
		got, ok := words(line, shellVars)
		if !ok {
			t.Errorf("%q is not understood", line)
			continue
		}
		cmd := exec.Command(sh, "-c", "show() { for w; do printf '<%s>' \"$w\"; done; }\nshow "+line)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
		for name, value := range shellVars {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%q: %v", line, err)
		}
		if mine := "<" + strings.Join(got, "><") + ">"; mine != string(out) {
			t.Errorf("%q: %s, the shell has %s", line, mine, out)
		}
	}
}

func TestWordsThatOnlyAShellKnows(t *testing.T) {
	for _, line := range []string{
		"", "`a`", "$(a)", "$((1))", "${A:-b}", "$1", "$@", `"$(a)"`, "\"`a`\"", "'a", `"a`, "(a)", "a <<E", "a <(b)", `a\`, `a\ b`, "a # b",
		"a && b", "a || b", "a; b", "a & b", "a | b", "a\nb", "a >x", "a 2>&1", "A=1 b", "*", "a?", "[ab]", "{a,b}", "~bob/x", "! a",
		"$DIR/x", "'$A'", "$UNSET x", "${A", "$A}",
	} {
		if got, ok := words(line, shellVars); ok {
			t.Errorf("%q: %+v", line, got)
		}
	}
}
