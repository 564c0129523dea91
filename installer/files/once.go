package files

import (
	"bytes"
	"sync"
)

// ReadOnce returns fsys with cached reads.
func ReadOnce(fsys FS) FS { return readOnce{fsys, Once(fsys.ReadFile)} }

type readOnce struct {
	FS

	read func(path string) ([]byte, error)
}

func (r readOnce) ReadFile(path string) ([]byte, error) { return r.read(path) }

// Once caches the results of read by path. Each call returns its own copy.
func Once(read func(path string) ([]byte, error)) func(path string) ([]byte, error) {
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
