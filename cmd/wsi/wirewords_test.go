package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/installer"
	"wsi/installer/files"
	"wsi/internal/lists"
)

// Every command, flag and variable.
func TestWireNamesOfCommands(t *testing.T) {
	names := keySet{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		names[c.CommandPath()] = true
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			names[strings.TrimSpace(c.CommandPath()+" --"+f.Name+" "+f.Value.Type()+" "+f.Shorthand)] = true
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRootCmd(newWorld(t, nil, nil).env))
	const most = 55 // a flag more needs a reason, and another one that goes
	if flags := len(lists.Filter(names.lines(), func(name string) bool { return strings.Contains(name, " --") })); flags > most {
		t.Errorf("there are %d flags, more than %d", flags, most)
	}
	for text := range sourceStrings(t, "cmd", "doctor", "harnesses", "hook", "installer", "relay", filepath.Join("internal", "secret"), filepath.Join("internal", "state")) {
		if strings.HasPrefix(text, "WSI_") && !strings.Contains(text, " ") {
			names[text] = true
		}
	}
	compareWire(t, "commands", names.lines())
}

// What setup adds to the files of every harness, in every way, on two systems.
func TestWireNamesOfRegistrations(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths in the golden file have slashes")
	}
	plugin, masked := regexp.MustCompile(`sha256:|^const [A-Z]+ = ["[{tf]`), regexp.MustCompile("sha256:[0-9a-f]+")
	var lines []string
	for _, path := range []string{"/opt/my tools/wsi", "/opt/wsi", `C:\wsi.exe`} {
		for _, h := range registry.All() {
			for _, way := range setup.Modes {
				if _, ok := h.Choice(way); !ok {
					continue
				}
				w := newWorld(t, nil, nil)
				if path[0] != '/' {
					w.GOOS = "windows"
				}
				if h.Registers != nil {
					registerServer(t, w, h, path == "/opt/wsi")
				}
				o := installer.Options{
					Env: w.Env, FS: files.Disk{}, StateDir: w.StateDir, Scope: setup.User, Harnesses: []setup.Harness{h},
					Setup: installer.Setup{Program: setup.Program{Path: path, Servers: []string{harnesses.DefaultServer}}, Mode: way},
				}
				if path == "/opt/wsi" {
					o.Rules, o.Program.As = "/etc/rules.toml", map[string]string{harnesses.DefaultServer: "other"}
				}
				p, err := installer.PlanSetup(o)
				if err != nil || len(p.Refusals) > 0 {
					t.Fatal(h.ID, way, err, p.Refusals)
				}
				for _, change := range p.Changes {
					text := fmt.Sprintf("%s by %s, %s:", h.ID, way, w.tilde(change.Path))
					for line := range strings.Lines(change.Diff(w.tilde)) {
						added := strings.TrimSpace(line[1:])
						if line[0] == '+' && !strings.HasPrefix(line, "+++") && (!strings.HasSuffix(change.Path, ".js") || plugin.MatchString(added)) {
							text += " " + masked.ReplaceAllString(strings.ReplaceAll(added, w.StateDir, "STATE"), "sha256:SUM")
						}
					}
					lines = append(lines, text)
				}
			}
		}
	}
	compareWire(t, "registered", lines)
}

// What is said of several harnesses is said once, with their names.
func TestNotesAreSaidOnce(t *testing.T) {
	w := newWorld(t, nil, nil)
	var names []string
	for _, h := range wirable() {
		registerServer(t, w, h, true)
		names = append(names, h.Name, "a harness")
	}
	for _, mode := range []string{"relay", "hooks"} {
		out, _ := w.run("setup", "--dry-run", "--json", "--wiring", mode, "--binary", installed)
		var said installer.Review
		if err := json.Unmarshal([]byte(out), &said); err != nil || len(said.Notes) < 2 {
			t.Fatalf("%v: %s", err, out)
		}
		once := map[string]bool{}
		for _, n := range slices.Concat(said.Remarks, said.Left, said.Notes) {
			text := strings.NewReplacer(names...).Replace(n.Text + n.Command)
			if once[text] {
				t.Errorf("%s: said again: %s", mode, n.Text)
			}
			once[text] = true
		}
	}
}

// registerServer registers a server in the first file of a harness, as its user would: one over HTTP, if that is
// asked for and the harness knows such servers.
func registerServer(t *testing.T, w *world, h setup.Harness, remote bool) {
	t.Helper()
	file := h.Registers(w.Env, setup.User)[0]
	keys := append(slices.Clone(file.Tables[0]), harnesses.DefaultServer)
	text := `{"command": "node"}`
	switch form := file.Form; {
	case file.Format == setup.TOML:
		text = "[" + strings.Join(keys, ".") + "]\ncommand = \"node\"\n"
		keys = nil
	case remote && form.URL != "" && form.Headers != "":
		text = fmt.Sprintf(`{"type": %q, %q: "http://localhost/mcp", %q: {"X-Key": "secret"}}`, form.Remote, form.URL, form.Headers)
	case form.Joined:
		text = `{"type": "local", "command": ["node"]}`
	}
	for _, key := range slices.Backward(keys) {
		text = fmt.Sprintf("{%q: %s}", key, text)
	}
	rel, _ := filepath.Rel(w.Home, file.Path)
	w.put(t, rel, text)
}
