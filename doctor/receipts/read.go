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

	"wsi/harnesses/setup"
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

// Read reads the records of a harness, the newest file first. What cannot be read is not counted.
func Read(records setup.Records, q Question) Record {
	r := reader{
		Question: q, records: records, seen: map[string]bool{}, until: time.Now().Add(maxTime), left: cmp.Or(q.Bytes, maxBytes),
		found: Record{All: newTally(), Here: newTally()}, buffer: bufio.NewReaderSize(nil, maxLine),
	}
	for _, m := range records.Marks {
		r.marks = append(r.marks, []byte(m))
	}
	for _, f := range r.files() {
		if f.size > r.left || !r.read(f) {
			r.found.Cut, r.found.Since = true, latest(r.found.Since, f.changed) // nothing in it is newer
			break
		}
	}
	return r.found
}

type reader struct {
	Question
	records setup.Records
	marks   [][]byte
	seen    map[string]bool // ids of lines
	until   time.Time
	left    int64 // bytes
	buffer  *bufio.Reader
	found   Record
}

type file struct {
	path    string
	size    int64
	changed time.Time
}

// files returns the records, the newest first. A link is not followed, but that of the folder itself.
func (r *reader) files() (all []file) {
	root, err := filepath.EvalSymlinks(r.records.Folder)
	if err != nil {
		return nil
	}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir // it cannot be listed
		case !d.Type().IsRegular() || !strings.HasSuffix(path, ".jsonl"):
			return nil
		}
		if info, err := d.Info(); err == nil && info.ModTime().After(r.Since) {
			all = append(all, file{path, info.Size(), info.ModTime()})
		}
		return nil
	})
	slices.SortStableFunc(all, func(a, b file) int { return b.changed.Compare(a.changed) })
	return all
}

// read counts what a file holds. It returns false if the time is over.
func (r *reader) read(from file) bool {
	f, err := plainfile.Open(from.path, os.O_RDONLY, 0) // no pipe that took the place of the file
	if err != nil {
		return true
	}
	defer f.Close() //nolint:errcheck // it was only read
	r.left -= from.size
	r.buffer.Reset(io.LimitReader(f, from.size))
	for {
		line, err := r.buffer.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = r.buffer.ReadSlice('\n')
		}
		if !long && r.marked(line) {
			r.count(line, from.path)
		}
		if late := time.Now().After(r.until); err != nil || late {
			return !late
		}
	}
}

func (r *reader) marked(line []byte) bool {
	return slices.ContainsFunc(r.marks, func(mark []byte) bool { return bytes.Contains(line, mark) })
}

func (r *reader) count(line []byte, path string) {
	all := r.records.Read(line, r.Commands)
	if len(all) == 0 || all[0].Time.Before(r.Since) || r.seen[all[0].Line] {
		return
	}
	if id := all[0].Line; id != "" {
		r.seen[id] = true
	}
	r.found.Since = earliest(r.found.Since, all[0].Time)
	here := r.Here(all[0].Cwd)
	for _, one := range all {
		if one.Event != "" && one.Outcome != setup.Stopped && !slices.Contains(r.Commands, one.Command) {
			continue // of a hook that is not asked for, or not named
		}
		r.found.All.add(one, path)
		if here {
			r.found.Here.add(one, path)
		}
	}
}
