// Package ledger is the record of what wsi wrote: for every file that it changed, the content without wsi.
//
// It must not know how files are changed, nor which harness they belong to.
package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"

	"wsi/harnesses/setup"
	"wsi/installer/refusal"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/state"
)

const version = 1

// Ledger records, for every file that wsi changed, its content without wsi.
type Ledger struct {
	Version int      `json:"version"`
	Files   []Record `json:"files"`
}

// Record is one changed file. Before, After and Was are SHA-256 sums. A file with the sum After is unchanged since wsi wrote it.
type Record struct {
	Harness string       `json:"harness"`
	Scope   setup.Scope  `json:"scope"`
	Path    string       `json:"path"`
	Project string       `json:"project,omitempty"` // the folder, in that scope
	Format  setup.Format `json:"format,omitempty"`  // of a hook file, or one of those below; "" if wsi wrote only trust records
	Before  string       `json:"before,omitempty"`  // "" if there was no file; also names the backup
	After   string       `json:"after"`
	Was     string       `json:"was,omitempty"`     // its content until Apply has made it After; Before is correct for both
	Made    []string     `json:"made,omitempty"`    // containers that wsi created in the file
	Folders []string     `json:"folders,omitempty"` // created for the file, outermost first
}

// The formats other than those of hook files.
const (
	Owned   setup.Format = "whole"   // wsi owns all of the file
	Servers setup.Format = "servers" // a file in which wsi only wraps servers
)

// ErrUnusable is wrapped by every error about a ledger that cannot be used; ErrDamaged and ErrNewer say why.
var (
	ErrUnusable = errors.New("the record of wsi's earlier changes cannot be used")
	ErrDamaged  = errors.New("it is damaged")
	ErrNewer    = errors.New("a newer wsi wrote it")
)

// Read returns the ledger in a state folder, an empty one if there is none or the folder is "". The error is a refusal.Error that wraps ErrUnusable.
func Read(read func(path string) ([]byte, error), stateDir string) (Ledger, error) {
	if stateDir == "" { // a relative path would be a file of the project
		return Ledger{Version: version}, nil
	}
	path := Path(stateDir)
	content, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Ledger{Version: version}, nil
	}
	cannot := func(why error, fix, command string) (Ledger, error) {
		return Ledger{}, refusal.Error{Path: path, Err: fmt.Errorf("%w: %w", ErrUnusable, why), Fix: fix, Command: command}
	}
	if err != nil {
		return cannot(phrase.Reason(err), "set WSI_STATE_DIR to a folder of yours, or make the file readable for you", "")
	}
	var l Ledger
	if err := json.Unmarshal(content, &l); err != nil {
		return cannot(ErrDamaged, "move it away, then run the command again", setup.MoveAway(runtime.GOOS, path))
	}
	if l.Version > version {
		return cannot(fmt.Errorf("%w (its version is %d, this wsi knows %d)", ErrNewer, l.Version, version), "use that wsi", "")
	}
	return l, nil
}

// Path returns the path of the ledger.
func Path(stateDir string) string { return filepath.Join(stateDir, state.Ledger) }

// BackupPath returns the path of the backup with this sum.
func BackupPath(stateDir, sum string) string { return filepath.Join(stateDir, state.Backups, sum) }

// Encode returns the content of the file.
func (l Ledger) Encode() []byte {
	content, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		panic(err) // strings only
	}
	return append(content, '\n')
}

// AsRead returns the ledger as it is after writing and reading it: JSON changes paths that are not UTF-8.
func (l Ledger) AsRead() Ledger {
	var out Ledger
	if err := json.Unmarshal(l.Encode(), &out); err != nil {
		panic(err) // it was just encoded
	}
	return out
}

// Get returns the record of a path.
func (l Ledger) Get(path string) (Record, bool) {
	return lists.Find(l.Files, func(r Record) bool { return r.Path == path })
}

// Has reports whether wsi wrote a file of a harness.
func (l Ledger) Has(harness string) bool {
	return slices.ContainsFunc(l.Files, func(r Record) bool { return r.Harness == harness })
}

// Concerns reports whether an error is about a file that wsi changed for a harness and has not changed back.
func (l Ledger) Concerns(harness string, err error) bool {
	r, recorded := l.Get(refusal.Of(harness, "", err).Path)
	return recorded && r.Harness == harness
}

// With returns the ledger with r in place of the record of the same path.
func (l Ledger) With(r Record) Ledger {
	out := l.Without(r.Path)
	out.Files = append(out.Files, r)
	return out
}

// Without returns the ledger without the record of a path.
func (l Ledger) Without(path string) Ledger {
	return Ledger{l.Version, lists.Filter(l.Files, func(r Record) bool { return r.Path != path })}
}

// Unchanged reports whether a file with this sum is unchanged since wsi wrote it.
func (r Record) Unchanged(sum string) bool { return sum == r.After || r.Was != "" && sum == r.Was }

// Sum returns the SHA-256 sum of content. It is "" for a file that does not exist.
func Sum(content []byte) string {
	if content == nil {
		return ""
	}
	s := sha256.Sum256(content)
	return hex.EncodeToString(s[:])
}

// Equal reports whether two records are equal.
func (r Record) Equal(o Record) bool {
	return r.Harness == o.Harness && r.Scope == o.Scope && r.Path == o.Path && r.Project == o.Project && r.Format == o.Format &&
		r.Before == o.Before && r.After == o.After && r.Was == o.Was && slices.Equal(r.Made, o.Made) && slices.Equal(r.Folders, o.Folders)
}
