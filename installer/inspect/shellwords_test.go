package inspect

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

var shellVars = map[string]string{"A": "one", "DIR": "/opt/a b", "EMPTY": ""}

func lookupShell(name string) (string, bool, bool) {
	value, set := shellVars[name]
	return value, set, true
}

// lines are command lines whose words are known; a shell must agree.
var lines = []string{
	"", "a", " a\tb ", "a 'b c' \"d e\"", `"$DIR/x" y`, `"${DIR}"/x`, `$A $A$A "$A"'-'`, `'a'"b"c`, "~/x ~ '~/y' \"~/z\"",
	"$UNSET x", `"$UNSET" x`, `''`, "a 2b", "a b=c", "${A}x", "a\"\"", "ä 'ö' \"ü\"", "x -y --z=1 .", "a:b,c%d@e+f/g",
}

// The words are those of a shell.
func TestWordsAreThoseOfAShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	for _, line := range lines {
		got, ok := words(line, "/home/ada", lookupShell)
		if !ok || slices.ContainsFunc(got, func(w word) bool { return !w.sure }) {
			t.Errorf("%q is not understood", line)
			continue
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		cmd := exec.Command(sh, "-c", "show() { for w; do printf '<%s>' \"$w\"; done; }\nshow "+line)
		cmd.Env = []string{"HOME=/home/ada", "PATH=" + os.Getenv("PATH")}
		for name, value := range shellVars {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%q: %v", line, err)
		}
		var mine strings.Builder
		for _, w := range got {
			mine.WriteString("<" + w.text + ">")
		}
		if mine.String() != string(out) {
			t.Errorf("%q: %s, the shell has %s", line, mine.String(), out)
		}
	}
}

func TestWordsThatOnlyAShellKnows(t *testing.T) {
	for _, line := range []string{
		"`a`", "$(a)", "$((1))", "${A:-b}", "$1", "$@", `"$(a)"`, "\"`a`\"", "'a", `"a`, "(a)", "a <<E", "a <(b)", `a\`, `a\ b`, "a # b",
		"a && b", "a || b", "a; b", "a & b", "a | b", "a\nb", "a >x", "a 2>&1", "A=1 b", "*", "a?", "[ab]", "{a,b}", "~bob/x", "! a",
	} {
		if got, ok := words(line, "/h", lookupShell); ok {
			t.Errorf("%q: %+v", line, got)
		}
	}
	for _, line := range []string{"$DIR/x", "'$A'"} {
		got, ok := words(line, "/h", lookupShell)
		if !ok || got[0].sure {
			t.Errorf("%q: %+v, %t", line, got, ok)
		}
	}
}

// A value never gets into what is shown.
func TestWordsAreShownByName(t *testing.T) {
	got, _ := words(`"$DIR"/x$A"~/~" ~/y $UNSET/z`, "/home/ada", lookupShell)
	if len(got) != 3 || got[0].shown != "$DIR/x$A~/~" || got[1].shown != "~/y" || got[2].shown != "$UNSET/z" || !slices.Equal(got[2].unset, []string{"UNSET"}) {
		t.Errorf("%+v", got)
	}
}
