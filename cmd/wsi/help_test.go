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
