package doctor

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/internal/owner"
)

// Fixable tells whether setup mends what was found: then its plan and its review are the way.
func (f Finding) Fixable() bool {
	return (f.Status == Warn || f.Status == Fail) && strings.HasPrefix(f.Fix, setupCommand)
}

// FixScope is the scope that setup would mend for some harnesses: the project's if every fix of theirs is for it.
func (r Report) FixScope(ids ...string) harnesses.Scope {
	scope := harnesses.Scope("")
	for _, g := range r.Groups {
		for _, f := range g.Findings {
			if !slices.Contains(ids, g.ID) || !f.Fixable() {
				continue
			}
			if !strings.Contains(f.Fix, " --scope "+string(harnesses.Project)) {
				return harnesses.User
			}
			scope = harnesses.Project
		}
	}
	return cmp.Or(scope, harnesses.User)
}

// Unset reports whether all that is to be done is a first setup.
func (r Report) Unset() bool {
	return slices.ContainsFunc(r.Own, Finding.Fixable)
}

// setupCommand begins every fix that is a call of setup's.
const setupCommand = "wsi setup"

// Fixable returns the ids of the harnesses that setup would mend.
func (r Report) Fixable() []string {
	var ids []string
	for _, g := range r.Groups {
		if slices.ContainsFunc(g.Findings, Finding.Fixable) {
			ids = append(ids, g.ID)
		}
	}
	return ids
}

// usable is a command after which this user can read and write a file: what is no file goes away.
func (o Options) usable(path string) string {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return o.moveAway(path)
	}
	return o.regain(path)
}

// regain is a command to paste after which this user may read and write a file, or a folder and all in it: whose it
// is decides. What cannot be looked at lies in a folder for which that holds.
func (o Options) regain(path string) string {
	for {
		info, err := os.Stat(path)
		if err == nil {
			target := harnesses.Quote(o.Env.GOOS, path)
			if !owner.Own(info) {
				return "sudo chown -R " + harnesses.Quote(o.Env.GOOS, userName()) + " " + target
			}
			return "chmod -R u+rwX " + target
		}
		if !errors.Is(err, fs.ErrPermission) || path == filepath.Dir(path) {
			return ""
		}
		path = filepath.Dir(path)
	}
}
