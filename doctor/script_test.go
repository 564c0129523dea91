package doctor

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// program writes a program that does what a shell script says, and returns its path. On Windows, where there is no shell, it
// is this test's own program, and the test is skipped if that does not know the script.
func (w *world) program(rel, script string) string {
	w.t.Helper()
	if runtime.GOOS != "windows" {
		w.write(rel, "#!/bin/sh\n"+script+"\n")
		if err := os.Chmod(w.path(rel), 0o700); err != nil {
			w.t.Fatal(err)
		}
		return w.path(rel)
	}
	if _, ok := lines(script); !ok {
		w.t.Skip("a shell script is played by this test's program, which knows only some commands")
	}
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	path := w.path(rel + ".exe")
	w.write(rel+".exe"+scriptEnd, script)
	_ = os.Remove(path)
	if err := linkOrCopy(self, path); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// scriptEnd ends the name of a program's script.
const scriptEnd = ".sh"

// command is one of a script: read line, echo '...', echo "..." >&2, or exit.
var command = regexp.MustCompile(`^(read line|echo '([^']*)'|echo "([^"]*)" >&2|exit (\d+))(;\s*|\s+|$)`)

// lines are the commands of a script, if all of them are known.
func lines(script string) (all [][]string, ok bool) {
	script = strings.TrimSpace(script)
	for script != "" {
		m := command.FindStringSubmatch(script)
		if m == nil {
			return nil, false
		}
		all, script = append(all, m), script[len(m[0]):]
	}
	return all, true
}

// perform does what the script of this program says, if it has one, and ends.
func perform() {
	self, err := os.Executable()
	if err != nil {
		return
	}
	script, err := os.ReadFile(self + scriptEnd)
	if err != nil {
		return
	}
	all, _ := lines(string(script))
	in := bufio.NewReader(os.Stdin)
	for _, m := range all {
		switch {
		case m[1] == "read line":
			_, _ = in.ReadString('\n') // as in a shell, the end is an empty line
		case strings.HasPrefix(m[1], "echo '"):
			fmt.Println(m[2])
		case m[4] != "":
			status, _ := strconv.Atoi(m[4])
			os.Exit(status)
		default:
			fmt.Fprintln(os.Stderr, os.ExpandEnv(m[3]))
		}
	}
	os.Exit(0)
}

func TestLines(t *testing.T) {
	for script, want := range map[string]int{
		speaking(carrying): 6, `echo "no $X" >&2; exit 3`: 2, "": 0, `read line; cat`: -1, `[ "$1" = relay ] && exit 3`: -1,
	} {
		if got, ok := lines(script); ok != (want >= 0) || ok && len(got) != want {
			t.Errorf("%s: %q, %v", script, got, ok)
		}
	}
}
