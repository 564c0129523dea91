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
	"", "a", " a\tb ", "a 'b c' \"d e\"", `a\ b`, `"$DIR/x" y`, `"${DIR}"/x`, `$A $A$A "$A"'-'`, `'a'"b"c`, "~/x ~ '~/y' \"~/z\" a~", `\~/x`,
	"a # b", "a#b", "a\\\n b", `"a\"b" "a\\b" "a\b" "a\$A"`, "$UNSET x", `"$UNSET" x`, `''`, "a 2b",
	"a=b c", "${A}x", "a\"\"", "ä 'ö' \"ü\"", "x -y --z=1 .", "a:b,c%d@e+f/g", "a && b", "a || b", "a; b", "a & b", "a | b", "a\nb", "a;", "!x", "a=~/b", "x]", "a}",
}

// The words are those of a shell.
func TestWordsAreThoseOfAShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	for _, line := range lines {
		got, rest, ok := words(line, "/home/ada", lookupShell)
		if !ok || slices.ContainsFunc(got, func(w word) bool { return !w.sure }) {
			t.Errorf("%q is not understood", line)
			continue
		}
		first := strings.TrimSuffix(line, rest)
		if strings.TrimSpace(first) == "" {
			continue
		}
		cmd := exec.Command(sh, "-c", "show() { for w; do printf '<%s>' \"$w\"; done; }\nshow "+first)
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
		"`a`", "$(a)", "$((1))", "${A:-b}", "$1", "$@", `"$(a)"`, "\"`a`\"", "'a", `"a`, "(a)", "a <<E", "a <(b)", `a\`,
	} {
		if got, _, ok := words(line, "/h", lookupShell); ok {
			t.Errorf("%q: %+v", line, got)
		}
	}
	for _, line := range []string{"*", "a?", "[ab]", "{a,b}", "~bob/x", "$DIR/x", "'$A'"} {
		got, _, ok := words(line, "/h", lookupShell)
		if !ok || got[0].sure {
			t.Errorf("%q: %+v, %t", line, got, ok)
		}
	}
}

// Redirections are no words, and what follows an operator is not read.
func TestWordsEnd(t *testing.T) {
	for line, want := range map[string]string{
		"a >/x b 2>>y c 2>&1": "a b c|", "a < x": "a|", "a 2>&1 | b": "a|| b", "a&&b": "a|&&b", "a;": "a|;", "a 2 >x": "a 2|",
	} {
		got, rest, ok := words(line, "/h", lookupShell)
		var texts []string
		for _, w := range got {
			texts = append(texts, w.text)
		}
		if all := strings.Join(texts, " ") + "|" + rest; !ok || all != want {
			t.Errorf("%q: %q, want %q", line, all, want)
		}
	}
}

// A value never gets into what is shown.
func TestWordsAreShownByName(t *testing.T) {
	got, _, _ := words(`"$DIR"/x$A~/~ ~/y $UNSET/z`, "/home/ada", lookupShell)
	if len(got) != 3 || got[0].shown != "$DIR/x$A~/~" || got[1].shown != "~/y" || got[2].shown != "$UNSET/z" || !slices.Equal(got[2].unset, []string{"UNSET"}) {
		t.Errorf("%+v", got)
	}
}
