package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// installed is the path of an installed wsi, as it is in registrations: the same on every machine of a system.
var installed = translatePaths(installedOnUnix)

const (
	installedOnUnix    = "/usr/local/bin/wsi"
	installedOnWindows = "C:/wsi/wsi.exe"   // in command lines of hooks
	relayOnWindows     = `C:\\wsi\\wsi.exe` // in a file, as the program of a relay or a plugin
)

// isInstalled reports whether name, in any spelling, is the installed wsi.
func isInstalled(name string) bool { return filepath.ToSlash(name) == installed }

// namesInstalled reports whether a file that setup wrote names the installed wsi.
func namesInstalled(content []byte) bool {
	return bytes.Contains(content, []byte(installed)) || runtime.GOOS == "windows" && bytes.Contains(content, []byte(relayOnWindows))
}

// translatePaths replaces places of a POSIX system by those of the system of the test.
func translatePaths(s string) string {
	if runtime.GOOS != "windows" {
		return s
	}
	return onWindows.Replace(s)
}

var onWindows = strings.NewReplacer(
	installedOnUnix, installedOnWindows,
	"rm home/.local/bin/wsi", "rm home/AppData/Local/Programs/wsi/wsi.exe",
	"exists home/.local/bin/wsi", "exists home/AppData/Local/Programs/wsi/wsi.exe",
	"exists home/.local/bin", "exists home/AppData/Local/Programs/wsi",
	"rm home/.local/state/wsi", "rm home/AppData/Local/wsi",
	"exists home/.local/state/wsi", "exists home/AppData/Local/wsi",
	".local/state/wsi", "AppData/Local/wsi",
	".local/bin/wsi", "AppData/Local/Programs/wsi/wsi.exe",
	".local/bin", "AppData/Local/Programs/wsi",
	"rm home/.local", "rm home/AppData/Local",
	"exists home/.local", "exists home/AppData/Local",
	".config/Claude", "AppData/Roaming/Claude",
	".config/Code", "AppData/Roaming/Code",
	".config/zed", "AppData/Roaming/Zed",
)

// inFiles are differences in the files that setup writes, and in what it prints: no harness is started on Windows. There, STATE
// is the quoted path of wsi's own folder.
var inFiles = strings.NewReplacer(
	"test it:\n    wsi doctor --live", "test it:\n    wsi doctor",
	`"`+installedOnUnix+`"`, `"`+relayOnWindows+`"`,
	"$HOME/.local/state/wsi", "$STATE",
	`"bash": "`, `"powershell": "\u0026 `,
)

// inPatterns are differences in command lines.
var inPatterns = strings.NewReplacer(
	"wsi inject", "wsi.exe.{0,2} inject", "wsi capture", "wsi.exe.{0,2} capture", // {0,2}: a quote if there is a space
	"wsi.exe inject", "wsi.exe.{0,2} inject", "wsi.exe capture", "wsi.exe.{0,2} capture",
	`*wsi"`, `*wsi.exe"`, "copied from .*wsi", "copied from .*wsi.exe",
)

// quotedWord is the pattern of a word in quotes. In a JSON file double quotes are two characters.
var quotedWord = regexp.MustCompile(`\.([\w.-]*=[\w-]+)\.`)

// scripts returns the folder of the test scripts. They are written for a POSIX system; for Windows it is a new folder
// with their translations.
func scripts(t *testing.T) string {
	t.Helper()
	const dir = "testdata/script"
	if runtime.GOOS != "windows" {
		return dir
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatal("no scripts", err)
	}
	translated := t.TempDir()
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		forWindows(archive)
		if err := os.WriteFile(filepath.Join(translated, filepath.Base(name)), txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return translated
}

// forWindows translates a script: its places, slashes in patterns, and paths that begin with ~ in expected output.
func forWindows(a *txtar.Archive) {
	lines := strings.Split(onWindows.Replace(string(a.Comment)), "\n")
	for i, line := range lines {
		if matcher.MatchString(line) {
			lines[i] = quoted.ReplaceAllStringFunc(line, func(pattern string) string {
				return quotedWord.ReplaceAllString(anySlash(inPatterns.Replace(pattern)), ".{1,2}$1.{1,2}")
			})
		} else {
			lines[i] = strings.ReplaceAll(line, "'$HOME'/", `'$QUOTED_HOME'\\\\`)
		}
	}
	a.Comment = []byte(strings.Join(lines, "\n"))
	for i := range a.Files {
		f := &a.Files[i]
		f.Name = onWindows.Replace(f.Name)
		content := onWindows.Replace(inFiles.Replace(string(f.Data)))
		content = belowHome.ReplaceAllStringFunc(content, func(path string) string { return strings.ReplaceAll(path, "/", `\`) })
		content = quotedBelowHome.ReplaceAllStringFunc(content, func(path string) string {
			return strings.NewReplacer("/", `\\`, "$HOME", "$JSON_HOME").Replace(path)
		})
		if strings.HasSuffix(f.Name, ".want") {
			content = shortPath.ReplaceAllStringFunc(content, func(path string) string { return strings.ReplaceAll(path, "/", `\`) })
		}
		f.Data = []byte(content)
	}
}

var (
	matcher   = regexp.MustCompile(`^(\[[^]]*\] )?(! )?(stdout|stderr|grep|says) `)
	quoted    = regexp.MustCompile(`'[^']*'`)
	shortPath = regexp.MustCompile(`~(/[\w.-]+)+`)

	belowHome       = regexp.MustCompile(`'\$HOME(/[\w.-]+)+`) // as TOML has it unchanged
	quotedBelowHome = regexp.MustCompile(`"\$HOME(/[\w.-]+)+`) // as it is quoted in JSON and TOML
)

// anySlash makes each slash of a pattern match both kinds, also doubled as in JSON.
func anySlash(pattern string) string {
	var b strings.Builder
	class, escaped := false, false
	for _, c := range pattern {
		if c == '/' && !class {
			b.WriteString(`[/\\]+`)
			continue
		}
		b.WriteRune(c)
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case c == '[':
			class = true
		case c == ']':
			class = false
		}
	}
	return b.String()
}

func TestForWindows(t *testing.T) {
	const script = `exec wsi setup --binary $B
stdout '^Codex: ~/.codex/hooks.json created [/\\]x\[/$'
[windows] ! grep '/a' home/.codex/config.toml
cmp stdout a.want
-- a.want --
Codex: ~/.codex/hooks.json a/b
-- home/.config/Code/User/mcp.json --
{"command": "/usr/local/bin/wsi", "hook": "/usr/local/bin/wsi inject"}
-- a.toml --
[projects."$HOME/a/b.c:d/e"]
a = ['$HOME/a/b', "$HOME/.local/state/wsi"]
`
	const want = `exec wsi setup --binary $B
stdout '^Codex: ~[/\\]+.codex[/\\]+hooks.json created [/\\]x\[[/\\]+$'
[windows] ! grep '[/\\]+a' home/.codex/config.toml
cmp stdout a.want
-- a.want --
Codex: ~\.codex\hooks.json a/b
-- home/AppData/Roaming/Code/User/mcp.json --
{"command": "C:\\wsi\\wsi.exe", "hook": "C:/wsi/wsi.exe inject"}
-- a.toml --
[projects."$JSON_HOME\\a\\b.c:d/e"]
a = ['$HOME\a\b', "$STATE"]
`
	a := txtar.Parse([]byte(script))
	forWindows(a)
	if got := string(txtar.Format(a)); got != want {
		t.Errorf("%s", got)
	}
}
