package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wsi/doctor"
	"wsi/harnesses"
)

// words returns the completions of a flag or an argument: words, each followed by a tab and a description.
type words func() []string

// one completes one word.
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

func idsOf(all []harnesses.Harness) words {
	return func() (ids []string) {
		for _, h := range all {
			ids = append(ids, h.ID+"\t"+h.Name)
		}
		return ids
	}
}

func scopes() []string {
	return []string{string(harnesses.User) + "\tevery project of yours", string(harnesses.Project) + "\tthis folder only"}
}

func modes() []string {
	return []string{
		string(harnesses.ByHooks) + "\thooks carry the value", string(harnesses.ByJoin) + "\ta hook records the caller, the relay carries",
		string(harnesses.ByRelay) + "\tthe relay alone",
	}
}

func checks() (ids []string) {
	for _, c := range doctor.List() {
		ids = append(ids, c.ID+"\t"+c.Asks)
	}
	return append(ids, wirableIDs()...)
}

func snippets() []string {
	return append(idsOf(wirable())(), slices.Sorted(maps.Keys(languages))...)
}

// hooked returns the harnesses that have hooks.
func hooked() []harnesses.Harness {
	return slices.DeleteFunc(wirable(), harnesses.Harness.RelayOnly)
}

// registeredServers returns the completions of setup's --server: the servers in the harnesses here. A server without
// rules gets those of a workflow-server.
func (e env) registeredServers() (words []string) {
	ruled := e.hasRules()
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
	return slices.DeleteFunc(e.serverNames(wirable()), func(name string) bool {
		return strings.ContainsFunc(name, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r))
		})
	})
}
