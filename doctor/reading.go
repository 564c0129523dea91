package doctor

import (
	"bytes"
	"fmt"
	"io/fs"

	"wsi/harnesses"
)

const (
	largest = 32 << 20 // bytes of a configuration file: Claude Code's .claude.json grows to some
	deepest = 100_000  // nesting, with which every parser still comes to an end
)

// steady is env in which every file is read once, so that all checks see the same one, and in which
// none is read that would hold a parser up for longer than a person waits. It is for one goroutine.
func steady(env harnesses.Env) harnesses.Env {
	type answer struct {
		content []byte
		err     error
	}
	known := map[string]answer{}
	read := env.ReadFile
	env.ReadFile = func(path string) ([]byte, error) {
		a, ok := known[path]
		if !ok {
			a.content, a.err = read(path)
			if why := unfit(a.content); why != nil {
				a = answer{nil, &fs.PathError{Op: "read", Path: path, Err: why}}
			}
			known[path] = a
		}
		return bytes.Clone(a.content), a.err
	}
	return env
}

// unfit tells why a file is none of configuration. Brackets in strings count as well: what has that many
// is none either.
func unfit(content []byte) error {
	if len(content) > largest {
		return fmt.Errorf("%d MB are too much for a file of configuration", len(content)>>20)
	}
	depth := 0
	for _, c := range content {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth > deepest {
			return fmt.Errorf("more than %d brackets are open in it at once", deepest)
		}
	}
	return nil
}
