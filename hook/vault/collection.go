package vault

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"wsi/internal/jsonraw"
	"wsi/internal/lists"
	"wsi/internal/plainfile"
	"wsi/internal/rename"
)

// A Collection is a file of values that a tool takes all at once, in the order of the results. Its first line says whose
// they are. Each other line is an array of a value and when its result came: a hook can find a result late.
type Collection struct {
	Server string // as the rules name its owner
	Rule   string
	Key    string // what the server calls what the values belong to, "" if they are of one session
	Owner  string // the key of the session, and the agent, that alone take them; "" if all of the user's sessions do
}

// maxCollection bounds the size of a collection in bytes. It then loses its oldest quarter or more.
const maxCollection = 4 << 20

// Collections is the folder in a vault that has the collections, in files with the extension .jsonl.
const Collections = "collected"

func (v Vault) collection(c Collection) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{c.Server, c.Rule, c.Key, c.Owner}, "\x00")))
	return filepath.Join(v.Dir, Collections, hex.EncodeToString(sum[:16])+".jsonl")
}

// Kept is a value of a collection.
type Kept struct {
	Came  int64 // when its result came, in milliseconds since 1970
	Value string
}

// Add adds a value to a collection. It returns how many of the oldest values were dropped to make room.
func (v Vault) Add(c Collection, value Kept) (dropped int, err error) {
	if v.Dir == "" {
		return 0, errNowhere
	}
	path := v.collection(c)
	unlock, err := v.lock(filepath.Dir(path))
	if err != nil {
		return 0, err
	}
	defer unlock()
	f, err := plainfile.Open(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return 0, fmt.Errorf("save values: %w", err)
	}
	defer f.Close() //nolint:errcheck // what was written is checked below
	info, err := f.Stat()
	if err != nil {
		return 0, fmt.Errorf("save values: %w", err)
	}
	lines := []byte{'\n'} // after a line that was cut by a full disk
	if info.Size() == 0 {
		lines = c.heading()
		PruneFolder(filepath.Dir(path), unused, pruneMax)
	}
	lines = append(lines, value.line()...)
	if info.Size()+int64(len(lines)) > maxCollection {
		_ = f.Close() // nothing was written; Windows before 10 does not rename over an open file
		return v.makeRoom(c, path, value)
	}
	if _, err := f.Write(lines); err != nil {
		return 0, fmt.Errorf("save values: %w", err)
	}
	return 0, nil
}

func (c Collection) heading() []byte {
	return fmt.Appendf(nil, `{"server":%s,"rule":%s,"key":%s,"owner":%s}`+"\n", jsonraw.Quote(c.Server), jsonraw.Quote(c.Rule), jsonraw.Quote(c.Key), jsonraw.Quote(c.Owner))
}

func (k Kept) line() []byte { return fmt.Appendf(nil, "[%d,%s]\n", k.Came, jsonraw.Quote(k.Value)) }

// makeRoom writes a collection again with a new value and without its oldest ones. The lock must be held.
func (v Vault) makeRoom(c Collection, path string, value Kept) (dropped int, err error) {
	all, err := v.kept(c)
	if err != nil {
		return 0, err
	}
	all = inOrder(append(all, value))
	dropped = len(all)
	for size := 0; dropped > 0; dropped-- {
		if size += len(all[dropped-1].line()); size > maxCollection*3/4 {
			break
		}
	}
	raw := c.heading()
	for _, k := range all[dropped:] {
		raw = append(raw, k.line()...)
	}
	if err := rename.Write(path, raw); err != nil {
		return 0, fmt.Errorf("save values: %w", err)
	}
	return dropped, nil
}

// Collected returns the values of a collection in order, each once.
func (v Vault) Collected(c Collection) ([]string, error) {
	all, err := v.kept(c)
	return lists.Map(all, func(k Kept) string { return k.Value }), err
}

// kept is as Collected. A line that a crash has cut is skipped.
func (v Vault) kept(c Collection) (all []Kept, err error) {
	if v.Dir == "" {
		return nil, errNowhere
	}
	raw, err := plainfile.Read(v.collection(c))
	if err != nil {
		return nil, fmt.Errorf("read values: %w", err)
	}
	for line := range bytes.Lines(raw) {
		elements, err := jsonraw.Array(bytes.TrimSpace(line))
		if err != nil || len(elements) != 2 {
			continue
		}
		came, err := strconv.ParseInt(string(elements[0]), 10, 64)
		if value, ok := jsonraw.Unquote(elements[1]); ok && err == nil {
			all = append(all, Kept{came, value})
		}
	}
	return inOrder(all), nil
}

// inOrder sorts values by when their results came, and leaves out what is there twice.
func inOrder(all []Kept) (unique []Kept) {
	slices.SortStableFunc(all, func(a, b Kept) int { return cmp.Compare(a.Came, b.Came) })
	known := map[string]bool{}
	for _, k := range all {
		if !known[k.Value] {
			known[k.Value], unique = true, append(unique, k)
		}
	}
	return unique
}
