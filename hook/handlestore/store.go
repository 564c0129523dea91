// Package handlestore keeps what package handles remembers: a file for each session to which every call appends
// a line. A hook only appends; the lines are read when the model may have lost an id, or a user asks.
//
// It must not know harnesses, or what is said about ids.
package handlestore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wsi/hook/handles"
	"wsi/hook/vault"
	"wsi/internal/atomicfile"
	"wsi/internal/plainfile"
	"wsi/internal/state"
)

// Store is a folder of sessions. Its methods may be called by several processes at once. Keys of sessions are
// those of [vault.SessionKey].
type Store struct {
	Dir string // "": nothing is kept
}

// In returns the store in a state folder.
func In(stateDir string) Store {
	if stateDir == "" {
		return Store{}
	}
	return Store{filepath.Join(stateDir, state.Handles)}
}

const (
	// maxSize is when a file is put aside and a new one begun. Both are read, so that a session has at least
	// this much: some 40,000 ids.
	maxSize  = 4 << 20
	unused   = 30 * 24 * time.Hour // after that a session is deleted, as in the vault
	pruneMax = 16                  // files per run
)

const (
	newest    = ".jsonl"
	older     = ".1.jsonl"
	compacted = ".compacted" // an empty file: an agent of the session is to be told of the ids
	shared    = ".shared"    // an empty file: the session has more than one agent
)

func (s Store) path(key, suffix string) string { return filepath.Join(s.Dir, key+suffix) }

// errNowhere is returned by a store without a folder.
var errNowhere = errors.New("no folder to keep ids in: set HOME or WSI_STATE_DIR")

// Append adds a call to a session.
func (s Store) Append(key string, r handles.Record) error {
	if s.Dir == "" {
		return errNowhere
	}
	path := s.path(key, newest)
	line := r.Append(make([]byte, 0, 512))
	size, err := appendTo(path, line)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(s.Dir, 0o700); err == nil {
			size, err = appendTo(path, line)
		}
	}
	if err != nil {
		return fmt.Errorf("keep ids: %w", err)
	}
	switch {
	case size == int64(len(line)):
		s.prune(time.Now())
	case size > maxSize:
		_ = os.Rename(path, s.path(key, older)) // another process may have done it; the next call tries again
	}
	return nil
}

// appendTo appends a line in one write, which other processes cannot divide, and returns the file's size
// afterwards.
func appendTo(path string, line []byte) (size int64, err error) {
	f, err := plainfile.Open(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return 0, err
	}
	if n, failed := f.Write(line); failed != nil {
		err = failed
		if n > 0 {
			_, _ = f.WriteString("\n") // the next line must not be lost as well
		}
	}
	if info, e := f.Stat(); e == nil {
		size = info.Size()
	}
	return size, errors.Join(err, f.Close())
}

// Load returns what is kept of a session, an empty one if nothing is.
func (s Store) Load(key string) (session handles.Session, err error) {
	err = s.Each(key, session.Add)
	return session, err
}

// Each calls each for every call that is kept of a session, in order. Lines that were cut off are left out.
func (s Store) Each(key string, each func(handles.Record)) error {
	if s.Dir == "" {
		return errNowhere
	}
	for _, suffix := range []string{older, newest} {
		content, err := plainfile.Read(s.path(key, suffix))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read ids: %w", err)
		}
		for line := range bytes.Lines(content) {
			if r, ok := handles.ParseRecord(line); ok {
				each(r)
			}
		}
	}
	return nil
}

// Info is a session that is kept.
type Info struct {
	Key  string
	Last time.Time // when its last call was kept
}

// Sessions returns all sessions, the newest first.
func (s Store) Sessions() (all []Info, err error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the sessions with ids: %w", err)
	}
	last := map[string]time.Time{}
	for _, e := range entries {
		key, suffix, _ := strings.Cut(e.Name(), ".")
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || "."+suffix != newest && "."+suffix != older {
			continue
		}
		if t := info.ModTime(); t.After(last[key]) {
			last[key] = t
		}
	}
	for key, t := range last {
		all = append(all, Info{Key: key, Last: t})
	}
	slices.SortFunc(all, func(a, b Info) int { return b.Last.Compare(a.Last) })
	return all, nil
}

// mark returns the path of an agent's mark.
func (s Store) mark(key, agent string) string {
	return s.path(key, "."+vault.SessionKey(key, agent)[:16]+compacted)
}

// MarkCompacted marks that an agent's conversation was compacted, and that it has not been told of the ids.
func (s Store) MarkCompacted(key, agent string) error {
	if s.Dir == "" {
		return errNowhere
	}
	f, err := plainfile.Open(s.mark(key, agent), os.O_CREATE|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // no id was ever kept
	}
	if err != nil {
		return fmt.Errorf("mark the compaction: %w", err)
	}
	return f.Close()
}

// MarkShared marks that a session has more than one agent, for a relay that is not told which one calls.
func (s Store) MarkShared(key string) error {
	if s.Dir == "" {
		return errNowhere
	}
	err := os.MkdirAll(s.Dir, 0o700)
	if err == nil {
		_, err = appendTo(s.path(key, shared), nil)
	}
	if err != nil {
		return fmt.Errorf("mark a second agent: %w", err)
	}
	return nil
}

// Shared reports whether a session was marked to have more than one agent, or if that cannot be known.
func (s Store) Shared(key string) bool {
	_, err := os.Lstat(s.path(key, shared))
	return !errors.Is(err, fs.ErrNotExist)
}

// TakeCompacted reports whether an agent was marked, and deletes the mark: of several processes only one gets
// true.
func (s Store) TakeCompacted(key, agent string) bool {
	return s.Dir != "" && atomicfile.Take(s.mark(key, agent)) == nil
}

// Tell returns what the model is to read after a call that is not added yet: a hint if the call failed, else the list if
// its agent's conversation was compacted, "" for nothing. known is as in [handles.Session.Hint]; aliases returns those of
// the list, even with an error. Both may be nil.
func (s Store) Tell(key string, r handles.Record, known func(id string) bool, aliases func() ([]handles.Alias, error)) (string, error) {
	if !r.Failed && !s.TakeCompacted(key, r.Agent) {
		return "", nil
	}
	if !r.Failed {
		return s.List(key, r.Agent, aliases)
	}
	session, err := s.Load(key)
	if err != nil {
		return "", err
	}
	return session.Hint(r.Server, r.Agent, r.Args, known), nil
}

// List returns the list of an agent's ids.
func (s Store) List(key, agent string, aliases func() ([]handles.Alias, error)) (string, error) {
	session, err := s.Load(key)
	if err != nil {
		return "", err
	}
	var all []handles.Alias
	if aliases != nil {
		all, err = aliases()
	}
	return session.List(agent, all...), err
}

// prune deletes what was not used for long. It runs when a session begins. What it cannot delete it tries again
// later.
func (s Store) prune(now time.Time) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return
	}
	dropped := 0
	for _, e := range entries {
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > unused && os.Remove(filepath.Join(s.Dir, e.Name())) == nil {
			if dropped++; dropped == pruneMax {
				return
			}
		}
	}
}
