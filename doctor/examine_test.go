package doctor

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/internal/testkit/wine"
)

// noShell says why the shell with which a harness runs its hooks is not here, "" if it is: Windows has bash only with Git.
func (w *world) noShell(h setup.Harness) string {
	shell := h.Proof.Simulator.Shell(w.env(), "x")
	if len(shell) == 0 { // it runs programs without one
		return ""
	}
	if _, err := exec.LookPath(shell[0]); err != nil {
		return h.Name + " runs hooks with " + shell[0] + ", which is not here"
	}
	if shell[0] == "powershell" && wine.Version() != "" {
		return h.Name + " runs hooks with PowerShell, and Wine " + wine.Version() + " has only a program of that name that does nothing"
	}
	return ""
}

// needsShell skips the test where the hooks of a harness cannot be run.
func (w *world) needsShell(id string) {
	w.t.Helper()
	h, ok := registry.Get(id)
	if !ok {
		w.t.Fatal(id)
	}
	if why := w.noShell(h); why != "" {
		w.t.Skip(why)
	}
}

// leaveOut leaves those harnesses out whose hooks cannot be run here. TestShells says which.
func (w *world) leaveOut(except ...string) {
	w.harnessList = slices.DeleteFunc(w.harnessList, func(h setup.Harness) bool {
		return w.noShell(h) != "" && !slices.Contains(except, h.ID)
	})
}

func (w *world) has(id string) bool {
	return slices.ContainsFunc(w.harnessList, func(h setup.Harness) bool { return h.ID == id })
}

// What is left out of tests with several harnesses is seen here.
func TestShells(t *testing.T) {
	for _, h := range newWorld(t, "").harnessList {
		t.Run(h.ID, func(t *testing.T) { newWorld(t, "").needsShell(h.ID) })
	}
}

// examine runs the doctor. Whatever the world is like, it must change nothing and show no value.
func (w *world) examine() report.Report {
	w.t.Helper()
	before := w.tree()
	r := w.run(w.options())
	if after := w.tree(); after != before {
		w.t.Errorf("the doctor changed files:\n%s\nwas\n%s", after, before)
	}
	return r
}

// examineLive runs the doctor as with --live, with real programs on the PATH and, if none is set, a proof that is always right.
func (w *world) examineLive() report.Report {
	w.t.Helper()
	o := w.options()
	if o.Live == nil {
		o.Live = proving(LiveProof{Right: 1, Needed: 1, Saw: "seen"})
	}
	o.Env.LookPath = func(name string) (string, error) {
		switch name {
		case "codex", "claude", "opencode":
			return w.path(name), nil
		}
		info, err := os.Stat(name)
		if err == nil && runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
			err = os.ErrPermission
		}
		return name, err
	}
	return w.run(o)
}

// run runs the doctor. What it reports is what it tells while it runs.
func (w *world) run(o Options) report.Report {
	w.t.Helper()
	told, used := map[string]report.Finding{}, map[string]*time.Time{}
	o.Watch = func(e Event) {
		switch e.Kind {
		case Looked: // what the journal says is known before any check
			used[e.Harness] = e.Group.Used
		case Found:
			told[e.Check] = e.Finding
		}
	}
	r, err := Run(w.t.Context(), o, "linux/amd64")
	w.must(err)
	for _, f := range r.All() {
		if told[f.ID] != f {
			w.t.Errorf("told %+v, and reported %+v", told[f.ID], f)
		}
	}
	for _, g := range r.Groups {
		if (used[g.ID] == nil) != (g.Used == nil) {
			w.t.Errorf("%s: last used %v before the checks, %v after them", g.ID, used[g.ID], g.Used)
		}
	}
	if left, err := os.ReadDir(o.TempDir); err != nil || len(left) > 0 {
		w.t.Errorf("the doctor left %v behind, %v", left, err)
	}
	shown := w.shown(r)
	if strings.Contains(shown, "hunter-two") {
		w.t.Error("the report shows a variable's value:\n" + shown)
	}
	for _, value := range w.issued {
		if strings.Contains(shown, value) || strings.Contains(shown, value[:min(20, len(value))]) {
			w.t.Error("the report shows a value")
		}
	}
	return r
}

// withStatus returns the ids of the findings of a status.
func withStatus(r report.Report, s report.Status) []string {
	ids := []string{}
	for _, f := range r.All() {
		if f.Status == s {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// found returns the status and the text of a finding, "" if there is none of that id.
func found(r report.Report, id string) string {
	for _, f := range r.All() {
		if f.ID == id {
			return string(f.Status) + ": " + f.Text
		}
	}
	return ""
}

// A doctor that only reads files makes no folder, not even one for a moment, and needs none. A damaged ledger, with which a
// setup is planned without it, changes nothing about that.
func TestStaticMakesNothing(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(w *world){
		"all is well":      func(*world) {},
		"a damaged ledger": func(w *world) { w.write(".local/state/wsi/ledger.json", "{"); w.remove(".codex/hooks.json") },
		"no state folder":  func(w *world) { _ = os.RemoveAll(w.state()) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "")
			w.temp = w.path("temporary")
			w.must(os.Mkdir(w.temp, 0o700))
			harm(w)
			o := w.options()
			o.Static = true
			before := w.tree() // it has the time of the last change of each folder
			r, err := Run(t.Context(), o, "")
			if after := w.tree(); err != nil || after != before {
				t.Errorf("%v; now there is\n%s\nwas\n%s", err, after, before)
			}
			if len(withStatus(r, report.OK)) == 0 {
				t.Error("nothing was examined")
			}
		})
	}
}

// program writes a program that does what a shell script says, and returns its path. On Windows, where there is no shell, it
// is this test's own program, and the test is skipped if that does not know the script.
func (w *world) program(rel, script string) string {
	w.t.Helper()
	if runtime.GOOS != "windows" {
		w.write(rel, "#!/bin/sh\n"+script+"\n")
		w.must(os.Chmod(w.path(rel), 0o700))
		return w.path(rel)
	}
	if _, ok := lines(script); !ok {
		w.t.Skip("a shell script is played by this test's program, which knows only some commands")
	}
	self, err := os.Executable()
	w.must(err)
	path := w.path(rel + ".exe")
	w.write(rel+".exe"+scriptEnd, script)
	_ = os.Remove(path)
	w.must(linkOrCopy(self, path))
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
