// Package callers keeps who makes a call, by the call's id: the hook notes it, the relay in front of the
// server reads it. Claude Code shows hooks the session and the sub-agent of a call, and the server its
// id, `_meta["claudecode/toolUseId"]` (2.1.197 and 2.1.329; the note was there in every run).
//
// It must not know what is carried, or for whom.
package callers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"wsi/hook/vault"
	"wsi/internal/plainfile"
	"wsi/internal/rawjson"
	"wsi/internal/state"
)

// Owner is who makes a call. Agent is "" for the main agent.
type Owner struct {
	Session, Agent string
}

// Notes is a folder of notes, one small file for each call. Ids go into file names as a hash. Any number of
// processes may use it at once.
type Notes struct {
	Dir string
}

// In returns the notes' place in a state folder.
func In(dir string) Notes { return Notes{filepath.Join(dir, state.Callers)} }

const (
	// kept is how long a note can be of use: a user may be asked about a call after its hook has run, and
	// be away. A call that the server wants made again (input_required, 2026-07-28) reads its note twice.
	kept     = 24 * time.Hour
	pruneMax = 32 // files per run
)

func (n Notes) path(harness, id string) string {
	key := vault.SessionKey(harness, id)
	return filepath.Join(n.Dir, key[:2], key[2:])
}

// Write notes who makes the call with this id.
func (n Notes) Write(harness, id string, o Owner) error {
	path := n.path(harness, id)
	note := fmt.Appendf(nil, `{"session":%s,"agent":%s}`, rawjson.Quote(o.Session), rawjson.Quote(o.Agent))
	f, err := plainfile.Open(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			f, err = plainfile.Open(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
		}
	}
	if err != nil {
		return fmt.Errorf("note the call: %w", err)
	}
	_, err = f.Write(note)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("note the call: %w", err)
	}
	prune(filepath.Dir(path), time.Now())
	return nil
}

// Read returns who makes the call with this id; ok is false if nobody has noted it.
func (n Notes) Read(harness, id string) (o Owner, ok bool, err error) {
	raw, err := plainfile.Read(n.path(harness, id))
	if errors.Is(err, fs.ErrNotExist) {
		return Owner{}, false, nil
	}
	if err != nil {
		return Owner{}, false, fmt.Errorf("read who makes the call: %w", err)
	}
	m, err := rawjson.Object(raw)
	if err != nil { // cut short by a full disk
		return Owner{}, false, nil //nolint:nilerr // it is no note then
	}
	o = Owner{Session: m.String("session"), Agent: m.String("agent")}
	return o, o.Session != "", nil
}

// prune drops old notes from the one folder that has just got one more: 256 of them share all calls, so it
// is small. A failure is for the next call.
func prune(dir string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	dropped := 0
	for _, e := range entries {
		if dropped == pruneMax {
			return
		}
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > kept {
			if os.Remove(filepath.Join(dir, e.Name())) == nil {
				dropped++
			}
		}
	}
}
