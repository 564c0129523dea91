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
	"strings"
	"unicode"

	"wsi/internal/plainfile"
)

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
