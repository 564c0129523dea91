// Package callers passes the caller of each call from the hook to the relay in front of the server, by the
// call's id. Claude Code shows hooks the session and the sub-agent of a call, and the server only its id,
// `_meta["claudecode/toolUseId"]` (2.1.197 and 2.1.329; the note was there in every run).
//
// It must not know what values are carried.
package callers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"wsi/harnesses"
	"wsi/hook/vault"
	"wsi/internal/jsonraw"
	"wsi/internal/plainfile"
	"wsi/internal/state"
)

// Notes is a folder of notes, one small file for each call, named by a hash of the call's id. It may be used
// by several processes at once.
type Notes struct {
	Dir string
}

// In returns the folder of notes in a state folder.
func In(dir string) Notes { return Notes{filepath.Join(dir, state.Callers)} }

const (
	// kept is how long a note is kept. The user may be asked about a call after its hook has run, and be
	// away. The note of a call that the server wants repeated (input_required, 2026-07-28) is read twice.
	kept     = 24 * time.Hour
	pruneMax = 32 // files per run
)

func (n Notes) path(harness, id string) string {
	key := vault.SessionKey(harness, id)
	return filepath.Join(n.Dir, key[:2], key[2:])
}

// Write records the caller of the call with this id.
func (n Notes) Write(harness, id string, c harnesses.Caller) error {
	path := n.path(harness, id)
	f, err := plainfile.Create(path, os.O_WRONLY|os.O_TRUNC)
	if err == nil {
		_, err = fmt.Fprintf(f, `{"session":%s,"agent":%s}`, jsonraw.Quote(c.Session), jsonraw.Quote(c.Agent))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("save the caller: %w", err)
	}
	vault.PruneFolder(filepath.Dir(path), kept, pruneMax) // small: the notes are in 256 folders
	return nil
}

// Read returns the caller of the call with this id, one without a session if there is no note.
func (n Notes) Read(harness, id string) (harnesses.Caller, error) {
	raw, err := plainfile.Read(n.path(harness, id))
	if err != nil {
		return harnesses.Caller{}, fmt.Errorf("read the caller: %w", err)
	}
	m, _ := jsonraw.Object(raw) // none if a full disk has cut it short
	return harnesses.Caller{Session: m.String("session"), Agent: m.String("agent")}, nil
}
