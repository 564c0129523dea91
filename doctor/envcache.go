package doctor

import (
	"bytes"

	"wsi/harnesses/setup"
)

// steady returns an env that reads each file and looks for each program once, so that all checks see the same. It must be used
// by one goroutine. On Windows a look for a program that is
// not there asks for a file of every extension in every folder of the PATH, and the checks of a harness look a hundred times.
func steady(env setup.Env) setup.Env {
	read := once(env.ReadFile)
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
