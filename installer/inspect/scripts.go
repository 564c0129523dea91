package inspect

import (
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses/setup"
)

// interpreters are programs that run a script, and the extensions that they may add to its name.
var interpreters = map[string][]string{
	"node": {".js", ".cjs", ".mjs", ".json", ".node"}, "tsx": {".ts", ".js", ".mts", ".cts"}, "bun": {".ts", ".js", ".mjs", ".tsx", ".jsx"},
	"python": nil, "python3": nil, "ruby": nil, "perl": nil, "php": nil, "sh": nil, "bash": nil, "zsh": nil, "dash": nil,
}

// scriptOf returns the script that an interpreter runs. ok is false if the program is not an interpreter, or its arguments do
// not name a script.
func scriptOf(program string, args []word) (script word, ok bool) {
	name := strings.TrimSuffix(filepath.Base(strings.ReplaceAll(program, `\`, "/")), ".exe")
	extensions, known := interpreters[name]
	for len(args) > 0 && args[0].sure && plainOption(name, args[0].text) {
		args = args[1:]
	}
	if !known || len(args) == 0 || strings.HasPrefix(args[0].text, "-") {
		return word{}, false
	}
	script = args[0]
	path := strings.ContainsAny(script.text, `/\`) || filepath.Ext(script.text) != ""
	if !path && (name == "bun" || name == "bash" || name == "zsh") { // a script of package.json, or one on the PATH
		return word{}, false
	}
	return script, script.text != "" && (path || extensions == nil || name == "node")
}

// plainOption reports whether an option of an interpreter has no value and does not change what it runs.
func plainOption(interpreter, option string) bool {
	letters := "euxfv" // of shells
	switch interpreter {
	case "node":
		return slices.Contains([]string{"--no-warnings", "--no-deprecation", "--trace-warnings", "--enable-source-maps", "--experimental-strip-types"}, option)
	case "python", "python3":
		letters = "uBEsSIOqb"
	case "sh", "bash", "zsh", "dash":
	default:
		return false
	}
	return len(option) > 1 && option[0] == '-' && strings.Trim(option[1:], letters) == ""
}

// readable reports whether an interpreter finds a script. It may add an extension, or read a file in a folder.
func (c caller) readable(program, script string) bool {
	path := c.absolute(script)
	if isDir, err := c.env.Stat(path); err == nil {
		return !isDir || !slices.Contains([]string{"sh", "bash", "zsh", "dash"}, filepath.Base(program))
	}
	for _, ext := range interpreters[filepath.Base(program)] {
		if _, err := c.env.Stat(path + ext); err == nil {
			return true
		}
	}
	return false
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
