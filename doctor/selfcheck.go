package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"wsi/doctor/report"
	"wsi/harnesses"
	wsihook "wsi/hook"
	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/hook/vault"
	"wsi/installer"
	"wsi/internal/state"
)

func ownBinary(o Options) outcome {
	if o.Binary == "" {
		return note("where this wsi is installed is not known")
	}
	return good("%s %s", o.Binary, o.Version)
}

// ownPath: the hooks are registered by their whole path, but a person types wsi.
func ownPath(o Options) outcome {
	path, err := o.Env.LookPath("wsi")
	switch {
	case err != nil:
		return note("wsi is not on the PATH; the hooks do without")
	case o.Binary == "" || installer.Same(o.Env, path, o.Binary):
		return good("%s", path)
	}
	if sameProgram(path, o.Binary) {
		return good("%s, a copy of this one", path)
	}
	return attention("put the folder of the one that you mean first on the PATH", "the wsi on the PATH is %s, this one is %s", path, o.Binary)
}

// ownState looks at the folder that holds all that wsi keeps.
func ownState(o Options) outcome {
	if o.StateDir == "" {
		return broken("set WSI_STATE_DIR to a folder of yours", "there is no place to keep values: neither HOME nor WSI_STATE_DIR is set")
	}
	info, err := os.Stat(o.StateDir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := o.roomIn(o.StateDir); err != nil {
			return o.unkept(err)
		}
		return note("nothing is kept yet; it will be in %s", o.StateDir)
	case err != nil:
		return broken(o.regain(o.StateDir), "%v", err)
	case !info.IsDir():
		return broken(o.moveAway(o.StateDir), "%s is no folder", o.StateDir)
	}
	if err := writable(o.StateDir); err != nil {
		return broken(o.regain(o.StateDir), "nothing can be kept in %s: %v", o.StateDir, err)
	}
	if err := o.roomIn(o.StateDir); err != nil {
		return o.unkept(err)
	}
	if loose(o, info) {
		return attention(o.chmod("700", o.StateDir), "others may look into %s", o.StateDir)
	}
	return good("%s", o.StateDir)
}

// unkept says why nothing can be kept. The hook does not: there is nowhere to say it.
func (o Options) unkept(err error) outcome {
	return broken("delete what is not needed on the disk that "+o.StateDir+" is on", "nothing can be kept in %s: %v", o.StateDir, err)
}

// unusable: what wsi.state is about.
func (o Options) unusable() bool {
	info, err := os.Stat(o.StateDir)
	return o.StateDir != "" && !errors.Is(err, fs.ErrNotExist) && (err != nil || !info.IsDir())
}

// chmod is a command to paste.
func (o Options) chmod(mode, path string) string {
	return "chmod " + mode + " " + harnesses.Quote(o.Env.GOOS, path)
}

// loose tells whether others than the owner have access. Windows keeps that elsewhere.
func loose(o Options, info fs.FileInfo) bool {
	return o.Env.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}

// ownVault looks at every file that holds values, but into none.
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
			return nil // a hook at work
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
		return skipped("there is no folder for it")
	case e == nil && !info.IsDir():
		return broken(o.moveAway(dir), "%s is no folder", dir)
	case len(open) > 0:
		return attention(o.chmod("go=", open[0]), "others may read values: %s", open[0])
	case o.StateDir == "" || errors.Is(err, fs.ErrNotExist):
		return note("the vault is empty")
	case err != nil:
		return broken(o.regain(dir), "the vault cannot be used: %v", err)
	case corrupt > 0:
		return attention("delete the files that end in .corrupt in "+dir, "%d of %s could not be read and were set aside", corrupt, report.Count(sessions+corrupt, "session"))
	}
	return good("the values of %s", report.Count(sessions, "session"))
}

// ownJournal: the hook goes on without a journal, so that only the doctor can tell.
func ownJournal(o Options) outcome {
	j := wsihook.JournalIn(o.StateDir)
	info, err := os.Stat(j.Path)
	switch {
	case o.unusable():
		return skipped("there is no folder for it")
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
		return attention(o.chmod("600", j.Path), "others may read %s", j.Path)
	}
	return good("%s in %d KB%s", report.Count(len(o.journal), "run"), (info.Size()+1023)/1024, o.helped())
}

// helped tells what the hook made of values that a model typed.
func (o Options) helped() string {
	repaired, denied := 0, 0
	for i := range o.journal {
		switch o.journal[i].Did {
		case string(carry.Repaired):
			repaired++
		case string(carry.Denied):
			denied++
		}
	}
	words := ""
	if repaired > 0 {
		words += fmt.Sprintf(", %s repaired", report.Count(repaired, "mistyped value"))
	}
	if denied > 0 {
		words += fmt.Sprintf(", %s held back", report.Count(denied, "call"))
	}
	return words
}

// ownRules: the hook goes on with the built-in rules if the user's own are wrong, so that only the
// doctor can tell.
func ownRules(o Options) outcome {
	file := rules.UserFile(o.Env.Getenv, o.Env.Home)
	set, err := rules.Load(file)
	var errs rules.Errors
	switch {
	case errors.As(err, &errs):
		return broken("mend it: wsi rules check tells all that is wrong", "none of your rules is in force: %v", errs[0])
	case err != nil:
		return broken(o.usable(file), "none of your rules is in force: %v", err)
	case set.Single:
		return attention(`take the line keying = "single" out of `+file, "one value is kept for all sessions, so that a call may get another session's")
	}
	own := 0
	for i := range set.Rules {
		if set.Rules[i].Origin.File != "" {
			own++
		}
	}
	if own == 0 {
		return good("the built-in rules")
	}
	return good("the built-in rules and %d of yours in %s", own, file)
}

// readJournal does not wait for what a pipe may never say.
func readJournal(dir string) ([]wsihook.Entry, error) {
	j := wsihook.JournalIn(dir)
	if info, err := os.Stat(j.Path); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New(j.Path + " is no regular file")
	}
	return j.Entries()
}
