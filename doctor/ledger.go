package doctor

import (
	"errors"
	"io/fs"

	"wsi/harnesses"
	"wsi/installer"
	"wsi/installer/ledger"
)

// ownLedger: with a record that cannot be used neither setup nor remove does anything, whatever another check says.
func ownLedger(o Options) outcome {
	if o.StateDir == "" || o.unusable() {
		return skipped("there is no folder for it")
	}
	err := o.ledgerErr()
	var refused installer.Refusal
	switch {
	case err == nil:
		return good("setup and remove can use it")
	case !errors.As(err, &refused):
		return broken("", "%v", err)
	case errors.Is(err, ledger.ErrDamaged):
		return broken(o.moveAway(refused.Path), "%v; without it wsi remove takes wsi's entries out all the same, and wsi setup begins a new one", err)
	case errors.Is(err, ledger.ErrNewer):
		return broken("install that wsi again, and use it", "%v", err)
	case errors.Is(err, fs.ErrPermission):
		return broken(o.regain(refused.Path), "%v", err)
	default:
		return broken(o.moveAway(refused.Path), "%v", err)
	}
}

// ledgerErr is why setup cannot use its record.
func (o Options) ledgerErr() error {
	if o.StateDir == "" {
		return nil
	}
	return installer.CheckLedger(installer.Disk{}, o.StateDir)
}

// moveAway is a command to paste.
func (o Options) moveAway(path string) string {
	mv := "mv "
	if o.Env.GOOS == "windows" {
		mv = "move "
	}
	return mv + harnesses.Quote(o.Env.GOOS, path) + " " + harnesses.Quote(o.Env.GOOS, path+".away")
}
