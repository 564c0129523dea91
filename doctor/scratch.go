package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// scratch is the folder for the temporary folders of an examination.
type scratch struct {
	dir  string
	made []string // folders that were made for it, outermost first
	why  error    // why the system's temporary folder is not used, nil if it is
}

// newScratch creates the folder in the system's temporary folder or, if that fails, in wsi's state folder.
func newScratch(tempDir, stateDir string) (s scratch, err error) {
	if s.dir, s.why = tempIn(tempDir); s.why == nil {
		return s, nil
	}
	if stateDir == "" {
		return s, fmt.Errorf("cannot create temporary files: %w", s.why)
	}
	for dir := stateDir; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		s.made = append([]string{dir}, s.made...)
	}
	err = os.MkdirAll(stateDir, 0o700)
	if err == nil {
		s.dir, err = tempIn(stateDir)
	}
	if err != nil {
		s.remove()
		return s, fmt.Errorf("cannot create temporary files: %w; nor in wsi's state folder: %w", s.why, err)
	}
	return s, nil
}

// tempIn creates a folder with room for files.
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

// remove removes all that newScratch made.
func (s scratch) remove() {
	if s.dir != "" {
		_ = os.RemoveAll(s.dir) // the system removes leftovers
	}
	for _, dir := range slices.Backward(s.made) {
		_ = os.Remove(dir) // one that is not empty stays
	}
}
