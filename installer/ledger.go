package installer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"wsi/harnesses"
	"wsi/internal/state"
)

const ledgerVersion = 1

// ledger records, for every file that wsi changed, its content without wsi.
type ledger struct {
	Version int      `json:"version"`
	Files   []record `json:"files"`
}

// record is one changed file. Before, After and Was are SHA-256 sums. A file with the sum After is unchanged
// since wsi wrote it.
type record struct {
	Harness string           `json:"harness"`
	Scope   harnesses.Scope  `json:"scope"`
	Path    string           `json:"path"`
	Project string           `json:"project,omitempty"` // the folder, in that scope
	Format  harnesses.Format `json:"format,omitempty"`  // of a hook file, or one of those below; "" if wsi wrote only trust records
	Before  string           `json:"before,omitempty"`  // "" if there was no file; also names the backup
	After   string           `json:"after"`
	Was     string           `json:"was,omitempty"`     // its content until Apply has made it After; Before is correct for both
	Made    []string         `json:"made,omitempty"`    // containers that wsi created in the file
	Folders []string         `json:"folders,omitempty"` // created for the file, outermost first
}

// Formats besides those of hook files. An older wsi that does not know one keeps its records.
const (
	whole   harnesses.Format = "whole"   // wsi owns all of the file
	program harnesses.Format = "program" // the wsi binary; its harness is Self
	servers harnesses.Format = "servers" // a file in which wsi only wraps servers
)

// ErrLedger is wrapped by every error about a ledger that cannot be used; ErrDamaged and ErrNewer say why.
var (
	ErrLedger  = errors.New("the record of wsi's earlier changes cannot be used")
	ErrDamaged = errors.New("it is damaged")
	ErrNewer   = errors.New("a newer wsi wrote it")
)

func readLedger(fsys FS, stateDir string) (ledger, error) {
	path := ledgerPath(stateDir)
	content, err := fsys.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return ledger{Version: ledgerVersion}, nil
	}
	cannot := func(why error, hint string) (ledger, error) {
		return ledger{}, Refusal{Path: path, Err: fmt.Errorf("%w: %w", ErrLedger, why), Hint: hint}
	}
	if err != nil {
		return cannot(err, "make it readable for you, or set WSI_STATE_DIR to a folder of yours")
	}
	var l ledger
	if err := json.Unmarshal(content, &l); err != nil {
		return cannot(ErrDamaged, "move it away: wsi remove then finds wsi's entries without it, and wsi setup starts a new one")
	}
	if l.Version > ledgerVersion {
		return cannot(fmt.Errorf("%w (its version is %d, this wsi knows %d)", ErrNewer, l.Version, ledgerVersion), "use that wsi")
	}
	return l, nil
}

func ledgerPath(stateDir string) string { return filepath.Join(stateDir, state.Ledger) }

func backupPath(stateDir, sum string) string { return filepath.Join(stateDir, state.Backups, sum) }

func (l ledger) encode() []byte {
	content, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		panic(err) // strings only
	}
	return append(content, '\n')
}

// asRead returns the ledger as it is after writing and reading it: JSON changes paths that are not UTF-8.
func (l ledger) asRead() ledger {
	var out ledger
	if err := json.Unmarshal(l.encode(), &out); err != nil {
		panic(err) // it was just encoded
	}
	return out
}

func (l ledger) get(path string) (record, bool) {
	for _, r := range l.Files {
		if r.Path == path {
			return r, true
		}
	}
	return record{}, false
}

// with returns the ledger with r in place of the record of the same path.
func (l ledger) with(r record) ledger {
	out := l.without(r.Path)
	out.Files = append(out.Files, r)
	return out
}

func (l ledger) without(path string) ledger {
	out := ledger{Version: l.Version}
	for _, r := range l.Files {
		if r.Path != path {
			out.Files = append(out.Files, r)
		}
	}
	return out
}

// left reports whether a file with this sum is unchanged since wsi wrote it.
func (r record) left(sum string) bool { return sum == r.After || r.Was != "" && sum == r.Was }

// sum is "" for a file that does not exist.
func sum(content []byte) string {
	if content == nil {
		return ""
	}
	s := sha256.Sum256(content)
	return hex.EncodeToString(s[:])
}

func (r record) equal(o record) bool {
	return r.Harness == o.Harness && r.Scope == o.Scope && r.Path == o.Path && r.Project == o.Project && r.Format == o.Format &&
		r.Before == o.Before && r.After == o.After && r.Was == o.Was && slices.Equal(r.Made, o.Made) && slices.Equal(r.Folders, o.Folders)
}
