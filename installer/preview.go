package installer

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/aymanbagabas/go-udiff"

	"wsi/harnesses"
	"wsi/installer/edit"
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

// Env returns env as it will be once the plan is applied.
func (p Plan) Env(env harnesses.Env) harnesses.Env {
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

// leadsTo is where the links of the file's path lead, "" if there are none that matter.
func (c Change) leadsTo() string {
	if !c.Linked {
		return ""
	}
	return c.Target
}

// arrow writes a file with where it leads, unless that is "".
func arrow(file, target string) string {
	if target == "" {
		return file
	}
	return file + " -> " + target
}

// Diff returns the change as a unified diff, headed by the path as show writes it, and by where its links lead. What may
// be secret in the file has stars in its place (edit.Mask), for a diff is printed where others read it: none of it
// is changed.
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
	format := harnesses.JSON
	if filepath.Ext(c.Path) == ".toml" {
		format = harnesses.TOML
	}
	before, after := edit.Mask(format, c.Before, c.After)
	return udiff.Unified(from, to, string(before), string(after))
}
