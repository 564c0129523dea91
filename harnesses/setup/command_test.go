package setup

import (
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"wsi/harnesses"
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
				want := Registered{Path: path, Harness: "codex", Servers: servers, Relay: p.Relay}
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
