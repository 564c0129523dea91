package doctor

import (
	"bytes"
	"fmt"
	"io/fs"

	"wsi/harnesses"
)

// largest is the size of a configuration file in bytes beyond which it is none: Claude Code's .claude.json
// grows to some megabytes. Nesting has its limit in every parser.
const largest = 16 << 20

// steady is env in which every file is read once, so that all checks see the same one, and in which
// none is read that would hold parsers up for longer than a person waits. It is for one goroutine.
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
			if n := len(a.content); n > largest {
				a = answer{nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%d MB are too much for a file of configuration", n>>20)}}
			}
			known[path] = a
		}
		return bytes.Clone(a.content), a.err
	}
	return env
}
