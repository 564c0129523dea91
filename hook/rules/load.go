package rules

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"wsi/internal/lists"
	"wsi/internal/plainfile"
)

// FileName is the name of the user's rule file in the configuration folder.
const FileName = "rules.toml"

// UserFile returns the path of the user's rule file, in $XDG_CONFIG_HOME/wsi or else ~/.config/wsi; "" without
// a home. It ignores a relative XDG_CONFIG_HOME, as the XDG base directory specification demands.
func UserFile(getenv func(string) string, home string) string {
	dir := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "wsi", FileName)
}

// Load returns the rules in force: the built-in ones, and the user's file merged over them if it exists. On an
// error, which is [Errors] if the file has errors in it, it returns the built-in rules.
func Load(file string) (Set, error) {
	base := Builtin()
	if file == "" {
		return base, nil
	}
	text, err := plainfile.Regular(file, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return base, nil
	case err != nil:
		return base, fmt.Errorf("read rules: %w", err)
	}
	set, _, errs := Over(base, file, text)
	if len(errs) > 0 {
		return base, errs
	}
	return set, nil
}

// Over merges a user's file over the built-in rules. It also returns the user's rules alone.
func Over(base Set, name string, text []byte) (all, user Set, errs Errors) {
	user, errs = Parse(name, text)
	if len(errs) == 0 {
		all, errs = Merge(base, user)
	}
	return all, user, errs
}

// Merge merges a user's rules over the built-in ones. A rule of the same name replaces the built-in one in
// its place, and others follow; tools that either set leaves alone are left alone. It changes neither set. The
// errors are about rules that only switch a rule on or off which does not exist, or that show what another rule takes.
func Merge(builtin, user Set) (Set, Errors) {
	var out Set
	out.Leave = append(append(out.Leave, builtin.Leave...), user.Leave...)
	out.Rules = append(out.Rules, builtin.Rules...)
	var errs Errors
	for _, r := range user.Rules {
		switch i := slices.IndexFunc(out.Rules, func(o Rule) bool { return o.Name == r.Name }); {
		case i >= 0 && r.bare():
			out.Rules[i].Off, out.Rules[i].Origin = r.Off, r.Origin
		case i >= 0:
			out.Rules[i] = r
		case r.bare():
			errs = append(errs, &Error{
				File: r.Origin.File, Path: r.place(),
				What: "there is no built-in rule of this name to switch on or off", Write: `a name that "wsi rules list" shows`,
			})
		default:
			out.Rules = append(out.Rules, r)
		}
	}
	for i := range out.Rules {
		errs = append(errs, out.exposedBy(&out.Rules[i])...)
	}
	return out, errs
}

// exposedBy returns the errors about what a rule shows the model although another one for its servers takes it.
func (s *Set) exposedBy(r *Rule) (errs Errors) {
	if r.Off || len(r.Show) == 0 {
		return nil
	}
	for _, server := range r.Servers {
		others, _ := s.of(server)
		for i := range others {
			for _, shown := range exposed(r.Show, &others[i]) {
				errs = append(errs, &Error{
					File: r.Origin.File, Path: r.place() + ": show",
					What: fmt.Sprintf("the model must not read %s, because the rule %q captures or collects it", shown, others[i].Name), Write: otherMembers,
				})
			}
		}
	}
	return errs
}

// bare reports whether a rule only switches the rule of its name on or off.
func (r *Rule) bare() bool { return len(r.Servers) == 0 }

// place returns the path of a rule in its file.
func (r *Rule) place() string {
	if r.Origin.File == "" {
		return fmt.Sprintf("built-in rule %q", r.Name)
	}
	return item("carry", r.Origin.Number-1, r.Name)
}

// Error is an error at one place of a rule file.
type Error struct {
	File         string
	Line, Column int    // from 1, of what the decoder refuses, otherwise 0
	Path         string // of what is wrong, such as: rule 2 ("memory"): inject[0].argument
	What         string // what is wrong
	Write        string // what to write instead
}

func (e *Error) Error() string {
	s := e.Path + ": " + e.What
	switch {
	case e.Line > 0:
		s = fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.What)
	case e.File != "": // a built-in rule has none
		s = e.File + ": " + strings.TrimPrefix(s, ": ")
	}
	if e.Write != "" {
		s += "; write " + e.Write
	}
	return s
}

// Errors holds the errors of a rule file. No element is nil.
type Errors []*Error

func (e Errors) Error() string {
	return strings.Join(lists.Map(e, (*Error).Error), "\n")
}

// item returns the path of an element of a list. People count rules from 1, and know them by their names.
func item(list string, i int, name string) string {
	switch {
	case list != "carry":
		return fmt.Sprintf("%s[%d]", list, i)
	case name == "":
		return fmt.Sprintf("rule %d", i+1)
	}
	return fmt.Sprintf("rule %d (%q)", i+1, name)
}

// member returns the path of a member of a table.
func member(table, key string) string {
	switch {
	case table == "":
		return key
	case strings.HasPrefix(table, "rule ") && !strings.Contains(table, ": "):
		return table + ": " + key
	}
	return table + "." + key
}
