package doctor

import (
	"errors"
	"io/fs"

	"wsi/installer/files"
	"wsi/installer/ledger"
	"wsi/installer/refusal"
)

// ownLedger checks setup's ledger. Without a usable one, neither setup nor remove changes anything.
func ownLedger(o Options) outcome {
	if o.StateDir == "" || o.unusable() {
		return skipped("it has no folder")
	}
	err := o.ledgerErr()
	var refused refusal.Error
	switch {
	case err == nil:
		return good("setup and remove can use it")
	case !errors.As(err, &refused):
		return broken("", "%v", err)
	case errors.Is(err, ledger.ErrDamaged):
		return broken(o.moveAway(refused.Path), "%v; without it, wsi remove still removes wsi's entries, and wsi setup starts a new one", err)
	case errors.Is(err, ledger.ErrNewer):
		return broken("install and use the newer wsi again", "%v", err)
	case errors.Is(err, fs.ErrPermission):
		return broken(o.regain(refused.Path), "%v", err)
	default:
		return broken(o.moveAway(refused.Path), "%v", err)
	}
}

// ledgerErr returns why setup cannot use its ledger.
func (o Options) ledgerErr() error {
	if o.StateDir == "" {
		return nil
	}
	_, err := ledger.Read(files.Disk{}.ReadFile, o.StateDir)
	return err
}
