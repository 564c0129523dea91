// Package plainfile opens files without the network poller, which package os sets up for every file
// it opens: five system calls for each, and more for the first. That is up to a twentieth of what a
// run of the hook costs, for files that are always ready.
//
// It must not know what the files are for.
package plainfile

import (
	"errors"
	"io"
	"os"
	"slices"
)

// Read returns the content of a file. Its errors are those of os.ReadFile.
func Read(path string) ([]byte, error) {
	f, err := Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()                    //nolint:errcheck // only read
	content := make([]byte, 0, 16<<10) // more than most files have that wsi reads
	for {
		n, err := f.Read(content[len(content):cap(content)])
		content = content[:len(content)+n]
		if errors.Is(err, io.EOF) {
			return content, nil
		}
		if err != nil {
			return nil, err
		}
		if len(content) == cap(content) {
			content = slices.Grow(content, len(content))
		}
	}
}
