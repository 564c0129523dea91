package installer

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"wsi/harnesses/setup"
	"wsi/installer/edit"
	"wsi/internal/phrase"
	"wsi/internal/printable"
)

// Action is what happens to the file: create, update or delete.
func (c Change) Action() string {
	switch {
	case c.Before == nil:
		return "create"
	case c.After == nil:
		return "delete"
	}
	return "update"
}

// Env returns env with the plan applied.
func (p Plan) Env(env setup.Env) setup.Env {
	read, stat := env.ReadFile, env.Stat
	env.ReadFile = func(path string) ([]byte, error) {
		c, ok := p.change(path)
		switch {
		case !ok:
			return read(path)
		case c.After == nil:
			return nil, fs.ErrNotExist
		}
		return c.After, nil
	}
	env.Stat = func(path string) (bool, error) {
		c, ok := p.change(path)
		switch {
		case !ok:
			return stat(path)
		case c.After == nil:
			return false, fs.ErrNotExist
		}
		return false, nil
	}
	return env
}

func (p Plan) change(path string) (Change, bool) {
	i := slices.IndexFunc(p.Changes, func(c Change) bool { return c.Path == path })
	if i < 0 {
		return Change{}, false
	}
	return p.Changes[i], true
}

// leadsTo returns the target of a linked file, else "".
func (c Change) leadsTo() string {
	if !c.Linked {
		return ""
	}
	return c.Target
}

// arrow returns file and its target, unless that is "".
func arrow(file, target string) string {
	if target == "" {
		return file
	}
	return file + " -> " + target
}

// line returns a line about a file of wsi's own, "" about any other.
func (c Change) line(show func(path string) string) string {
	if !c.Own {
		return ""
	}
	lines := max(bytes.Count(c.After, []byte("\n")), bytes.Count(c.Before, []byte("\n")))
	return fmt.Sprintf("%s %s, %s, wsi's own", c.Action(), arrow(printable.Line(show(c.Path)), printable.Line(show(c.leadsTo()))), phrase.Count(lines, "line"))
}

// Diff returns the change as a unified diff, with the path as show writes it. [edit.Mask] replaces possible secrets with
// stars, because diffs are printed and shared.
func (c Change) Diff(show func(path string) string) string {
	from := arrow(printable.Line(show(c.Path)), printable.Line(show(c.leadsTo())))
	to := from
	if c.Before == nil {
		from = "/dev/null"
	}
	if c.After == nil {
		to = "/dev/null"
	}
	if c.Binary != nil {
		return fmt.Sprintf("--- %s\n+++ %s\n%s\n", from, to, show(c.about()))
	}
	format := setup.JSON
	if filepath.Ext(c.Path) == ".toml" {
		format = setup.TOML
	}
	before, after := edit.Mask(format, c.Before, c.After)
	_, text, _ := strings.Cut(string(diff.Diff(from, before, to, after)), "\n") // its first line repeats the names
	return text
}
