package setup

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
		got, ok := Words(line, shellVars)
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

// Lines of which only a shell knows the words, or which words are a command.
func TestLinesForAShell(t *testing.T) {
	for _, line := range []string{
		`/a\ b`, "x && y", "x || true", "x; y", "x;", "x | y", "x >/dev/null 2>&1", "x # a comment", "x &", "(x)", "if x; then y; fi", "[ -f x ] && y",
		"! x", "{ x; }", "$(x) y", "`x`", "x*y", "{x,y}", "~bob/x", "x <<E", "${A:-b}/x", "'not closed", `"not closed`, "$UNSET x", "'$A'", "x $DIR", "# x",
	} {
		if got, ok := Words(line, shellVars); ok {
			t.Errorf("%s: %q", line, got)
		}
	}
}
