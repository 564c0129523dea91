package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
)

// The tables of the documents that list harnesses, by the name in the comment before each.
var tables = map[string]struct {
	head string
	row  func(setup.Harness) string // "" = none
}{
	"modes": {"harness | id | modes, the usual one first | most reliable | source", func(h setup.Harness) string {
		modes := []string{string(h.Usual())}
		for _, m := range setup.Modes {
			if _, ok := h.Choice(m); ok && m != h.Usual() {
				modes = append(modes, string(m))
			}
		}
		best, source := "", "documentation"
		if len(modes) > 1 {
			best = string(h.Choices[0].Mode)
		}
		if len(h.Measured) > 0 {
			source = "tested: " + strings.Join(h.Measured, ", ")
		}
		return cells(h.Name, "`"+h.ID+"`", strings.Join(modes, ", "), best, source)
	}},
	"servers": {"harness | user | project | the user's folder is moved by", func(h setup.Harness) string {
		moved := ""
		env := documented("linux")
		env.Getenv = func(string) string { return "/moved" }
		if found, err := h.Find(env); err == nil && found.MovedBy != "" {
			moved = "`" + found.MovedBy + "`"
		}
		return cells(h.Name, serverFiles(h, setup.User), cmp.Or(serverFiles(h, setup.Project), "none"), moved)
	}},
	"hooks": {"harness | user | project", func(h setup.Harness) string {
		user, project := hookFiles(h, setup.User), hookFiles(h, setup.Project)
		if h.RelayOnly() || user+project == "" {
			return ""
		}
		return cells(h.Name, user, project)
	}},
}

// TestTables fails if a table of the documents is not what the harnesses say; `make docs` writes them.
func TestTables(t *testing.T) {
	onlyPosix(t)
	table := regexp.MustCompile(`(?s)<!-- table ([a-z]+): make docs -->\n.*?\n\n`)
	found := map[string]bool{}
	for _, name := range []string{"README.md", "docs/harnesses.md", "docs/setup.md"} {
		path := filepath.Join("..", "..", filepath.FromSlash(name))
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := table.ReplaceAllStringFunc(string(text), func(old string) string {
			kind := table.FindStringSubmatch(old)[1]
			found[kind] = true
			return "<!-- table " + kind + ": make docs -->\n" + tableOf(t, kind) + "\n"
		})
		if want == string(text) {
			continue
		}
		if !*update {
			t.Errorf("a table of %s is old; run make docs", name)
		} else if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if len(found) != len(tables)+1 {
		t.Errorf("the documents have only the tables %v", found)
	}
}

func tableOf(t *testing.T, kind string) string {
	t.Helper()
	if kind == named {
		return namedHarnesses()
	}
	c, ok := tables[kind]
	if !ok {
		t.Fatalf("no table has the name %s", kind)
	}
	text := "| " + c.head + " |\n" + strings.Repeat("|---", strings.Count(c.head, "|")+1) + "|\n"
	for _, h := range registry.All() {
		text += c.row(h)
	}
	return text
}

// named is the table of the README that only names the harnesses.
const named = "harnesses"

func namedHarnesses() string {
	var tested, other []string
	for _, h := range registry.All() {
		switch {
		case len(h.Measured) == 0:
			other = append(other, h.Name)
		case h.RelayOnly():
			tested = append(tested, h.Name)
		default:
			tested = append(tested, "**"+h.Name+"**")
		}
	}
	return cells("", "") + "|---|---|\n" +
		cells("tested with the real program, by a relay, in **bold** also by hooks", strings.Join(tested, ", ")) +
		cells("should work, from the program's documentation", strings.Join(other, ", "))
}

func cells(all ...string) string { return "| " + strings.Join(all, " | ") + " |\n" }

// documented is a system as the documents show it.
func documented(goos string) setup.Env {
	return setup.Env{
		Home: "~", Cwd: ".", GOOS: goos,
		Getenv:   func(string) string { return "" },
		ReadFile: func(string) ([]byte, error) { return nil, fs.ErrNotExist },
		Stat:     func(string) (bool, error) { return false, fs.ErrNotExist },
		LookPath: func(string) (string, error) { return "", exec.ErrNotFound },
	}
}

// serverFiles lists the files in which a harness registers servers, with the key of its table. APP is the folder of desktop
// programs' settings.
func serverFiles(h setup.Harness, scope setup.Scope) string {
	if h.Registers == nil {
		return ""
	}
	var all []string
	for i, file := range h.Registers(documented("linux"), scope) {
		at := func(goos string) (path, below string) {
			env := documented(goos)
			path = h.Registers(env, scope)[i].Path
			return path, strings.TrimPrefix(path, env.AppConfig()+"/")
		}
		shown, below := at("linux")
		mac, belowMac := at("darwin")
		windows, _ := at("windows")
		if mac != belowMac && below == belowMac {
			shown = "APP/" + below
		} else if windows != shown {
			shown += "`, on Windows `" + windows
		}
		all = append(all, fmt.Sprintf("`%s`: `%s`", shown, strings.Join(file.Tables[0], ".")))
	}
	return strings.Join(all, "<br>")
}

// hookFiles lists the files into which setup writes hooks.
func hookFiles(h setup.Harness, scope setup.Scope) string {
	w, err := h.Wiring(documented("linux"), scope, setup.Program{Path: installed, Servers: []string{harnesses.DefaultServer}})
	if err != nil {
		return ""
	}
	var all []string
	for _, hf := range w.Hooks {
		all = append(all, "`"+hf.Path+"`")
	}
	for _, wf := range w.Owned {
		all = append(all, "`"+wf.Path+"`")
	}
	return strings.Join(all, ", ")
}
