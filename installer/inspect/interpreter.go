package inspect

import (
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses/setup"
)

// noInterpreter returns why a script cannot be run by its path: the interpreter in its first line is missing.
func (c caller) noInterpreter(path string) *setup.BlockedError {
	if c.env.GOOS == "windows" || !slices.Contains(scripts, strings.ToLower(filepath.Ext(path))) {
		return nil
	}
	content, err := c.env.ReadFile(path)
	if err != nil {
		return nil //nolint:nilerr // not known
	}
	line, _, _ := strings.Cut(string(content), "\n")
	line, found := strings.CutPrefix(line, "#!")
	interpreter, _, _ := strings.Cut(strings.TrimLeft(line, " \t"), " ")
	if !found || interpreter == "" {
		return nil
	}
	if name, ended := strings.CutSuffix(interpreter, "\r"); ended {
		return &setup.BlockedError{Why: "the first line of " + path + " ends in a carriage return, so there is no interpreter " + name, Fix: "end its lines as Unix does: sed -i 's/\\r$//' " + setup.Quote(c.env.GOOS, path)}
	}
	if _, err := c.env.Stat(interpreter); err != nil && filepath.IsAbs(interpreter) {
		return &setup.BlockedError{Why: "there is no interpreter " + interpreter + ", which the first line of " + path + " names", Fix: "install it, or correct the line"}
	}
	return nil
}
