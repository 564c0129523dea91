package files

import (
	"fmt"
	"io/fs"
	"time"

	"wsi/internal/plainfile"
)

// maxWait is how long [Bounded] waits for a file.
const maxWait = 10 * time.Second

// Config reads a configuration file: [Bounded] with [plainfile.MaxConfig].
func Config(path string) ([]byte, error) { return Bounded(path, plainfile.MaxConfig) }

// Bounded is [plainfile.Regular] with a deadline: a file can be on a file system that does not answer.
func Bounded(path string, most int64) ([]byte, error) {
	return within(maxWait, path, func() ([]byte, error) { return plainfile.Regular(path, most) })
}

// within returns what read returns, or an error after the wait. It then leaves read running.
func within(wait time.Duration, path string, read func() ([]byte, error)) ([]byte, error) {
	type result struct {
		content []byte
		err     error
	}
	done := make(chan result, 1)
	go func() {
		content, err := read()
		done <- result{content, err}
	}()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.content, r.err
	case <-timer.C:
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it could not be read in %v", wait)}
	}
}
