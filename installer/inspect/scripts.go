package inspect

import (
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses/setup"
)

// interpreters are programs that run a script.
var interpreters = []string{"node", "tsx", "bun", "python", "python3", "ruby", "perl", "php", "sh", "bash", "zsh", "dash"}

// scriptOf returns the script that an interpreter runs: its first argument, if that looks like a path. An interpreter without an
// option reads it.
func scriptOf(program string, args []word) (script word, ok bool) {
	name := strings.TrimSuffix(filepath.Base(strings.ReplaceAll(program, `\`, "/")), ".exe")
	if !slices.Contains(interpreters, name) || len(args) == 0 || strings.HasPrefix(args[0].text, "-") {
		return word{}, false
	}
	return args[0], filepath.Ext(args[0].text) != "" // else a name to which it may add an extension, or that it looks for elsewhere
}

// scripts are the extensions of files that an interpreter runs.
var scripts = []string{".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".ps1"}

// noInterpreter returns why a script cannot be run by its path: the interpreter in its first line is missing.
func (c caller) noInterpreter(path string) *setup.Reason {
	if c.env.GOOS == "windows" || !slices.Contains(scripts, strings.ToLower(filepath.Ext(path))) {
		return nil
	}
	content, err := c.env.ReadFile(path)
	if err != nil {
		return nil // not known
	}
	line, _, _ := strings.Cut(string(content), "\n")
	line, found := strings.CutPrefix(line, "#!")
	interpreter, _, _ := strings.Cut(strings.TrimLeft(line, " \t"), " ")
	if !found || interpreter == "" {
		return nil
	}
	if name, ended := strings.CutSuffix(interpreter, "\r"); ended {
		return &setup.Reason{Why: "the first line of " + path + " ends in a carriage return, so there is no interpreter " + name, Fix: "sed -i 's/\\r$//' " + setup.Quote(c.env.GOOS, path)}
	}
	if _, err := c.env.Stat(interpreter); err != nil && filepath.IsAbs(interpreter) {
		return &setup.Reason{Why: "there is no interpreter " + interpreter + ", which the first line of " + path + " names", Fix: "install it, or correct the line"}
	}
	return nil
}
