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

// steady returns an env that reads each file and looks for each program once, so that all checks see the same, and rejects
// files that would keep a parser busy for too long. It must be used by one goroutine. On Windows a look for a program that is
// not there asks for a file of every extension in every folder of the PATH, and the checks of a harness look a hundred times.
func steady(env harnesses.Env) harnesses.Env {
	readFile := env.ReadFile
	read := once(func(path string) ([]byte, error) {
		content, err := readFile(path)
		if n := len(content); n > largest {
			return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%d MB are too much for a configuration file", n>>20)}
		}
		return content, err
	})
	env.ReadFile = func(path string) ([]byte, error) {
		content, err := read(path)
		return bytes.Clone(content), err
	}
	env.LookPath, env.Resolve = once(env.LookPath), once(env.Resolve)
	return env
}

// once returns a function that calls f once for each name, and then returns the same again.
func once[T any](f func(name string) (T, error)) func(name string) (T, error) {
	type answer struct {
		value T
		err   error
	}
	known := map[string]answer{}
	return func(name string) (T, error) {
		a, ok := known[name]
		if !ok {
			a.value, a.err = f(name)
			known[name] = a
		}
		return a.value, a.err
	}
}
