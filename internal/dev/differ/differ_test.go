package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/internal/testkit/programtest"
)

// standIn is a program that prints a line of the journal, writes a file and exits.
const standIn = `#!/bin/sh
echo '{"t":"%s","verb":"inject","did":"%s","us":%d}'
umask %s
printf '%s' >"$HOME/settings"
exit %s
`

func TestADifferenceIsFound(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a program is a shell script here")
	}
	tools := t.TempDir()
	write(t, filepath.Join(tools, "node"), "")
	t.Setenv("PATH", tools+string(filepath.ListSeparator)+"/usr/bin:/bin")
	now := time.Now()
	old := fmt.Sprintf(standIn, now.Format(time.RFC3339), "injected", 7, "077", "{}", "0")
	for _, c := range []struct{ what, program, want string }{
		{"only times", fmt.Sprintf(standIn, now.Add(-time.Second).Format(time.RFC3339Nano), "injected", 1234, "077", "{}", "0"), ""},
		{"a word of the answer", strings.Replace(old, "injected", "left", 1), `"left\`},
		{"an older time", strings.Replace(old, now.Format(time.RFC3339), "2026-01-01T00:00:00Z", 1), "2026-01-01"},
		{"a member more", strings.Replace(old, `"us"`, `"told":1,"us"`, 1), "told"},
		{"a byte of a file", strings.Replace(old, "{}", "{ }", 1), "home/settings"},
		{"the mode of a file", strings.Replace(old, "077", "037", 1), "-rw-r-----"},
		{"one file more", strings.Replace(old, "exit", ": >\"$HOME/more\"\nexit", 1), "home/more"},
		{"stderr", strings.Replace(old, "exit", "echo oops >&2\nexit", 1), "oops"},
		{"the exit status", strings.Replace(old, "exit 0", "exit 2", 1), "exit status 2"},
	} {
		t.Run(c.what, func(t *testing.T) {
			dir := t.TempDir()
			programs := [2]string{filepath.Join(dir, "old"), filepath.Join(dir, "new")}
			write(t, programs[0], old)
			write(t, programs[1], c.program)
			all := []scenario{{"kind", "name", func(p *place) { p.wsi(nil, "x"); p.tree() }}}
			outcomes, err := compareAll(dir, programs, all, 1)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if found := report(&out, outcomes); found > 0 != (c.want != "") || !strings.Contains(out.String(), c.want) {
				t.Errorf("%d scenarios differ, and the report does not have %q:\n%s", found, c.want, &out)
			}
		})
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := programtest.WriteFile(path, []byte(content), 0o700); err != nil {
		t.Fatal(err)
	}
}

// What is not of the moment stays.
func TestTimeless(t *testing.T) {
	program := []byte("program")
	now := time.Now()
	for text, want := range map[string]string{
		"at " + now.Format(time.RFC3339Nano):     "at NOW",
		"at " + now.UTC().Format(time.RFC3339):   "at NOW",
		"at " + now.Format(time.DateTime) + " x": "at NOW x",
		fmt.Sprintf("67 %d \"", now.UnixNano()):  `67 NOW "`,
		"at 2026-01-02T03:04:05Z":                "at 2026-01-02T03:04:05Z",
		"67 1395479443121903991":                 "67 1395479443121903991",
		`{"t":"x","us":5}`:                       `{"t":"x","us":5}`,
		`"us":5`:                                 `"us":5`,
		"answer (7 ms)":                          "answer (N ms)",
		"answer (7\n     ms)":                    "answer (N ms)",
		"answer\n     (7 ms)":                    "answer (N ms)",
		`"since": "` + now.UTC().Format(time.RFC3339) + "\",\n  \"bytes\": 340": "\"since\": \"NOW\",\n  \"bytes\": N",
		`"newest": "2026-01-01T00:00:00Z","bytes": 340`:                         `"newest": "2026-01-01T00:00:00Z","bytes": 340`,
		"7 servers":             "7 servers",
		"timeout 10":            "timeout 10",
		"sum " + sumOf(program): "sum SUM",
	} {
		if got := timeless(text, sumOf(program)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Every kind of scenario has some: a folder that was moved must not make the comparison empty.
func TestScenarios(t *testing.T) {
	t.Chdir("../../..")
	all, err := scenarios()
	if err != nil {
		t.Fatal(err)
	}
	for kind, least := range map[string]int{"recorded events": 20, "session": 30, "relay": 50, "home": 20, "settings": 40} {
		n := len(slices.DeleteFunc(slices.Clone(all), func(s scenario) bool { return s.kind != kind }))
		if n < least {
			t.Errorf("%s: %d scenarios, want at least %d", kind, n, least)
		}
	}
}
