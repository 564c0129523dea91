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
func Load(file string) (Set, error) { return load(file, "", nil) }

// LoadFor is Load for some servers only, and fast: it parses each version of the file once, and keeps the
// rules about these servers compiled at cache. It ignores errors of the cache.
func LoadFor(servers []string, file, cache string) (Set, error) { return load(file, cache, servers) }

func load(file, cache string, servers []string) (Set, error) {
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
		return base, fmt.Errorf("read rules: %s is not a regular file; move it away, or replace it by one", file)
	}
	// It does not change if the file is overwritten with the same size within one tick of the file system's clock.
	mark := fmt.Appendf(nil, "%d %d %q %q\n", info.Size(), info.ModTime().UnixNano(), file, servers)
	kept, _ := plainfile.Read(cache) // nothing without a cache
	if compiled, ok := bytes.CutPrefix(kept, mark); ok {
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
	if err := errs.Err(); err != nil {
		return base, err
	}
	if cache == "" {
		return set, nil
	}
	user = user.about(servers, base)
	set, _ = Merge(base, user) // without an error, like all of them
	again, err := os.Stat(file)
	if err == nil && again.Size() == info.Size() && again.ModTime().Equal(info.ModTime()) && os.MkdirAll(filepath.Dir(cache), 0o700) == nil {
		_ = atomicfile.Write(cache, append(mark, Encode(user)...), 0o600) // it is parsed again next time
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
