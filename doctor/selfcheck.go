package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"wsi/doctor/rehearse"
	"wsi/doctor/report"
	"wsi/harnesses/setup"
	"wsi/hook/journal"
	"wsi/hook/rules"
	"wsi/hook/vault"
	"wsi/installer/files"
	"wsi/installer/ledger"
	"wsi/installer/refusal"
	"wsi/internal/lists"
	"wsi/internal/owner"
	"wsi/internal/phrase"
	"wsi/internal/state"
)

func ownBinary(o Options) outcome {
	if o.Binary == "" {
		return note("wsi does not know where it is installed")
	}
	return good("%s %s", o.Binary, o.Version)
}

func ownState(o Options) outcome {
	if o.StateDir == "" {
		return broken("set WSI_STATE_DIR to a folder of yours", "wsi cannot store values: neither HOME nor WSI_STATE_DIR is set")
	}
	info, err := os.Stat(o.StateDir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := o.roomIn(o.StateDir); err != nil {
			return o.unkept(err)
		}
		return note("nothing is stored yet; it will be in %s", o.StateDir)
	case err != nil:
		return broken(o.regain(o.StateDir), "%v", err)
	case !info.IsDir():
		return broken(o.moveAway(o.StateDir), "%s is not a folder", o.StateDir)
	}
	if err := writable(o.StateDir); err != nil {
		return broken(o.regain(o.StateDir), "wsi cannot write to %s: %v", o.StateDir, err)
	}
	if err := o.roomIn(o.StateDir); err != nil {
		return o.unkept(err)
	}
	if loose(o, info) {
		return attention(o.chmod("700", o.StateDir), "other users may read %s", o.StateDir)
	}
	return good("%s", o.StateDir)
}

// roomIn returns an error if a folder has no room. The folder need not exist yet.
func (o Options) roomIn(dir string) error {
	if o.Room != nil {
		return o.Room(dir)
	}
	for {
		_, err := os.Stat(dir)
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	if err := writable(dir); err != nil {
		return err
	}
	return room(dir)
}

// unkept returns the outcome for a folder without room, or one that this user may not create. The hook itself cannot report it.
func (o Options) unkept(err error) outcome {
	fix := phrase.Fix{Text: "free space on the disk of " + o.StateDir}
	if closed, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrPermission) {
		fix.Text = "set WSI_STATE_DIR to a folder of yours" // the folder above can be one that every user needs
		if info, err := os.Stat(closed.Path); err == nil && owner.Own(info) {
			fix = o.chmod("u+w", closed.Path)
		}
	}
	return broken(fix, "wsi cannot write to %s: %v", o.StateDir, err)
}

// unusable reports whether wsi.state fails.
func (o Options) unusable() bool {
	info, err := os.Stat(o.StateDir)
	return o.StateDir != "" && !errors.Is(err, fs.ErrNotExist) && (err != nil || !info.IsDir())
}

// loose reports whether other users have access. On Windows it is false, since the mode does not say.
func loose(o Options, info fs.FileInfo) bool {
	return o.Env.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}

// ownVault checks the files that hold values. It does not read them.
func ownVault(o Options) outcome {
	dir := filepath.Join(o.StateDir, state.Vault)
	var sessions, corrupt int
	var open []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a hook has just removed it
		}
		if err != nil {
			return err
		}
		if loose(o, info) {
			open = append(open, path)
		}
		switch {
		case d.IsDir():
			err = writable(path)
		case strings.HasSuffix(path, ".json"):
			sessions++
		case strings.HasSuffix(path, ".corrupt"):
			corrupt++
		}
		return err
	})
	current := vault.CurrentIn(o.Env.Home).Path
	if info, err := os.Stat(current); err == nil && loose(o, info) {
		open = append(open, current)
	}
	info, e := os.Stat(dir)
	switch {
	case o.unusable():
		return skipped("it has no folder")
	case e == nil && !info.IsDir():
		return broken(o.moveAway(dir), "%s is not a folder", dir)
	case len(open) > 0:
		return attention(o.chmod("go=", open[0]), "other users may read values: %s", open[0])
	case o.StateDir == "" || errors.Is(err, fs.ErrNotExist):
		return note("the vault is empty")
	case err != nil:
		return broken(o.regain(dir), "the vault cannot be used: %v", err)
	case corrupt > 0:
		return attention("delete the files that end in .corrupt in "+dir, "%d of %s could not be read and were renamed", corrupt, phrase.Count(sessions+corrupt, "session"))
	}
	return good("the values of %s", phrase.Count(sessions, "session"))
}

// ownJournal checks the journal. Hooks work without it, so only the doctor can report it.
func ownJournal(o Options) outcome {
	j := journal.In(o.StateDir)
	info, err := os.Stat(j.Path)
	switch {
	case o.unusable():
		return skipped("it has no folder")
	case o.StateDir == "" || errors.Is(err, fs.ErrNotExist):
		return note("the journal is empty")
	case err == nil && !info.Mode().IsRegular():
		err = o.journalErr
	}
	if err == nil {
		err = writable(j.Path)
	}
	if err != nil {
		return broken(o.usable(j.Path), "the journal cannot be written: %v", err)
	}
	if o.journalErr != nil {
		return broken(o.usable(j.Path), "%v", o.journalErr)
	}
	if loose(o, info) {
		return attention(o.chmod("600", j.Path), "other users may read %s", j.Path)
	}
	return good("%s in %d KB", phrase.Count(len(o.journal), "run"), (info.Size()+1023)/1024)
}

// ownRules checks the user's rule file. Hooks use the built-in rules if it is invalid, so only the doctor can report it.
func ownRules(o Options) outcome {
	file := rules.UserFile(o.Env.Getenv, o.Env.Home)
	set, err := rules.Load(file)
	var errs rules.Errors
	switch {
	case errors.As(err, &errs):
		return broken("correct it; wsi rules check lists all errors", "your rules are not in force: %v", errs[0])
	case err != nil:
		return broken(o.usable(file), "your rules are not in force: %v", err)
	}
	own := len(lists.Filter(set.Rules, func(r rules.Rule) bool { return r.Origin.File != "" }))
	if own == 0 {
		return good("the built-in rules")
	}
	return good("the built-in rules and %d of yours in %s", own, file)
}

// readJournal reads the journal. It rejects pipes, which could block it.
func readJournal(dir string) ([]journal.Entry, error) {
	j := journal.In(dir)
	if info, err := os.Stat(j.Path); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New(j.Path + " is not a regular file")
	}
	return j.Entries()
}

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

func (o Options) findWiring(ctx context.Context) (all wiring) {
	for _, h := range o.Harnesses {
		all.look(ctx, o, h)
	}
	return all
}

// look examines one harness. It ignores a panic: examine reports it later.
func (w *wiring) look(ctx context.Context, o Options, h setup.Harness) {
	defer func() { _ = recover() }()
	p := newTarget(ctx, o, h, rehearse.Sandbox{})
	if p.wired() {
		w.wired = append(w.wired, h.Name)
	}
	if p.hasServer() {
		w.serving, w.setups = append(w.serving, h.Name), append(w.setups, p.setup)
	}
}

// neverSetUp reports whether wsi was never set up on this machine. That is one finding, instead of one for each
// harness, unless the user names harnesses or does not select that check.
func (o Options) neverSetUp() bool {
	_, err := files.Disk{}.Lstat(ledger.Path(o.StateDir))
	return !o.Named && o.wants("", report.WsiSetup) && len(o.wiring.wired) == 0 && len(o.wiring.serving) > 0 && err != nil
}

func ownSetup(o Options) outcome {
	switch {
	case o.neverSetUp():
		fix := repair{phrase.Fix{Command: report.SetupCommand}, report.Setup{Repairs: true}}
		for _, of := range o.wiring.setups {
			if first := of(); !first.setup.Repairs {
				fix = first
				break
			}
		}
		return broken(fix, "wsi is not set up, but these have a server for it: %s", strings.Join(o.wiring.serving, ", "))
	case len(o.wiring.wired) > 0:
		return good("with %s", strings.Join(o.wiring.wired, ", "))
	}
	return skipped("with none of the examined harnesses")
}
