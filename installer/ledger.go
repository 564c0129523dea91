package installer

import (
	"fmt"

	"wsi/installer/files"
	"wsi/installer/ledger"
	"wsi/installer/refusal"
)

// Installed returns the paths at which setup installed wsi itself, if the file is unchanged since.
func Installed(fsys files.FS, stateDir string) (paths []string) {
	l, err := ledger.Read(fsys.ReadFile, stateDir)
	if err != nil {
		return nil // without a record, setup installed nothing
	}
	for _, r := range l.Files {
		if r.Format != ledger.Program {
			continue
		}
		if now, err := files.Content(fsys, r.Path); err == nil && now != nil && ledger.Sum(now) == r.After {
			paths = append(paths, r.Path)
		}
	}
	return paths
}

// unusable returns the refusal for a state folder that cannot be written.
func unusable(stateDir string, err error) error {
	return refusal.Error{
		Path: stateDir, Err: fmt.Errorf("wsi cannot keep the record of its changes there: %w", err),
		Hint: "make yourself the owner of the folder, or set WSI_STATE_DIR to a folder of yours",
	}
}
