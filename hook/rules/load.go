package rules

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"wsi/hook/carry"
	"wsi/internal/atomicfile"
	"wsi/internal/jsonform"
	"wsi/internal/jsonraw"
	"wsi/internal/plainfile"
	"wsi/internal/state"
)

// FileName is the name of the user's rule file in the configuration folder.
const FileName = "rules.toml"

// CacheName returns the path, below the state folder, of the rule file's compiled form for some servers.
func CacheName(servers []string) string {
	h := fnv.New32a()
	for _, server := range servers {
		_, _ = h.Write([]byte(server + "\x00")) // never fails
	}
	return filepath.Join(state.Rules, strconv.FormatUint(uint64(h.Sum32()), 16)+".compiled")
}

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
func Load(file string) (Set, error) { return LoadFor(nil, file, "") }

// LoadFor is Load for some servers only, and fast: it parses each version of the file once, and keeps the
// rules about these servers compiled at cache, or that the file has errors. It then returns [ErrRefused] for the same version. It
// ignores errors of the cache.
func LoadFor(servers []string, file, cache string) (Set, error) {
	base := Builtin()
	if file == "" {
		return base, nil
	}
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return base, nil
	case err != nil:
		return base, fmt.Errorf("read rules: %w", err)
	case !info.Mode().IsRegular():
		return base, fmt.Errorf("read rules: %s is not a regular file; move it away, or replace it with one", file)
	}
	// It does not change if the file is overwritten with the same size within one tick of the file system's clock.
	mark := fmt.Appendf(nil, "%d %d %q %q\n", info.Size(), info.ModTime().UnixNano(), file, servers)
	kept, _ := plainfile.Read(cache) // nothing without a cache
	if compiled, ok := bytes.CutPrefix(kept, mark); ok {
		if string(compiled) == refused {
			return base, ErrRefused
		}
		if user, err := Decode(compiled); err == nil {
			set, errs := Merge(base, user)
			return set, errs.Err()
		}
	}
	text, err := plainfile.Regular(file, maxFile)
	if err != nil {
		return base, fmt.Errorf("read rules: %w", err)
	}
	set, user, errs := Over(base, file, text)
	compiled := []byte(refused)
	if len(errs) == 0 && cache != "" {
		user = user.about(servers, base)
		set, _ = Merge(base, user) // without an error, like all of them
		compiled = Encode(user)
	}
	again, err := os.Stat(file)
	if err == nil && cache != "" && again.Size() == info.Size() && again.ModTime().Equal(info.ModTime()) && os.MkdirAll(filepath.Dir(cache), 0o700) == nil {
		_ = atomicfile.Write(cache, append(mark, compiled...), 0o600) // it is parsed again next time
	}
	if len(errs) > 0 {
		return base, errs.Err()
	}
	return set, nil
}

// ErrRefused is returned for a file that is known to have errors.
var ErrRefused = errors.New("the rule file has errors")

// refused is what the cache has of such a file.
const refused = "refused\n"

// Over merges a user's file over the built-in rules. It also returns the user's rules alone.
func Over(base Set, name string, text []byte) (all, user Set, errs Errors) {
	user, errs = Parse(name, text)
	if len(errs) == 0 {
		all, errs = Merge(base, user)
	}
	return all, user, errs
}

// about returns the set without the rules for other servers, unless they replace a rule of base.
func (s Set) about(servers []string, base Set) Set {
	s.Rules = slices.DeleteFunc(slices.Clone(s.Rules), func(r Rule) bool {
		return !slices.ContainsFunc(base.Rules, func(b Rule) bool { return b.Name == r.Name }) &&
			!slices.ContainsFunc(r.Servers, func(name string) bool {
				return carry.Same(name, WorkflowServer) || slices.ContainsFunc(servers, func(server string) bool { return carry.Same(name, server) })
			})
	})
	return s
}

// Merge merges a user's rules over the built-in ones. A rule of the same name replaces the built-in one in
// its place, and others follow; tools that either set leaves alone are left alone. It changes neither set. The
// errors are about rules that only switch a rule on or off which does not exist, or that show what another rule takes.
func Merge(builtin, user Set) (Set, Errors) {
	if len(user.Rules)+len(user.Leave) == 0 { // the usual case, since the compiled form is about one server
		builtin.Keying = user.Keying
		return builtin, nil
	}
	out := Set{Keying: user.Keying}
	out.Leave = append(append(out.Leave, builtin.Leave...), user.Leave...)
	out.Rules = append(out.Rules, builtin.Rules...)
	at := make(map[string]int, len(out.Rules))
	for i, r := range out.Rules {
		at[r.Name] = i
	}
	var errs Errors
	for _, r := range user.Rules {
		i, replaces := at[r.Name]
		switch {
		case replaces && r.bare():
			out.Rules[i].Off, out.Rules[i].Alias, out.Rules[i].Origin = r.Off, r.Alias, r.Origin
		case replaces:
			out.Rules[i] = r
		case r.bare():
			errs = append(errs, &Error{
				File: r.Origin.File, Line: r.Origin.Line, Column: 1,
				What: fmt.Sprintf("unknown rule %q to switch on or off", r.Name), Write: `a name that "wsi rules list" shows`,
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
	if r.Off || len(r.Show.From) == 0 {
		return nil
	}
	for _, server := range r.Servers {
		others, _ := s.of(server)
		for i := range others {
			for _, shown := range exposed(r.Show, &others[i]) {
				errs = append(errs, &Error{
					File: r.Origin.File, Line: r.Origin.Line, Column: 1,
					What: fmt.Sprintf("%q shows %s, but the model must not read it: the rule %q captures or collects it", r.Name, shown, others[i].Name), Write: otherMembers,
				})
			}
		}
	}
	return errs
}

// bare reports whether a rule only switches the rule of its name, or its aliases or caller, on or off.
func (r *Rule) bare() bool { return len(r.Servers) == 0 }

// format is the number of the compiled form, which must change when the form changes.
const format = "7"

var errFormat = errors.New("not compiled rules of this wsi")

// Encode returns the compiled form, a JSON object.
func Encode(s Set) []byte { return append(jsonform.Append([]byte(`{"format":`+format), &s), "}\n"...) }

// Decode reads the compiled form.
func Decode(compiled []byte) (s Set, err error) {
	members, err := jsonraw.Object(compiled)
	if err != nil || string(members.Get("format")) != format || !jsonform.Decode(members, &s) {
		return Set{}, errFormat
	}
	return s, nil
}
