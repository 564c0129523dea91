package receipts

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wsi/internal/plainfile"
)

// Question says what is asked of a record.
type Question struct {
	Commands []string // of hooks: runs of no other are counted
	Since    time.Time
	Here     func(cwd string) bool
	Bytes    int64 // at most so many are read, 0 = 200 MB
}

// Limits of what is read. A longer line is one with a large result: it is skipped, and never in memory as a whole.
const (
	Days     = 30
	maxBytes = 200 << 20
	maxLine  = 1 << 20
	maxTime  = 3 * time.Second
)

type reader struct {
	Question
	commands map[string]bool
	seen     map[string]bool // ids of lines
	until    time.Time
	buffer   *bufio.Reader
	found    Record
}

// Read reads the transcripts in a folder, the newest file first. What cannot be read is not counted.
func Read(folder string, q Question) Record {
	r := reader{q, map[string]bool{}, map[string]bool{}, time.Now().Add(maxTime), bufio.NewReaderSize(nil, maxLine), Record{All: newTally(), Here: newTally()}}
	for _, c := range q.Commands {
		r.commands[c] = c != ""
	}
	left := cmp.Or(q.Bytes, maxBytes)
	for _, f := range files(folder, q.Since) {
		if left -= f.Size(); left < 0 || !r.read(f) {
			r.found.Cut, r.found.Since = true, Latest(r.found.Since, f.ModTime()) // nothing in it is newer
			break
		}
	}
	return r.found
}

type file struct {
	fs.FileInfo
	path string
}

// files returns the transcripts, the newest first. A link is not followed, but that of the folder itself.
func files(folder string, since time.Time) (all []file) {
	root, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil
	}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir // it cannot be listed
		}
		if d.Type().IsRegular() && strings.HasSuffix(path, ".jsonl") {
			if info, err := d.Info(); err == nil && info.ModTime().After(since) {
				all = append(all, file{info, path})
			}
		}
		return nil
	})
	slices.SortStableFunc(all, func(a, b file) int { return b.ModTime().Compare(a.ModTime()) })
	return all
}

// read counts what a file holds. It returns false if the time is over.
func (r *reader) read(from file) bool {
	f, err := plainfile.Open(from.path, os.O_RDONLY, 0) // no pipe that took the place of the file
	if err != nil {
		return true
	}
	defer f.Close() //nolint:errcheck // it was only read
	r.buffer.Reset(io.LimitReader(f, from.Size()))
	for {
		line, err := r.buffer.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = r.buffer.ReadSlice('\n')
		}
		if !long && slices.ContainsFunc(marks, func(mark string) bool { return bytes.Contains(line, []byte(mark)) }) {
			r.count(line, from.path)
		}
		if late := time.Now().After(r.until); err != nil || late {
			return !late
		}
	}
}

func (r *reader) count(raw []byte, path string) {
	l, ok := parse(raw)
	if !ok || l.Timestamp.Before(r.Since) || r.seen[l.UUID] { // a session that goes on with another one has copies of its lines
		return
	}
	r.seen[l.UUID] = l.UUID != ""
	r.found.Since = earliest(r.found.Since, l.Timestamp)
	if r.found.All.add(l, path, r.commands); r.Here(l.Cwd) {
		r.found.Here.add(l, path, r.commands)
	}
}
