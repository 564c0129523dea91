package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"wsi/internal/phrase"
	"wsi/internal/testkit/envtest"
	"wsi/internal/testkit/linktest"
	"wsi/internal/testkit/programtest"
)

func TestMain(m *testing.M) {
	lookPath = func(name string) (string, error) {
		if isInstalled(name) {
			return name, nil
		}
		return exec.LookPath(name)
	}
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	if tests := strings.HasSuffix(name, ".test") || slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.") }); !tests {
		if name == "codex" {
			envtest.Codex()
			os.Exit(0)
		}
		os.Args[0] = "wsi" // a test starts this program as wsi, also under another name
	} else {
		envtest.Clear()
		_ = os.Setenv("TMPDIR", "/tmp") // the scripts expect paths that are printed without quotes; Windows does not read it
	}
	// Scripts wait for programs, and the last package to end would wait with idle cores.
	_ = flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0)))
	testscript.Main(m, map[string]func(){"wsi": func() {
		release = os.Getenv("WSI_TEST_RELEASE") // scripts cannot see other differences between versions
		main()
		leave() // only the hook returns from main
	}})
}

var leave = func() {}

// Each script in testdata/script runs in its own home folder. These commands extend testscript's:
//
//	exits STATUS COMMAND...  run a command that must end with this status
//	raw FILE TEXT            write a file; TEXT may have Go's escapes, such as \r and \ufeff
//	mode FILE MODE           check a file's permissions
//	snapshot NAME            remember all of $HOME but wsi's own state
//	program FILE             copy wsi into a file
//	codex                    put a program on the PATH that lists hooks as Codex does
//	older FILE               make a wsi of another build
//	tlsservers               start servers at https addresses (setup-asks-servers-for-a-login.txtar)
//	asked TIMES              check how often they were asked
//	pastes COMMAND...        type the hints of the last command, after which COMMAND must succeed
//	says PATTERN             like stdout, with each sentence of a list on one line
//	narrow                   check that the last output fits 80 columns, but for diffs and commands
//	expand FILE              replace variables in a file with their values, and ${sha256:FILE} with the sum of a file
//	changed NAME FILE...     check that exactly these files below $HOME differ from the snapshot
func TestScripts(t *testing.T) {
	t.Parallel()
	dir, files := scripts(t), []string(nil)
	if raced {
		dir, files = "", concurrentScripts
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		Files:               files,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("USERPROFILE", home)
			// Only wsi and the server's program are on the PATH, so that the machine's harnesses do not matter.
			bin, servers := filepath.SplitList(e.Getenv("PATH"))[0], filepath.Join(e.WorkDir, "servers")
			e.Setenv("PATH", bin+string(filepath.ListSeparator)+servers)
			if err := standIn(servers, "node"); err != nil {
				return err
			}
			e.Setenv("WSI", filepath.Join(bin, "wsi")) // the doctor runs what is registered
			if runtime.GOOS == "windows" {
				likeWindows(e)
			}
			// With the race detector a program sleeps for a second before it exits.
			e.Setenv("GORACE", "atexit_sleep_ms=0")
			e.Setenv("B", installed)
			e.Values[askedKey{}] = new(atomic.Int32)
			return os.MkdirAll(home, 0o755)
		},
		Condition: func(name string) (bool, error) {
			if name == "links" {
				return linktest.Can(t), nil
			}
			return false, fmt.Errorf("unknown condition %s", name)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits, "raw": raw, "mode": mode, "snapshot": snapshot, "changed": changedFiles, "older": program("older"), "program": program(""), "codex": codexStub,
			"tlsservers": tlsServers, "asked": asked, "expand": expand, "pastes": pastes, "says": says, "tells": tells, "narrow": narrow,
		},
	})
}

// concurrentScripts start goroutines of every kind. With the race detector only they run.
var concurrentScripts = []string{
	"testdata/script/doctor-all-is-well.txtar",
	"testdata/script/doctor-finds-dead-servers.txtar",
	"testdata/script/hooks-are-listed.txtar",
	"testdata/script/relay-carries-a-value.txtar",
	"testdata/script/setup-asks-servers-for-a-login.txtar",
	"testdata/script/status-and-log.txtar",
	"testdata/script/two-setups-at-once.txtar",
}

// likeWindows sets what every program on Windows finds, and paths as they are quoted in JSON and TOML.
func likeWindows(e *testscript.Env) {
	home, bin := e.Getenv("HOME"), filepath.SplitList(e.Getenv("PATH"))[0]
	e.Setenv("PATH", e.Getenv("PATH")+string(filepath.ListSeparator)+filepath.Join(os.Getenv("SystemRoot"), "System32"))
	// In Wine a look for a file that does not exist reads the whole folder, and the default has ten endings.
	e.Setenv("PATHEXT", ".EXE;.CMD")
	e.Setenv("WSI", e.Getenv("WSI")+".exe")
	e.Setenv("TMP", filepath.Dir(filepath.Dir(bin))) // so that wsi in bin counts as temporary, as below /tmp
	e.Setenv("STATE", strings.ReplaceAll(filepath.Join(home, "AppData", "Local", "wsi"), `\`, `\\`))
	e.Setenv("JSON_HOME", strings.ReplaceAll(home, `\`, `\\`))
	e.Setenv("QUOTED_HOME", strings.ReplaceAll(home, `\`, `\\\\`)) // also quoted for the command raw
}

// standIn makes an empty program file, which no test runs.
func standIn(dir, name string) error {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), nil, 0o700)
}

func exits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND...")
	}
	err := ts.Exec(args[1], args[2:]...)
	status := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(status) != args[0] {
		ts.Fatalf("exit status %d, want %s", status, args[0])
	}
}

func raw(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: raw FILE TEXT")
	}
	text, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o755))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

// program returns the command that puts a copy of wsi with more at its end into a file.
func program(more string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		if len(args) != 1 {
			ts.Fatalf("usage: program FILE, older FILE")
		}
		content, err := os.ReadFile(ts.Getenv("WSI"))
		ts.Check(err)
		ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o755))
		ts.Check(programtest.WriteFile(ts.MkAbs(args[0]), append(content, more...), 0o755))
	}
}

func mode(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: mode FILE MODE")
	}
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if runtime.GOOS == "windows" {
		return // there a folder's access list decides, which its files inherit
	}
	if got := fmt.Sprintf("%04o", info.Mode().Perm()); got != args[1] {
		ts.Fatalf("%s has mode %s, want %s", args[0], got, args[1])
	}
}

// tree returns the mode and content of each file below the home folder, except wsi's state.
func tree(ts *testscript.TestScript) map[string]string {
	home := ts.Getenv("HOME")
	all := map[string]string{}
	ts.Check(filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(home, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if rel == ".local" || rel == "AppData/Local" {
			return fs.SkipDir
		}
		if rel == "AppData" {
			return nil // every home has it
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content := ""
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			content, err = os.Readlink(path)
		case d.Type().IsRegular():
			var b []byte
			b, err = os.ReadFile(path)
			content = string(b)
		}
		all[rel] = info.Mode().String() + "\n" + content
		return err
	}))
	return all
}

func snapshot(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: snapshot NAME")
	}
	file := ts.MkAbs("." + args[0] + ".snapshot")
	var text strings.Builder
	for path, state := range tree(ts) {
		fmt.Fprintf(&text, "%q %q\n", path, state)
	}
	ts.Check(os.WriteFile(file, []byte(text.String()), 0o600))
}

func changedFiles(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 1 {
		ts.Fatalf("usage: changed NAME FILE...")
	}
	text := ts.ReadFile("." + args[0] + ".snapshot")
	was := map[string]string{}
	for line := range strings.Lines(text) {
		var path, state string
		if _, err := fmt.Sscanf(line, "%q %q", &path, &state); err != nil {
			ts.Fatalf("snapshot: %v", err)
		}
		was[path] = state
	}
	now := tree(ts)
	var differ []string
	for path, state := range now {
		if was[path] != state {
			differ = append(differ, path)
		}
	}
	for path := range was {
		if _, ok := now[path]; !ok {
			differ = append(differ, path)
		}
	}
	slices.Sort(differ)
	want := slices.Sorted(slices.Values(args[1:]))
	if !slices.Equal(differ, want) {
		ts.Fatalf("changed since %s: %q, want %q", args[0], differ, want)
	}
}

var (
	// further matches where a sentence of a list goes on.
	further = regexp.MustCompile(`\n {4,}(\S)`)
	// wide matches what may be wider than a terminal: a line of a diff, the name of a file, and a command, which must be on one
	// line so that it can be copied.
	wide = regexp.MustCompile(`^([-+ @]|error: |hint: |.*: \S+ (would be )?(created|changed|deleted)$| +(wsi|cd) )`)
)

// tells is the command stdout for a text, not a pattern. Its words may be on several lines, and its paths have slashes.
func tells(ts *testscript.TestScript, neg bool, args []string) {
	if all := filepath.ToSlash(phrase.OneLine(ts.ReadFile("stdout"))); strings.Contains(all, args[0]) == neg {
		ts.Fatalf("tells %s: not so in\n%s", args[0], all)
	}
}

// says is the command stdout, of the text with each sentence of a list on one line.
func says(ts *testscript.TestScript, neg bool, args []string) {
	text := ""
	for part := range strings.SplitSeq(ts.ReadFile("stdout"), "\n\n") {
		if strings.Contains(part, "\n  - ") {
			part = further.ReplaceAllString(part, " $1")
		}
		text += part + "\n\n"
	}
	want := -1
	if count, ok := strings.CutPrefix(args[0], "-count="); ok {
		n, err := strconv.Atoi(count)
		ts.Check(err)
		want, args = n, args[1:]
	}
	n := len(regexp.MustCompile("(?m)"+args[0]).FindAllString(text, -1))
	if want >= 0 && n != want || (n > 0) == neg {
		ts.Fatalf("says %s: %d times in\n%s", args[0], n, text)
	}
}

// narrow fails if a line of the last output does not fit a terminal of 80 columns.
func narrow(ts *testscript.TestScript, _ bool, _ []string) {
	for line := range strings.Lines(ts.ReadFile("stdout") + ts.ReadFile("stderr")) {
		if line = strings.TrimRight(line, "\n"); utf8.RuneCountInString(line) > 80 && (!wide.MatchString(line) || strings.HasPrefix(line, "  - ")) {
			ts.Fatalf("does not fit 80 columns: %s", line)
		}
	}
}

var (
	// typable matches a hint that is a command, or ends with one.
	typable = regexp.MustCompile(`(?m)^hint: (?:.*: )?((?:wsi|cd|mv|chmod) .*)$`)
	// inHint matches what a hint that is a sentence must not contain: part of a command.
	inHint = regexp.MustCompile(`(?m)^hint: .*(wsi (setup|remove) --|--server|--wiring|chmod|\bcd ).*$`)
)

// pastes has a shell run the commands in the hints of the last command, whose questions it answers with yes. Then COMMAND
// must succeed.
func pastes(ts *testscript.TestScript, _ bool, args []string) {
	hints, dir, path := ts.ReadFile("stderr"), filepath.Join(ts.Getenv("WORK"), ".typed"), ts.Getenv("PATH")
	script := "#!/bin/sh\ncase $1 in setup) set -- \"$@\" --yes --binary " + ts.Getenv("B") + ";; remove) set -- \"$@\" --yes;; esac\nexec '" + ts.Getenv("WSI") + "' \"$@\"\n"
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(programtest.WriteFile(filepath.Join(dir, "wsi"), []byte(script), 0o755))
	commands := typable.FindAllStringSubmatch(hints, -1)
	if len(commands) == 0 {
		ts.Fatalf("no hint can be typed")
	}
	for _, command := range commands {
		ts.Setenv("PATH", strings.Join([]string{dir, path, "/usr/bin", "/bin"}, ":"))
		err := ts.Exec("/bin/sh", "-c", command[1])
		ts.Setenv("PATH", path)
		ts.Check(err)
	}
	if sentence := inHint.FindString(typable.ReplaceAllString(hints, "")); sentence != "" {
		ts.Fatalf("neither a sentence nor a command: %s", sentence)
	}
	ts.Check(ts.Exec(args[0], args[1:]...))
}

// codexStub puts a program named codex on the PATH, which lists hooks as Codex does: see [envtest.Codex].
func codexStub(ts *testscript.TestScript, _ bool, _ []string) {
	name := "codex"
	if strings.HasSuffix(ts.Getenv("WSI"), ".exe") {
		name += ".exe"
	}
	program("")(ts, false, []string{filepath.Join(ts.Getenv("WORK"), "servers", name)})
}
