package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wsi/doctor"
	"wsi/harnesses"
)

// offers are what can be completed for a flag or an argument: words, each with what it means after a tab.
type offers func() []string

// one offers one of the words.
func (o offers) one(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return o(), cobra.ShellCompDirectiveNoFileComp
}

// list offers words with commas between, none twice.
func (o offers) list(_ *cobra.Command, _ []string, typed string) (words []string, _ cobra.ShellCompDirective) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	given := strings.Split(before, ",")
	for _, offer := range o() {
		if word, _, _ := strings.Cut(offer, "\t"); !slices.Contains(given, word) {
			words = append(words, before+offer)
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// complete says what a flag takes. It fails only for a flag that the command does not have.
func complete(cmd *cobra.Command, flag string, with cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, with); err != nil {
		panic(err)
	}
}

func idsOf(all []harnesses.Harness) offers {
	return func() (words []string) {
		for _, h := range all {
			words = append(words, h.ID+"\t"+h.Name)
		}
		return words
	}
}

func scopes() []string {
	return []string{string(harnesses.User) + "\tevery project of yours", string(harnesses.Project) + "\tthis folder only"}
}

func ways() []string {
	return []string{
		string(harnesses.ByHooks) + "\thooks carry the value", string(harnesses.ByJoin) + "\ta hook says who calls, the relay carries",
		string(harnesses.ByRelay) + "\tthe relay alone",
	}
}

func checks() (words []string) {
	for _, c := range doctor.List() {
		words = append(words, c.ID+"\t"+c.Asks)
	}
	return append(words, wirableIDs()...)
}

func snippets() []string {
	return append(idsOf(wirable())(), slices.Sorted(maps.Keys(languages))...)
}

// hooked are the harnesses whose events the hooks read.
func hooked() []harnesses.Harness {
	return slices.DeleteFunc(wirable(), harnesses.Harness.RelayOnly)
}

// registeredServers are the words for --server: servers of the harnesses here, those that no rule names as workflow-servers.
// A name that a shell might take for more than a word is left out.
func (e env) registeredServers() (words []string) {
	ruled := e.named()
	for _, h := range wirable() {
		p, _ := h.Find(e.Env) // what cannot be read offers nothing
		for _, s := range p.Servers {
			word := s.Name
			if !ruled(word) {
				word = harnesses.ServerWord(word, harnesses.DefaultServer)
			}
			odd := strings.ContainsFunc(s.Name, func(r rune) bool {
				return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r))
			})
			if !odd && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words
}
