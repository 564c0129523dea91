package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/hook/rules"
	"wsi/internal/testkit/samplehome"
)

func docs(t *testing.T, name string) string {
	t.Helper()
	return document(t, filepath.Join("..", "..", "docs", name))
}

func document(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// blocks returns the fenced blocks of a language.
func blocks(t *testing.T, text, language string) []string {
	t.Helper()
	var all []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	if len(all) == 0 {
		t.Fatalf("no block of %s", language)
	}
	return all
}

// Every command in docs/setup.md works, one after the other, in one home.
func TestSetupMdCommands(t *testing.T) {
	w := newWorld(t, samplehome.Files("{{HOME}}"), nil)
	w.Interactive = true
	for _, block := range blocks(t, docs(t, "setup.md"), "sh") {
		for line := range strings.Lines(block) {
			command, _, _ := strings.Cut(line, "#")
			args := strings.Fields(command)[1:]
			if args[0] == "setup" {
				args = append(args, "--binary", installed)
			}
			w.Stdin = strings.NewReader("y\n")
			want := 0
			if strings.TrimSpace(command) == "wsi setup" || strings.Contains(command, "--plain") {
				want = 1 // the proof fails without a wsi at this path
			}
			if _, exit := w.run(args...); exit != want {
				t.Errorf("%s: exit status %d: %s", command, exit, w.errs)
			}
		}
	}
}

// The example in docs/setup.md is valid.
func TestSetupMdExample(t *testing.T) {
	for _, block := range blocks(t, docs(t, "setup.md"), "json") {
		valid(t, schemaOf(t, "setup"), block)
	}
}

// docs/setup.md names every flag of setup and remove, and no other flag.
func TestSetupMdFlags(t *testing.T) {
	text := docs(t, "setup.md")
	flags := map[string]bool{}
	root := newRootCmd(env{})
	for _, verb := range []string{"setup", "remove"} {
		cmd, _, err := root.Find([]string{verb})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^ +(?:-., )?--([a-z-]+)`).FindAllStringSubmatch(cmd.Flags().FlagUsages(), -1) {
			if flags[m[1]] = true; !strings.Contains(text, "`--"+m[1]) {
				t.Errorf("it does not name --%s", m[1])
			}
		}
	}
	for _, m := range regexp.MustCompile(`--([a-z][a-z-]+)`).FindAllStringSubmatch(text, -1) {
		if !flags[m[1]] {
			t.Errorf("unknown flag --%s", m[1])
		}
	}
}

// Every target of a link in the documents exists, and so does the heading that it names. Every picture is in a document.
func TestDocsLinks(t *testing.T) {
	link := regexp.MustCompile(`(?:\]\(|src="|srcset="|href=")([^)"#:]*)(?:#([^)"]*))?[)"]`)
	used, anchored := map[string]bool{}, 0
	for _, file := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(document(t, file), -1) {
			target := file
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(file), filepath.FromSlash(m[1]))
			}
			if used[target] = true; m[2] == "" {
				if _, err := os.Stat(target); err != nil {
					t.Errorf("%s: %v", file, err)
				}
			} else if anchored++; !slices.Contains(anchors(document(t, target)), m[2]) {
				t.Errorf("%s: %s has no heading #%s", file, target, m[2])
			}
		}
	}
	if anchored < 20 {
		t.Errorf("only %d links to headings were found", anchored)
	}
	shown := 0
	for _, pattern := range []string{"*.svg", "before/*.svg"} {
		pictures, err := filepath.Glob(filepath.Join("..", "..", "docs", "screens", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, picture := range pictures {
			if shown++; !used[picture] && !strings.Contains(picture, "-ascii") { // the tour names their folder
				t.Errorf("no document has %s", picture)
			}
		}
	}
	if shown < 80 {
		t.Errorf("only %d pictures were found", shown)
	}
}

// Every command line of wsi in the documents names a command and flags that exist.
func TestDocsCommands(t *testing.T) {
	commands := documentedCommands(t)
	for command, file := range commands {
		words := strings.Fields(strings.TrimPrefix(command, "wsi help"))
		if words[0] == "wsi" {
			words = words[1:]
		}
		if cmd, rest, err := newRootCmd(env{}).Find(words); err != nil || !cmd.HasParent() {
			t.Errorf("%s: %s: no such command", file, command)
		} else if err := cmd.ParseFlags(rest); err != nil && !errors.Is(err, pflag.ErrHelp) {
			t.Errorf("%s: %s: %v", file, command, err)
		}
	}
	if len(commands) < 60 {
		t.Errorf("only %d command lines were found", len(commands))
	}
}

// documentedCommands returns the command lines of wsi in the documents that are not history, and a file of each.
func documentedCommands(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, file := range documents(t) {
		if strings.Contains(file, "CHANGELOG") || strings.Contains(file, "decisions") {
			continue
		}
		text := document(t, file)
		lines := regexp.MustCompile("`(wsi [a-z][^`\n]*)`").FindAllStringSubmatch(text, -1)
		for _, block := range regexp.MustCompile("(?ms)^```(.*?)\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
			if block[1] == "" || block[1] == "sh" {
				lines = append(lines, regexp.MustCompile(`(?m)^(wsi [a-z][^#>\n]*)`).FindAllStringSubmatch(block[2], -1)...)
			}
		}
		for _, m := range lines {
			all[strings.TrimSpace(m[1])] = file
		}
	}
	return all
}

// documents returns the paths of all documents.
func documents(t *testing.T) (files []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/decisions/*.md", "docs/screens/*.md", "harnesses/*/README.md"} {
		found, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern)))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: no documents: %v", pattern, err)
		}
		files = append(files, found...)
	}
	return files
}

// anchors returns the headings of a document in the form in which GitHub links to them.
func anchors(text string) (all []string) {
	text = regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(text, "")
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(name, " ", "-"))
	}
	return all
}

// onlyPosix skips a test on Windows: the documents show what wsi writes on a POSIX system.
func onlyPosix(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the documents show the paths of a POSIX system")
	}
}

// Every example of docs/rules.md is a rule file without an error, and all of it has an effect.
func TestRulesMdExamples(t *testing.T) {
	for _, block := range blocks(t, docs(t, "rules.md"), "toml") {
		set, errs := rules.Parse("rules.md", []byte(block))
		if len(errs) > 0 {
			t.Errorf("%v in\n%s", errs, block)
		}
		if notes := ineffective(set); len(notes) > 0 {
			t.Errorf("%q about\n%s", notes, block)
		}
	}
}

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
	"servers": {"harness | user | project | variable that moves the user's folder", func(h setup.Harness) string {
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
	var both, relay, other []string
	for _, h := range registry.All() {
		switch {
		case len(h.Measured) == 0:
			other = append(other, h.Name)
		case h.RelayOnly():
			relay = append(relay, h.Name)
		default:
			both = append(both, h.Name)
		}
	}
	return cells("", "") + "|---|---|\n" +
		cells("tested, by hooks and by relay", strings.Join(both, ", ")) +
		cells("tested, by relay", strings.Join(relay, ", ")) +
		cells("should work", strings.Join(other, ", "))
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
