// Package journal keeps the journal: one line for what each run of a hook, or the relay with each call, did.
//
// It must not know what the entries mean, and it never gets a carried value.
package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"wsi/internal/plainfile"
	"wsi/internal/state"
)

// Entry is one line of the journal. It never holds a carried value.
type Entry struct {
	Time    time.Time `json:"t"`
	Verb    string    `json:"verb"`
	Who     string    `json:"who,omitempty"` // "relay", or "" for a hook
	Harness string    `json:"harness,omitempty"`
	Session string    `json:"session,omitempty"` // the first characters of the session's key in the vault
	Unnamed bool      `json:"unnamed,omitempty"` // the session is a relay's connection: the harness has not said which one calls
	Agent   bool      `json:"agent,omitempty"`   // a sub-agent's call
	Server  string    `json:"server,omitempty"`
	Tool    string    `json:"tool,omitempty"`
	Did     string    `json:"did"` // a carry.Action, Restarted, Diverted, "nothing" or "error"
	Why     string    `json:"why,omitempty"`
	Kept    int       `json:"kept,omitempty"`   // values that were added to collections
	Given   int       `json:"given,omitempty"`  // values that were put into the call from collections
	Told    int       `json:"told,omitempty"`   // members of _meta that the model reads
	Failed  bool      `json:"failed,omitempty"` // after a call: its result is an error, or the harness says that it failed
	Call    string    `json:"call,omitempty"`   // the beginning of a hash of the harness's id of the call, the same before it and after it
	Sent    string    `json:"sent,omitempty"`   // after a call: whether it had a stored value where a rule injects one; "" = not known
	Micros  int64     `json:"us"`               // duration of the run in the process
	Waited  int64     `json:"wait,omitempty"`   // the part of it spent waiting: for a transcript, the vault, or in a relay for other calls or the server's start
}

// The relay has started a server again: the verb of such an entry, and what was done. Why says how the server had ended.
const (
	Restart   = "restart"
	Restarted = "restarted"
)

// A server has written lines to stdout that are not messages, and the relay has sent them to stderr: the verb, and what was done.
const (
	Output   = "output"
	Diverted = "diverted"
)

// OfServer reports whether an entry is about a server, not about a call.
func (e *Entry) OfServer() bool { return e.Verb == Restart || e.Verb == Output }

// The values of Entry.Sent.
const (
	With    = "with"
	Without = "without"
)

// What became of a call through the relay that the server did not answer, in entries before a call and after it.
const (
	Unsent     = "unsent"
	Unanswered = "unanswered"
)

// File is a journal: a file of entries, and the older one that it was rotated to.
type File struct {
	Path string
}

// In returns the journal in a state folder.
func In(dir string) File { return File{filepath.Join(dir, state.Journal)} }

const (
	maxName = 64      // length of a tool's name: names come from the model
	maxSize = 4 << 20 // bytes; a larger journal is rotated
)

// Append writes one line. Lines of concurrent processes do not mix.
func (j File) Append(e Entry) error {
	f, err := plainfile.Create(j.Path, os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return fmt.Errorf("open journal: %w", err)
	}
	_, err = f.Write(e.line())
	if info, e := f.Stat(); e == nil && info.Size() > maxSize {
		j.rotate(f)
	}
	return errors.Join(err, f.Close())
}

func (e Entry) line() []byte {
	e.Harness, e.Server, e.Tool = clip(e.Harness), clip(e.Server), clip(e.Tool)
	line, _ := json.Marshal(e) // it never fails: the year is one that RFC 3339 can say
	return append(line, '\n')
}

// clip makes a name from outside short and printable.
func clip(s string) string {
	safe := make([]byte, 0, maxName)
	for _, r := range s {
		if len(safe) == maxName {
			break
		}
		if r <= ' ' || r > '~' {
			r = '?'
		}
		safe = append(safe, byte(r))
	}
	return string(safe)
}

// unused is how long the older file is kept, as long as a session in the vault.
const unused = 30 * 24 * time.Hour

// Older returns the path of the file that the journal is rotated to.
func (j File) Older() string { return j.Path + ".1" }

// rotate renames the journal, which is open in f, to the older file. If several processes see that it is too
// large, only the first may rename it: a second one would replace the older file by the new journal.
func (j File) rotate(f *os.File) {
	unlock, err := lockRotation(f)
	if err != nil {
		return // the next run tries again
	}
	defer unlock()
	if plainfile.IsAt(f, j.Path) {
		_ = os.Rename(j.Path, j.Older()) // the next run tries again
	}
}

// Prune deletes the older file if it has not changed for long. The caller calls it when a session begins,
// which is rare.
func (j File) Prune(now time.Time) {
	if info, err := os.Lstat(j.Older()); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > unused {
		_ = os.Remove(j.Older()) // the next session tries again
	}
}

// maxLine is far longer than any line that wsi writes. A longer line is skipped.
const maxLine = 64 << 10

// Parse parses one line of the journal. Its texts can be shown on a terminal. It returns false for anything
// else than an entry, such as a line cut short by a full disk.
func Parse(line []byte) (Entry, bool) {
	var e Entry
	err := json.Unmarshal(line, &e)
	if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) { // that member is left empty
		err = nil
	}
	for _, text := range []*string{&e.Verb, &e.Who, &e.Harness, &e.Session, &e.Server, &e.Tool, &e.Did, &e.Why, &e.Call, &e.Sent} {
		*text = printable(*text)
	}
	for _, n := range []*int{&e.Kept, &e.Given, &e.Told} {
		*n = max(0, *n)
	}
	e.Micros, e.Waited = max(0, e.Micros), max(0, e.Waited)
	return e, err == nil && !e.Time.IsZero() && e.Verb != "" && e.Did != ""
}

// printable replaces control characters: other programs may have written to the file.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}

// Each calls found with every entry of a journal's text, the oldest first, and returns how many lines it
// skipped because they are not entries. Its memory does not grow with the text.
func Each(r io.Reader, found func(Entry)) (skipped int, err error) {
	lines := bufio.NewReaderSize(r, maxLine)
	for {
		line, err := lines.ReadSlice('\n')
		long := false
		for errors.Is(err, bufio.ErrBufferFull) {
			long = true
			_, err = lines.ReadSlice('\n')
		}
		if line = bytes.TrimSpace(line); long || len(line) > 0 {
			if e, ok := Parse(line); ok && !long {
				found(e)
			} else {
				skipped++
			}
		}
		if errors.Is(err, io.EOF) {
			return skipped, nil
		}
		if err != nil {
			return skipped, err
		}
	}
}

// Each is [Each] for all entries of the journal. A journal that does not exist has no entries.
func (j File) Each(found func(Entry)) (skipped int, err error) {
	for _, path := range []string{j.Older(), j.Path} {
		f, err := Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return skipped, err
		}
		n, err := Each(f, found)
		_ = f.Close() // only read
		skipped += n
		if err != nil {
			return skipped, fmt.Errorf("read journal: %w", err)
		}
	}
	return skipped, nil
}

// Entries returns all entries of the journal, the oldest first.
func (j File) Entries() ([]Entry, error) {
	var all []Entry
	if _, err := j.Each(func(e Entry) { all = append(all, e) }); err != nil {
		return nil, err
	}
	return all, nil
}

// Open opens one file of a journal for reading. It refuses a pipe, which could block for ever.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	var f *os.File
	if err == nil {
		f, err = plainfile.Open(path, os.O_RDONLY, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	return f, nil
}
