package installer

// Installed returns the paths at which setup has put wsi itself and nobody has changed it since.
func Installed(fsys FS, stateDir string) (paths []string) {
	l, err := readLedger(fsys, stateDir)
	if err != nil {
		return nil // what is not recorded was not installed
	}
	for _, r := range l.Files {
		if r.Format != program {
			continue
		}
		if now, err := contentOf(fsys, r.Path); err == nil && now != nil && sum(now) == r.After {
			paths = append(paths, r.Path)
		}
	}
	return paths
}

// CheckLedger returns why neither setup nor remove can do anything, with the record of their earlier changes as it
// is: a Refusal that wraps ErrLedger. Nil if it can be used, or there is none.
func CheckLedger(fsys FS, stateDir string) error {
	_, err := readLedger(fsys, stateDir)
	return err
}

// HasLedger reports whether setup has ever kept a record in a state folder.
func HasLedger(fsys FS, stateDir string) bool {
	_, err := fsys.Lstat(ledgerPath(stateDir))
	return err == nil
}
