package vault

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wsi/internal/jsonraw"
	"wsi/internal/lists"
	"wsi/internal/plainfile"
)

// A Collection is a file of values that a tool takes all at once, one in each line, in the order of the results. Its
// first line says whose they are.
type Collection struct {
	Server string // as the rules name its owner
	Rule   string
	Key    string // what the server calls what the values belong to, "" if they are of one session
	Owner  string // the key of the session, and the agent, that alone take them; "" if all of the user's sessions do
}

// maxCollection bounds the size of a collection in bytes. It then loses its oldest quarter or more.
const maxCollection = 4 << 20

const collections = "collected"

func (v Vault) collection(c Collection) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{c.Server, c.Rule, c.Key, c.Owner}, "\x00")))
	return filepath.Join(v.Dir, collections, hex.EncodeToString(sum[:16])+".jsonl")
}

// Add appends values to a collection. It returns how many of the oldest values were dropped to make room.
func (v Vault) Add(c Collection, values []string) (dropped int, err error) {
	if v.Dir == "" {
		return 0, errNowhere
	}
	path := v.collection(c)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return 0, fmt.Errorf("make vault: %w", err)
	}
	unlock, err := v.lock(filepath.Join(filepath.Dir(path), lockName))
	if err != nil {
		return 0, err
	}
	defer unlock()
	f, err := plainfile.Open(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return 0, fmt.Errorf("keep values: %w", err)
	}
	defer f.Close() //nolint:errcheck // what was written is checked below
	info, err := f.Stat()
	if err != nil {
		return 0, fmt.Errorf("keep values: %w", err)
	}
	lines := []byte{'\n'} // after a line that was cut by a full disk
	if info.Size() == 0 {
		lines = c.heading()
		PruneFolder(filepath.Dir(path), unused, pruneMax)
	}
	for _, value := range values {
		lines = append(append(lines, jsonraw.Quote(value)...), '\n')
	}
	if info.Size()+int64(len(lines)) > maxCollection {
		_ = f.Close() // nothing was written; Windows before 10 does not rename over an open file
		return v.makeRoom(c, path, values)
	}
	if _, err := f.Write(lines); err != nil {
		return 0, fmt.Errorf("keep values: %w", err)
	}
	return 0, nil
}

func (c Collection) heading() []byte {
	return fmt.Appendf(nil, `{"server":%s,"rule":%s,"key":%s,"owner":%s}`+"\n", jsonraw.Quote(c.Server), jsonraw.Quote(c.Rule), jsonraw.Quote(c.Key), jsonraw.Quote(c.Owner))
}

// makeRoom writes a collection again with new values and without its oldest ones. The lock must be held.
func (v Vault) makeRoom(c Collection, path string, values []string) (dropped int, err error) {
	all, err := v.Collected(c)
	if err != nil {
		return 0, err
	}
	all = append(all, values...)
	size, from := 0, len(all)
	for from > 0 && size+len(all[from-1]) < maxCollection*3/4 {
		from--
		size += len(all[from]) + len(`""`) + 1
	}
	raw := c.heading()
	for _, value := range all[from:] {
		raw = append(append(raw, jsonraw.Quote(value)...), '\n')
	}
	if err := replace(path, raw); err != nil {
		return 0, fmt.Errorf("keep values: %w", err)
	}
	return from, nil
}

// Collected returns the values of a collection in order, each once. A line that a crash has cut is skipped.
func (v Vault) Collected(c Collection) ([]string, error) {
	if v.Dir == "" {
		return nil, errNowhere
	}
	raw, err := plainfile.Read(v.collection(c))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read values: %w", err)
	}
	var values []string
	for line := range bytes.Lines(raw) {
		if value, ok := jsonraw.Unquote(bytes.TrimSpace(line)); ok {
			values = append(values, value)
		}
	}
	return lists.AddUnique(nil, values...), nil
}

// Held describes a collection.
type Held struct {
	Collection
	Values int
}

// Collections returns all collections of the vault, ordered by server, rule and key.
func (v Vault) Collections() (all []Held, err error) {
	dir := filepath.Join(v.Dir, collections)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".jsonl" {
			continue
		}
		raw, err := plainfile.Read(filepath.Join(dir, entry.Name()))
		heading, _, _ := bytes.Cut(raw, []byte("\n"))
		members, bad := jsonraw.Object(heading)
		if err != nil || bad != nil {
			continue // it is being written, or not ours
		}
		c := Collection{Server: members.String("server"), Rule: members.String("rule"), Key: members.String("key"), Owner: members.String("owner")}
		values, err := v.Collected(c)
		if err == nil && len(values) > 0 {
			all = append(all, Held{c, len(values)})
		}
	}
	slices.SortFunc(all, func(a, b Held) int {
		return strings.Compare(a.Server+"\x00"+a.Rule+"\x00"+a.Key, b.Server+"\x00"+b.Rule+"\x00"+b.Key)
	})
	return all, err
}
