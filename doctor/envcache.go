package doctor

import (
	"bytes"
	"fmt"
	"io/fs"

	"wsi/harnesses"
)

// largest is the maximum size of a configuration file in bytes. Claude Code's .claude.json grows to some megabytes.
// Each parser limits the nesting itself.
const largest = 16 << 20

// steady returns an env that reads each file once, so that all checks see the same content, and rejects files that
// would keep a parser busy for too long. It must be used by one goroutine.
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
				a = answer{nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%d MB are too much for a configuration file", n>>20)}}
			}
			known[path] = a
		}
		return bytes.Clone(a.content), a.err
	}
	return env
}
