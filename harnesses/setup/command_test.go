package setup

import (
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/internal/endpoint"
)

func TestCommandSurvivesParsing(t *testing.T) {
	paths := []string{"/usr/local/bin/wsi", "/home/a b/wsi", "/home/o'neil/$HOME/wsi", "/ünï/wsi", `/back\slash/wsi`, "/a;rm -rf/wsi", "/~/wsi"}
	for _, goos := range []string{"linux", "windows"} {
		for _, path := range paths {
			if goos == "windows" && strings.ContainsAny(path, `$\`) {
				continue
			}
			for _, servers := range [][]string{{"workflow-server"}, {"my server"}, {"a", "b'c"}} {
				p := Program{Path: path, Servers: servers, Relay: len(servers) == 2}
				want := Registered{Program: p, Harness: "codex"}
				check := func(line string) {
					if got, ok := ParseCommand(line); !ok || !reflect.DeepEqual(got, want) {
						t.Errorf("%s: %s\n got %+v %v\nwant %+v", goos, line, got, ok, want)
					}
				}
				for _, want.Verb = range []string{harnesses.Inject, harnesses.Capture} {
					check(p.Command(goos, want.Verb, "codex"))
					check(strings.Replace(p.Command(goos, want.Verb, "codex"), " --relay", " --join", 1)) // of an older wsi
				}
			}
		}
	}
}

func TestCommandMeansTheSameToTheShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh on this machine")
	}
	for _, path := range []string{"/home/a b/wsi", "/home/o'neil/$HOME/`x`/wsi", `/back\slash/"q"/wsi`} {
		line := Program{Path: path, Servers: []string{"workflow-server"}}.Command("linux", harnesses.Capture, "codex")
		out, err := exec.Command(sh, "-c", "printf '%s\\n' "+line).Output()
		if err != nil {
			t.Fatal(err)
		}
		if want := path + "\ncapture\n--harness\ncodex\n"; string(out) != want {
			t.Errorf("the shell read %q as %q, want %q", line, out, want)
		}
	}
}

// On Windows a path is quoted only if it must be, and then PowerShell and cmd run it through cmd. A grammar of PowerShell
// (tree-sitter-powershell 0.26.4) reads the lines that begin with a letter as commands, and those with a quote not.
func TestCommandForPowerShell(t *testing.T) {
	for path, want := range map[string]string{
		`C:\Users\ada\bin\wsi.exe`:     `C:/Users/ada/bin/wsi.exe inject --harness codex`,
		`C:\Users\Jörg\wsi.exe`:        `C:/Users/Jörg/wsi.exe inject --harness codex`,
		`C:\Program Files\wsi\wsi.exe`: `cmd /d /c call "C:/Program Files/wsi/wsi.exe" inject --harness codex`,
		`C:\a,b\wsi.exe`:               `cmd /d /c call "C:/a,b/wsi.exe" inject --harness codex`,
	} {
		p := Program{Path: path, Servers: []string{harnesses.DefaultServer}}
		got := ForPowerShell("windows", p.Command("windows", harnesses.Inject, "codex"))
		said, ok := ParseCommand(got)
		if got != want || !ok || said.Path != strings.ReplaceAll(path, `\`, "/") {
			t.Errorf("%s, %+v, want %s", got, said, want)
		}
	}
}

func TestForeignCommandsAreNotOurs(t *testing.T) {
	for _, line := range []string{
		"", "wsi", "wsi inject", "wsi setup --harness codex", "/opt/wsi/bin/other inject --harness codex",
		"echo wsi inject --harness codex", "/usr/bin/wsi-tool inject --harness codex", "wsi inject --harness codex; rm x",
		"wsi inject --harness codex | tee log", "wsi inject --harness $H", "wsi inject --harness codex --verbose", "wsi inject --harness codex --relay --server x", "wsi inject --harness",
		"'wsi inject --harness codex", "newsi inject --harness codex",
	} {
		if r, ok := ParseCommand(line); ok {
			t.Errorf("%q parsed as ours: %+v", line, r)
		}
	}
}

func TestRunIn(t *testing.T) {
	if got := RunIn("linux", "/a b", "wsi remove").String(); got != "cd '/a b' && wsi remove" {
		t.Error(got)
	}
	if got := RunIn("windows", `C:\a b`, "wsi remove").String(); got != `in the folder C:\a b: wsi remove` {
		t.Error(got)
	}
}

func TestDamaged(t *testing.T) {
	for line, want := range map[string]bool{
		"/opt/wsi injekt --harness codex":                          true,
		"/opt/wsi --harness codex inject":                          true,
		"/opt/wsi --harness codex":                                 true,
		"/opt/wsi inject--harness codex":                           true,
		"/opt/wsi 'inject --harness codex'":                        true,
		"/opt/wsi inject --harnes codex":                           true,
		"/opt/wsi inject codex":                                    true,
		"/opt/wsi capture --harness":                               true,
		"/opt/wsi capture --harness --server shop":                 true,
		"/opt/wsi capture --harness= --server shop":                true,
		"/opt/wsi capture --harness codex --server":                true,
		"/opt/wsi capture --harness codex --loud 7":                true,
		"/opt/wsi inject --harness 'codex":                         true,
		"'/opt/my programs/wsi inject --harness codex":             true,
		`"/opt/my programs/wsi" inject --harness "codex`:           true,
		viaCmd + `"C:/my programs/wsi.exe" injekt --harness codex`: true,

		"/opt/wsi inject --harness codex":            false, // as registered
		"/opt/wsi inject":                            false, // the plain interceptor
		"/opt/wsi capture --server shop":             false,
		"/opt/wsi capture --server codex":            false,
		"/opt/wsi injekt --harness cursor":           false, // another harness's
		"/opt/wsi status --harness codex":            false, // another command
		"/opt/wsi doctor --harness codex":            false,
		"/opt/wsi inject --harness codex | tee /log": false, // a user's own form
		"/opt/wsi injekt --harness codex || true":    false,
		"/opt/other injekt --harness codex":          false,
		"echo /opt/wsi injekt --harness codex":       false,
		"/opt/wsi":                                   false,
		"":                                           false,
	} {
		if got := Damaged(line, "codex"); got != want {
			t.Errorf("%s: %t", line, got)
		}
	}
}

func TestProgramCheck(t *testing.T) {
	ok := []struct{ goos, path string }{
		{"linux", "/usr/local/bin/wsi"},
		{"linux", "/home/o'neil/$x y/wsi"},
		{"darwin", "/Users/ü/bin/wsi"},
		{"windows", `C:\Program Files\wsi\wsi.exe`},
		{"windows", `c:/wsi.exe`},
	}
	for _, c := range ok {
		if err := (Program{Path: c.path, Servers: []string{"workflow-server"}}).Check(c.goos); err != nil {
			t.Errorf("%s %s refused: %v", c.goos, c.path, err)
		}
	}
	bad := []struct{ goos, path, server string }{
		{"linux", "bin/wsi", "s"},
		{"linux", "/bin/other", "s"},
		{"linux", "/a\nb/wsi", "s"},
		{"linux", "/bin/wsi", ""},
		{"linux", "/bin/wsi", "a\nb"},
		{"linux", "", "s"},
		{"windows", `C:\a$b\wsi.exe`, "s"},
		{"windows", `C:\100%\wsi.exe`, "s"},
		{"windows", `\wsi.exe`, "s"},
		{"windows", `C:\wsi.exe`, `a"b`},
		{"windows", "C:\\a`b\\wsi.exe", "s"},
	}
	for _, c := range bad {
		if err := (Program{Path: c.path, Servers: []string{c.server}}).Check(c.goos); err == nil {
			t.Errorf("%s %q %q accepted", c.goos, c.path, c.server)
		}
	}
}

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

func TestRelayCommandSurvivesParsing(t *testing.T) {
	own := []string{"npx", "-y", "--", "--url", "x"}
	for _, f := range []RelayCommand{
		{Path: "/usr/local/bin/wsi", Server: "workflow-server", Harness: "codex", State: "/home/a b/.local/state/wsi"},
		{Path: `C:\Program Files\wsi.exe`, Server: "--", Harness: "claude-code", State: `C:\x`},
		{Path: "wsi", Server: "a", Harness: "zed", State: "/s", URL: "http://example.com/mcp", Headers: []endpoint.HeaderVar{{Name: "Authorization", Variable: "WSI_HEADER_AUTHORIZATION"}, {Name: "X-Y", Variable: "Z"}, {Name: "Authorization", Scheme: "Bearer", Variable: "TOKEN"}}},
		{Path: "wsi", Server: "a", Harness: "zed", State: "/s", Rules: "/r/rules.toml", Schema: "hidden"},
		{Path: "wsi", Server: "a", Harness: "codex", State: "/s", Life: []string{"--reload-on-change", "/a b"}},
	} {
		words, behind := f.Words(), 0
		if f.URL == "" {
			words, behind = append(words, own...), len(own)
		}
		got, at, ok := ParseRelayCommand(words)
		if !ok || !reflect.DeepEqual(got, f) || !slices.Equal(words[at:], own[:behind]) {
			t.Errorf("%q\n got %+v %d %v\nwant %+v", words, got, at, ok, f)
		}
	}
}

// A command that a user wrote in another form than Words is recognized as well.
func TestRelayCommandByHand(t *testing.T) {
	for _, c := range []struct {
		line string
		want RelayCommand
		own  string
	}{
		{"wsi relay --server=x -- y z", RelayCommand{Server: "x"}, "y z"},
		{"wsi relay --server x --join -- y", RelayCommand{Server: "x"}, "y"}, // of an older wsi
		{"wsi relay --schema hidden --server x --rules=/r --schema=as-is -- y -- z", RelayCommand{Server: "x", Rules: "/r", Schema: "as-is"}, "y -- z"},
		{"wsi relay --harness= --state=/a=b --server x -- --server", RelayCommand{Server: "x", State: "/a=b"}, "--server"},
		{"wsi relay --url=http://h --server=x --header-env=A=B --header-env C=D --", RelayCommand{Server: "x", URL: "http://h", Headers: []endpoint.HeaderVar{{Name: "A", Variable: "B"}, {Name: "C", Variable: "D"}}}, ""},
		{"wsi relay --server=x --reload-on-change=/f --no-restart -- y", RelayCommand{Server: "x", Life: []string{"--reload-on-change", "/f", "--no-restart"}}, "y"},
		{"wsi relay --server -- -- y", RelayCommand{Server: "--"}, "y"},
	} {
		words := strings.Fields(c.line)
		c.want.Path = "wsi"
		got, own, ok := ParseRelayCommand(words)
		if !ok || !reflect.DeepEqual(got, c.want) || strings.Join(words[own:], " ") != c.own {
			t.Errorf("%s\n got %+v %d %v\nwant %+v", c.line, got, own, ok, c.want)
		}
	}
}

// Setup replaces what it wrote itself, and keeps what a user added.
func TestKeeping(t *testing.T) {
	for _, c := range []struct{ wanted, stands, want string }{
		{"", "", ""},
		{"/xdg/wsi/rules.toml", "", "/xdg/wsi/rules.toml"},
		{"/xdg/wsi/rules.toml", "/old/wsi/rules.toml", "/xdg/wsi/rules.toml"},
		{`C:\xdg\wsi\rules.toml`, `C:\old\wsi\rules.toml`, `C:\xdg\wsi\rules.toml`},
		{"/xdg/wsi/rules.toml", "/mine.toml", "/mine.toml"},
		{"", "/mine.toml", "/mine.toml"},
		{"", "/old/wsi/rules.toml", "/old/wsi/rules.toml"},
	} {
		if got := (RelayCommand{Path: "a", Rules: c.wanted}).Keeping(RelayCommand{Path: "b", Rules: c.stands, Schema: "hidden", Life: []string{"--no-restart"}}); got.Rules != c.want || got.Life == nil || got.Schema != "hidden" || got.Path != "a" {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

func TestForeignCommandsAreNotRelays(t *testing.T) {
	for _, words := range [][]string{
		nil,
		{"wsi"},
		{"wsi", "relay"},
		{"wsi", "relay", "--server", "x"},
		{"wsi", "relay", "--server", "x", "--"},
		{"wsi", "relay", "--harness", "x", "--", "y"},
		{"newsi", "relay", "--server", "x", "--", "y"},
		{"/wsi/npx", "relay", "--server", "x", "--", "y"},
		{"wsi", "reference-server", "--server", "x", "--", "y"},
		{"wsi", "relay", "--verbose", "x", "--server", "x", "--", "y"},
		{"wsi", "relay", "--server", "x", "--url"},
		{"wsi", "relay", "--server", "x", "--url", "u", "--", "y"},
		{"wsi", "relay", "--server=", "--", "y"},
		{"wsi", "relay", "--server=x", "--help"},
		{"wsi", "relay", "--server=x", "--schema"},
		{"wsi", "relay", "npx", "--", "y"},
	} {
		if f, own, ok := ParseRelayCommand(words); ok {
			t.Errorf("%q parsed as a relay: %+v %d", words, f, own)
		}
	}
}

// A harness writes the error for a wrong command line into its log, so the error has no value of it.
func TestRelayErrorsShowNoValues(t *testing.T) {
	for _, word := range []string{"https://u:hunter2@host/x", "--pass=hunter2", "hunter2"} {
		if _, _, err := ParseRelay([]string{"--server", "x", word, "--", "y"}); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", word, err)
		}
	}
}
