package installer

import (
	"github.com/aymanbagabas/go-udiff"
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

// Diff returns the change as a unified diff, headed by the path as show writes it.
func (c Change) Diff(show func(path string) string) string {
	from, to := show(c.Path), show(c.Path)
	if c.Before == nil {
		from = "/dev/null"
	}
	if c.After == nil {
		to = "/dev/null"
	}
	return udiff.Unified(from, to, string(c.Before), string(c.After))
}
