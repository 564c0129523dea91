package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wsi/doctor/report"
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

func ownBinary(p *target) report.Finding {
	if p.Binary == "" {
		return note("wsi does not know where it is installed")
	}
	return good("%s %s", p.Binary, p.Version)
}

func ownState(p *target) report.Finding {
	if p.StateDir == "" {
		return broken("set WSI_STATE_DIR to a folder of yours", "wsi cannot store values: neither HOME nor WSI_STATE_DIR is set")
	}
	info, err := os.Stat(p.StateDir)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case missing:
	case err != nil:
		return broken(p.regain(p.StateDir), "%v", err)
	case !info.IsDir():
		return broken(p.moveAway(p.StateDir), "%s is not a folder", p.StateDir)
	default:
		if err := writable(p.StateDir); err != nil {
			return broken(p.regain(p.StateDir), "wsi cannot write to %s: %v", p.StateDir, err)
		}
	}
	if err := p.roomIn(p.StateDir); err != nil {
		return p.unkept(err)
	}
	switch {
	case missing:
		return note("nothing is stored yet; it will be in %s", p.StateDir)
	case p.loose(info):
		return attention(p.chmod("700", p.StateDir), "other users may read %s", p.StateDir)
	}
	return good("%s", p.StateDir)
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

// unkept returns the finding for a folder without room, or one that this user may not create. The hook itself cannot report it.
func (o Options) unkept(err error) report.Finding {
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
func (o Options) loose(info fs.FileInfo) bool {
	return o.Env.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}

// ownVault checks the files that hold values. It does not read them.
func ownVault(p *target) report.Finding {
	dir := filepath.Join(p.StateDir, state.Vault)
	var sessions, corrupt int
	var open []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // a hook has just removed it
		case err != nil:
			return err
		case p.loose(info):
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
	current := vault.CurrentIn(p.Env.Home).Path
	if info, err := os.Stat(current); err == nil && p.loose(info) {
		open = append(open, current)
	}
	info, e := os.Stat(dir)
	switch {
	case p.unusable():
		return skipped("it has no folder")
	case e == nil && !info.IsDir():
		return broken(p.moveAway(dir), "%s is not a folder", dir)
	case len(open) > 0:
		return attention(p.chmod("go=", open[0]), "other users may read values: %s", open[0])
	case p.StateDir == "" || errors.Is(err, fs.ErrNotExist):
		return note("the vault is empty")
	case err != nil:
		return broken(p.regain(dir), "the vault cannot be used: %v", err)
	case corrupt > 0:
		return attention("delete the files that end in .corrupt in "+dir, "%d of %s could not be read and were renamed", corrupt, phrase.Count(sessions+corrupt, "session"))
	}
	return good("the values of %s", phrase.Count(sessions, "session"))
}

// ownJournal checks the journal. Hooks work without it, so only the doctor can report it.
func ownJournal(p *target) report.Finding {
	path := journal.In(p.StateDir).Path
	info, err := os.Stat(path)
	switch {
	case p.unusable():
		return skipped("it has no folder")
	case p.StateDir == "" || errors.Is(err, fs.ErrNotExist):
		return note("the journal is empty")
	case err == nil && !info.Mode().IsRegular():
		err = p.journalErr
	case err == nil:
		err = writable(path)
	}
	switch {
	case err != nil:
		return broken(p.usable(path), "the journal cannot be written: %v", err)
	case p.journalErr != nil:
		return broken(p.usable(path), "%v", p.journalErr)
	case p.loose(info):
		return attention(p.chmod("600", path), "other users may read %s", path)
	}
	return good("%s in %d KB", phrase.Count(len(p.journal), "run"), (info.Size()+1023)/1024)
}

// ownRules checks the user's rule file. Hooks use the built-in rules if it is invalid, so only the doctor can report it.
func ownRules(p *target) report.Finding {
	set, err := rules.Load(p.rulesPath())
	var errs rules.Errors
	switch {
	case errors.As(err, &errs):
		return broken("correct it; wsi rules check lists all errors", "your rules are not in force: %v", errs[0])
	case err != nil:
		return broken(p.usable(p.rulesPath()), "your rules are not in force: %v", err)
	}
	own := len(lists.Filter(set.Rules, func(r rules.Rule) bool { return r.Origin.File != "" }))
	if own == 0 {
		return good("the built-in rules")
	}
	return good("the built-in rules and %d of yours in %s", own, p.rulesPath())
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
func ownLedger(p *target) report.Finding {
	if p.StateDir == "" || p.unusable() {
		return skipped("it has no folder")
	}
	err := p.ledgerErr()
	var refused refusal.Error
	switch {
	case err == nil:
		return good("setup and remove can use it")
	case !errors.As(err, &refused):
		return broken("", "%v", err)
	case errors.Is(err, ledger.ErrDamaged):
		return broken(p.moveAway(refused.Path), "%v; without it, wsi remove still removes wsi's entries, and wsi setup starts a new one", err)
	case errors.Is(err, ledger.ErrNewer):
		return broken("install and use the newer wsi again", "%v", err)
	case errors.Is(err, fs.ErrPermission):
		return broken(p.regain(refused.Path), "%v", err)
	default:
		return broken(p.moveAway(refused.Path), "%v", err)
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

// neverSetUp reports whether wsi was never set up on this machine. That is one finding, instead of one for each
// harness, unless the user names harnesses or does not select that check.
func (o Options) neverSetUp() bool {
	_, err := files.Disk{}.Lstat(ledger.Path(o.StateDir))
	return !o.Named && o.wants("", report.WsiSetup) && err != nil &&
		!slices.ContainsFunc(o.targets, (*target).wired) && slices.ContainsFunc(o.targets, (*target).hasServer)
}

func ownSetup(p *target) report.Finding {
	names := func(has func(*target) bool) string {
		return strings.Join(lists.Map(lists.Filter(p.targets, has), func(t *target) string { return t.harness.Name }), ", ")
	}
	if wired := names((*target).wired); wired != "" {
		return good("set up in %s", wired)
	} else if !p.neverSetUp() {
		return skipped("set up in none of the examined harnesses")
	}
	fix := repair{phrase.Fix{Command: report.SetupCommand}, report.Setup{Repairs: true}}
	for _, t := range lists.Filter(p.targets, (*target).hasServer) {
		if first := t.setup(); !first.setup.Repairs {
			fix = first
			break
		}
	}
	return broken(fix, "wsi is not set up, but these have a server for it: %s", names((*target).hasServer))
}
