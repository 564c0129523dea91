package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// scratch is the folder in which an examination makes its own.
type scratch struct {
	dir  string
	made []string // folders that were made for it, outermost first
	why  error    // the system's place for temporary files is not used
}

// newScratch makes one where the system has temporary files, or else in wsi's own folder.
func newScratch(o Options) (s scratch, err error) {
	if s.dir, s.why = tempIn(o.TempDir); s.why == nil {
		return s, nil
	}
	if o.StateDir == "" {
		return s, fmt.Errorf("there is no place for temporary files: %w", s.why)
	}
	for dir := o.StateDir; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		s.made = append([]string{dir}, s.made...)
	}
	err = os.MkdirAll(o.StateDir, 0o700)
	if err == nil {
		s.dir, err = tempIn(o.StateDir)
	}
	if err != nil {
		s.remove()
		return s, fmt.Errorf("there is no place for temporary files: %w; and not in wsi's own folder: %w", s.why, err)
	}
	return s, nil
}

// tempIn makes a folder that can be written to.
func tempIn(parent string) (string, error) {
	dir, err := os.MkdirTemp(parent, "wsi-doctor-")
	if err != nil {
		return "", err
	}
	if err := room(dir); err != nil {
		return "", fmt.Errorf("%s: %w", parent, errors.Join(err, os.Remove(dir)))
	}
	return dir, nil
}

// remove takes away all that was made.
func (s scratch) remove() {
	if s.dir != "" {
		_ = os.RemoveAll(s.dir) // the system cleans its temporary folder
	}
	for _, dir := range slices.Backward(s.made) {
		_ = os.Remove(dir) // unless somebody has put something there
	}
}

// ownTemp: harnesses and servers need such a folder, too.
func ownTemp(o Options) outcome {
	if o.scratch.why != nil {
		return attention("set TMPDIR to a folder of yours that is there", "there is no place for temporary files, so that the doctor has them in %s: %v", o.StateDir, o.scratch.why)
	}
	return good("%s", filepath.Dir(o.scratch.dir))
}
