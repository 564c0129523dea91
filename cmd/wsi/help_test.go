package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// visit calls do for each command that wsi --help leads to.
func visit(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			visit(c, do)
		}
	}
}

// Each help fits 80 columns and ends with an example that is a command line of that command.
func TestHelp(t *testing.T) {
	w := newWorld(t, nil, nil)
	visit(newRootCmd(w.env), func(cmd *cobra.Command) {
		args := append(strings.Fields(cmd.CommandPath())[1:], "--help")
		out, exit := w.run(args...)
		if cmd.IsAdditionalHelpTopicCommand() {
			out, exit = w.run("help", cmd.Name())
		}
		if exit != 0 {
			t.Fatalf("%s: exit status %d, %s", cmd.CommandPath(), exit, w.errs)
		}
		ofCobra := strings.HasPrefix(cmd.CommandPath(), "wsi completion ") // its scripts
		for line := range strings.Lines(out) {
			if width := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); width > 80 && !ofCobra {
				t.Errorf("%s --help has a line of %d columns: %s", cmd.CommandPath(), width, line)
			}
		}
		if cmd.Example == "" && !cmd.IsAdditionalHelpTopicCommand() && !ofCobra {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Example) {
			if !strings.HasPrefix(line, "  ") || !strings.Contains(line, cmd.CommandPath()) {
				t.Errorf("%s has the example %q", cmd.CommandPath(), line)
			}
		}
		if f := cmd.Flags().Lookup("harness"); f != nil && f.Usage != harnessUsage && f.Usage != oneHarness && !strings.Contains(f.Usage, "one of") {
			t.Errorf("%s describes --harness in its own way: %s", cmd.CommandPath(), f.Usage)
		}
	})
}

// Each command is in a group, and the groups have the order of a user's way.
func TestHelpHasGroups(t *testing.T) {
	w := newWorld(t, nil, nil)
	for _, c := range newRootCmd(w.env).Commands() {
		if c.IsAvailableCommand() && c.GroupID == "" {
			t.Errorf("%s is in no group", c.Name())
		}
	}
	out, _ := w.run("--help")
	at := -1
	for _, word := range []string{"\nStart:\n  setup ", "  doctor ", "  remove ", "\nWatch:\n  log ", "\nMore:\n  rules ", "\nRun by harnesses:\n  inject ", "  wsi harnesses "} {
		next := strings.Index(out, word)
		if next <= at {
			t.Errorf("%q is not in its place", word)
		}
		at = next
	}
	if strings.Contains(out, "Additional Commands") {
		t.Error(out)
	}
}

// What people type in place of a command names that command.
func TestMeantCommands(t *testing.T) {
	w := newWorld(t, nil, nil)
	for typed, meant := range map[string]string{
		"install": "setup", "config": "setup", "uninstall": "remove", "list": "hooks", "check": "doctor", "fix": "doctor", "logs": "log", "info": "status",
		"doc": "doctor", "stat": "status", // the beginning of a word
		"injekt --harness codex": "inject", "statsu --harness=codex -x": "status", // its flags are not unknown
	} {
		if _, exit := w.run(strings.Fields(typed)...); exit != 2 || !strings.Contains(w.errs.String(), "\nhint: did you mean "+meant+"? see wsi --help\n") {
			t.Errorf("wsi %s: exit status %d, %s", typed, exit, w.errs)
		}
	}
}

// A bad value of a flag is explained without words of Go.
func TestBadValues(t *testing.T) {
	w := newWorld(t, nil, nil)
	for args, want := range map[string]string{
		"setup --yes=perhaps":              `--yes is true or false, not "perhaps"`,
		"doctor --live=x":                  `--live is true or false, not "x"`,
		"log -n many":                      `--lines is a number, not "many"`,
		"log --lines 99999999999999999999": `--lines is a number, not "99999999999999999999"`,
	} {
		if _, exit := w.run(strings.Fields(args)...); exit != 2 || !strings.HasPrefix(w.errs.String(), "error: "+want+"\nhint: wsi ") {
			t.Errorf("wsi %s: exit status %d, %s", args, exit, w.errs)
		}
	}
}
