package main

import (
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/internal/phrase"
)

func TestASCIIOnly(t *testing.T) {
	for _, c := range []struct {
		own, all, ctype, lang, goos string
		want                        bool
	}{
		{"", "", "", "", "linux", false}, // no variable is set
		{"", "", "", "en_US.UTF-8", "linux", false},
		{"", "", "", "de_DE.utf8", "linux", false},
		{"", "C", "", "en_US.UTF-8", "linux", true},
		{"", "", "POSIX", "en_US.UTF-8", "linux", true},
		{"", "", "C.UTF-8", "C", "linux", false},
		{"", "", "", "de_DE.ISO-8859-1", "linux", true},
		{"", "C", "C", "C", "darwin", false},
		{"", "C", "C", "C", "windows", false},
		{"1", "", "", "en_US.UTF-8", "windows", true},
	} {
		getenv := func(name string) string {
			return map[string]string{"WSI_ASCII": c.own, "LC_ALL": c.all, "LC_CTYPE": c.ctype, "LANG": c.lang}[name]
		}
		if got := asciiOnly(getenv, c.goos); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestNextIsTheFirstHeadingOfTheChangelog(t *testing.T) {
	changes, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	if first := regexp.MustCompile(`(?m)^## (.*)$`).FindSubmatch(changes); first == nil || string(first[1]) != next {
		t.Errorf("next is %s, and the first heading is %q", next, first)
	}
}

// A build from source is never older than the release that its source will be.
func TestVersionOfABuildFromSource(t *testing.T) {
	commit := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{
			{Key: "vcs.revision", Value: "5ab2ec46e4746678a8f955358b6c49fd87134a67"},
			{Key: "vcs.time", Value: "2026-11-23T11:53:35Z"},
			{Key: "vcs.modified", Value: modified},
		}
	}
	for name, c := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"no build information": {nil, next + "-pre"},
		"no version control":   {&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, next + "-pre"},
		"no tag":               {&debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20261123115335-5ab2ec46e474"}, Settings: commit("false")}, next + "-pre20261123115335+5ab2ec46e474"},
		"after a tag":          {&debug.BuildInfo{Main: debug.Module{Version: "v0.8.1-0.20261123115335-5ab2ec46e474+dirty"}, Settings: commit("true")}, next + "-pre20261123115335+5ab2ec46e474.dirty"},
		"the tag":              {&debug.BuildInfo{Main: debug.Module{Version: "v" + next}, Settings: commit("false")}, next},
		"the tag, changed":     {&debug.BuildInfo{Main: debug.Module{Version: "v" + next + "+dirty"}, Settings: commit("true")}, next + "-pre20261123115335+5ab2ec46e474.dirty"},
	} {
		got := built(c.info)
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if setup.Newer(next, got) || !setup.Newer(got, "0.0.1") {
			t.Errorf("%s: %s is compared wrongly with %s", name, got, next)
		}
	}
}

// The doctor's screen runs setup as its findings say in types, whatever their sentences are.
func TestRepairNeedsNoSentence(t *testing.T) {
	fails := func(run report.Setup) report.Finding {
		return report.Finding{ID: "codex.hook.trusted", Status: report.Fail, Text: "some words", Fix: phrase.Fix{Text: "other words"}, Setup: run}
	}
	here := report.Setup{Repairs: true, Project: true}
	for _, c := range []struct {
		name     string
		findings []report.Finding
		scope    string
		trust    bool
	}{
		{"project", []report.Finding{fails(here)}, "project", false},
		{"trust", []report.Finding{fails(report.Setup{Repairs: true, Trust: true})}, "user", true},
		{"both scopes", []report.Finding{fails(here), fails(report.Setup{Repairs: true})}, "user", false},
		{"a sentence only", []report.Finding{{Status: report.Fail, Fix: phrase.Fix{Command: "wsi setup --harness codex --scope project --trust-codex-hooks"}}}, "user", false},
	} {
		r := report.Report{Groups: []report.Group{{ID: "codex", Findings: c.findings}}}
		s := doctorFlags{}.setup(r, "codex")
		if s.scope != c.scope || s.trust != c.trust {
			t.Errorf("%s: scope %q, trust %t", c.name, s.scope, s.trust)
		}
		if repairs := len(r.Fixable()) > 0; repairs != c.findings[0].Setup.Repairs {
			t.Errorf("%s: fixable %t", c.name, repairs)
		}
	}
}

// No other command of wsi is taken for a damaged hook.
func TestCommandsAreNotDamagedHooks(t *testing.T) {
	for _, c := range newRootCmd(env{}).Commands() {
		if c.Flags().Lookup("harness") != nil && setup.Damaged("/opt/wsi "+c.Name()+" --harness codex", "codex") {
			t.Errorf("wsi %s --harness codex", c.Name())
		}
	}
}

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
