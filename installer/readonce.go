package installer

import (
	"bytes"
	"sync"
)

// ReadOnce returns the options with cached reads: Inspect and Modes need the same files many times, and some files
// have megabytes. Use the result for one look at a harness; a plan that will be applied must read the disk.
func (o Options) ReadOnce() Options {
	o.Env.ReadFile = once(o.Env.ReadFile)
	o.FS = readOnce{o.FS, once(o.FS.ReadFile)}
	return o
}

type readOnce struct {
	FS

	read func(path string) ([]byte, error)
}

func (r readOnce) ReadFile(path string) ([]byte, error) { return r.read(path) }

// once caches the results of read by path. Each call returns its own copy.
func once(read func(path string) ([]byte, error)) func(path string) ([]byte, error) {
	var mu sync.Mutex
	type result struct {
		content []byte
		err     error
	}
	known := map[string]result{}
	return func(path string) ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		r, ok := known[path]
		if !ok {
			r.content, r.err = read(path)
			known[path] = r
		}
		return bytes.Clone(r.content), r.err
	}
}
