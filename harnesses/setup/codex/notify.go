package codex

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"

	"wsi/harnesses/setup"
)

// notify returns the program that Codex runs at the end of every turn, without a shell. The last file that names one
// counts; a project's does not (0.169.0).
func notify(env setup.Env) (all []setup.Hook) {
	for _, path := range []string{managedConfig(env), userConfig(env), legacyConfig(env)} {
		config, _ := decode(env, path)
		words := words(config["notify"])
		if len(words) == 0 {
			continue
		}
		one := setup.Hook{File: path, Line: notifyLine(env, path), Origin: setup.OfUser, Event: "agent-turn-complete", Kind: "notify"}
		if path != userConfig(env) {
			one.Origin = setup.OfManaged
		}
		one.Command = strings.Join(words, " ")
		for i := range all {
			all[i].Skip(setup.BlockedError{Why: "notify in " + path + " overrides it"})
		}
		if missing(env, words[0]) {
			one.Skip(setup.BlockedError{Why: "there is no program " + words[0], Fix: "install it, or remove the line"})
		}
		all = append(all, one)
	}
	return all
}

// missing reports whether a program that is started without a shell is not there.
func missing(env setup.Env, program string) bool {
	if !filepath.IsAbs(program) {
		_, err := env.LookPath(program)
		return err != nil
	}
	return !env.Exists(program) || env.IsDir(program)
}

// notifyLine returns the line of "notify" in a file, 0 if it cannot be found.
func notifyLine(env setup.Env, path string) int {
	content, _ := env.ReadFile(path) // its error was told before
	at := regexp.MustCompile(`(?m)^[ \t]*"?notify"?[ \t]*=`).FindIndex(content)
	if at == nil {
		return 0
	}
	return 1 + bytes.Count(content[:at[0]], []byte("\n"))
}
