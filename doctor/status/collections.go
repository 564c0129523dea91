package status

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wsi/hook/vault"
	"wsi/internal/jsonraw"
	"wsi/internal/plainfile"
)

// held is a collection of values.
type held struct {
	vault.Collection
	values int
}

// collections returns all collections of a vault, ordered by server, rule and key.
func collections(v vault.Vault) (all []held, err error) {
	dir := filepath.Join(v.Dir, vault.Collections)
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
		c := vault.Collection{Server: members.String("server"), Rule: members.String("rule"), Key: members.String("key"), Owner: members.String("owner")}
		values, err := v.Collected(c)
		if err == nil && len(values) > 0 {
			all = append(all, held{c, len(values)})
		}
	}
	slices.SortFunc(all, func(a, b held) int {
		return strings.Compare(a.Server+"\x00"+a.Rule+"\x00"+a.Key, b.Server+"\x00"+b.Rule+"\x00"+b.Key)
	})
	return all, err
}
