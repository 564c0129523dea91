package installer

// Installed returns the paths at which setup installed wsi itself, if the file is unchanged since.
func Installed(fsys FS, stateDir string) (paths []string) {
	l, err := readLedger(fsys, stateDir)
	if err != nil {
		return nil // without a record, setup installed nothing
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

// CheckLedger returns nil if the ledger can be used or does not exist. Else neither setup nor remove can work, and it
// returns a Refusal that wraps ErrLedger.
func CheckLedger(fsys FS, stateDir string) error {
	_, err := readLedger(fsys, stateDir)
	return err
}

// HasLedger reports whether the state folder has a ledger.
func HasLedger(fsys FS, stateDir string) bool {
	_, err := fsys.Lstat(ledgerPath(stateDir))
	return err == nil
}
