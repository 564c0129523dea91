package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wsi/doctor"
	"wsi/harnesses"
	"wsi/harnesses/setup"
)

// words returns the completions of a flag or an argument: words, each followed by a tab and a description.
type words func() []string

func (w words) one(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return w(), cobra.ShellCompDirectiveNoFileComp
}

// list completes a comma-separated list in which no word occurs twice.
func (w words) list(_ *cobra.Command, _ []string, typed string) (lists []string, _ cobra.ShellCompDirective) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	given := strings.Split(before, ",")
	for _, completion := range w() {
		if word, _, _ := strings.Cut(completion, "\t"); !slices.Contains(given, word) {
			lists = append(lists, before+completion)
		}
	}
	return lists, cobra.ShellCompDirectiveNoFileComp
}

// complete sets the completions of a flag. It panics if the command has no such flag.
func complete(cmd *cobra.Command, flag string, with cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, with); err != nil {
		panic(err)
	}
}

func idsOf(all []setup.Harness) words {
	return func() (ids []string) {
		for _, h := range all {
			ids = append(ids, h.ID+"\t"+h.Name)
		}
		return ids
	}
}

func scopes() []string {
	return []string{string(setup.User) + "\tevery project of yours", string(setup.Project) + "\tthis folder only"}
}

func modes() []string {
	return []string{
		string(setup.ByHooks) + "\thooks carry the value", string(setup.ByJoin) + "\ta hook records the caller, the relay carries",
		string(setup.ByRelay) + "\tthe relay alone",
	}
}

// completeChecks completes a list of checks. Those of one harness are offered after its id and a dot.
func completeChecks(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	last := typed[strings.LastIndexByte(typed, ',')+1:]
	harness, _, dot := strings.Cut(last, ".")
	if dot && slices.Contains(wirableIDs(), harness) {
		return words(func() []string { return checks(harness + ".") }).list(cmd, args, typed)
	}
	return words(func() []string { return append(checks(""), wirableIDs()...) }).list(cmd, args, typed)
}

// checks returns the ids of checks with this in front, those of wsi itself only if it is empty.
func checks(before string) (ids []string) {
	for _, c := range doctor.List() {
		if before == "" || !strings.HasPrefix(c.ID, "wsi.") {
			ids = append(ids, before+c.ID+"\t"+c.Asks)
		}
	}
	return ids
}

func snippets() []string {
	return append(idsOf(wirable())(), slices.Sorted(maps.Keys(languages))...)
}

func hooked() []setup.Harness {
	return slices.DeleteFunc(wirable(), setup.Harness.RelayOnly)
}

// registeredServers returns the completions of setup's --server: the servers in the harnesses here. A server without
// rules gets those of a workflow-server.
func (e env) registeredServers() (words []string) {
	ruled := e.rules().Names
	for _, name := range e.plainServers() {
		if !ruled(name) {
			name = harnesses.ServerWord(name, harnesses.DefaultServer)
		}
		words = append(words, name)
	}
	return words
}

// plainServers returns the names of the servers in the harnesses here, without those that have characters that are special
// in a shell.
func (e env) plainServers() []string {
	return slices.DeleteFunc(e.serverNames(), func(name string) bool {
		return strings.ContainsFunc(name, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r))
		})
	})
}
