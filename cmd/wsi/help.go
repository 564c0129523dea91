package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wsi/doctor"
	"wsi/internal/tui"
)

// What the help says of --harness.
const (
	harnessUsage = "only these harnesses: comma-separated `ids` (see wsi help harnesses)"
	oneHarness   = "`id` of the harness (see wsi help harnesses)"
)

// groups are the parts of wsi --help and the commands in each, both in the order in which they are shown.
var groups = []struct {
	title    string
	commands []string
}{
	{"Start:", []string{"setup", "doctor", "remove"}},
	{"Watch:", []string{"log", "status", "hooks"}},
	{"More:", []string{"rules", "snippet", "completion", "version"}},
	{"Run by harnesses:", []string{"inject", "capture", "relay"}},
}

// group puts the commands into groups, and bounds the help to 80 columns.
func group(root *cobra.Command) {
	cobra.EnableCommandSorting = false
	all := slices.Clone(root.Commands())
	root.RemoveCommand(all...)
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, name := range g.commands {
			i := slices.IndexFunc(all, func(c *cobra.Command) bool { return c.Name() == name })
			all[i].GroupID = g.title
			root.AddCommand(all[i])
			all = slices.Delete(all, i, i+1)
		}
	}
	root.AddCommand(all...) // hidden ones, and the topic
	root.SetHelpCommandGroupID("More:")
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages", "Flags.FlagUsagesWrapped 80"))
}

// newChecksTopic returns the help on the ids of checks.
func newChecksTopic() *cobra.Command {
	text := "The checks of wsi doctor, by the ids that --only takes:\n"
	for _, c := range doctor.List() {
		text += "\n" + strings.Join(tui.Hanging(fmt.Sprintf("  %-18s ", c.ID), c.Asks, 58), "\n")
	}
	return &cobra.Command{Use: "checks", Short: "The checks of wsi doctor, by id", Long: text}
}

// newHarnessesTopic returns the help on the ids of harnesses.
func newHarnessesTopic() *cobra.Command {
	text := "The ids that --harness takes, and how setup wires each harness by default:\n"
	for _, h := range wirable() {
		text += fmt.Sprintf("\n  %-15s %-15s %s", h.ID, h.Name, h.Usual())
	}
	return &cobra.Command{Use: "harnesses", Short: "The harnesses that wsi knows, by id", Long: text}
}
