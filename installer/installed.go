package installer

import (
	"errors"

	"wsi/installer/ledger"
)

// Installed returns the paths at which setup installed wsi itself, if the file is unchanged since.
func Installed(fsys FS, stateDir string) (paths []string) {
	l, err := readLedger(fsys, stateDir)
	if err != nil {
		return nil // without a record, setup installed nothing
	}
	for _, r := range l.Files {
		if r.Format != ledger.Program {
			continue
		}
		if now, err := contentOf(fsys, r.Path); err == nil && now != nil && ledger.Sum(now) == r.After {
			paths = append(paths, r.Path)
		}
	}
	return paths
}

func readLedger(fsys FS, stateDir string) (ledger.Ledger, error) {
	l, err := ledger.Read(fsys.ReadFile, stateDir)
	var e ledger.Error
	if errors.As(err, &e) {
		return l, Refusal{Path: e.Path, Err: e.Err, Hint: e.Hint}
	}
	return l, err
}

// CheckLedger returns nil if the ledger can be used or does not exist. Else neither setup nor remove can work, and it
// returns a Refusal that wraps ledger.ErrUnusable.
func CheckLedger(fsys FS, stateDir string) error {
	_, err := readLedger(fsys, stateDir)
	return err
}

// HasLedger reports whether the state folder has a ledger.
func HasLedger(fsys FS, stateDir string) bool {
	_, err := fsys.Lstat(ledger.Path(stateDir))
	return err == nil
}
