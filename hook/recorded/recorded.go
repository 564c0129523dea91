// Package recorded finds the sessions that harnesses have recorded, and reads them. It only reads files.
//
// It must not know harnesses by name, or what the sessions are read for.
package recorded

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"wsi/harnesses"
)

// Visitor gets what is in the recordings. Step is called between Begin and End.
type Visitor interface {
	Begin(h harnesses.Harness, size int64)
	Step(harnesses.Step)
	End()
	// Skip gets why something was not read: part of the recording between Begin and End, else a whole file.
	Skip(why string)
	// Read is called after so many more bytes were read.
	Read(bytes int)
}

// Why files are skipped.
const (
	NotRecorded = "not a recording of a harness that wsi knows"
	NoFile      = "neither a file nor a folder"
	NoAccess    = "cannot be read"
	Damaged     = "damaged, or of an unknown version"
	Changed     = "a database changed while it was read"
)

// Files reads files and folders. A folder is read with all that is below it; links in it are not followed.
type Files struct {
	Env       harnesses.Env
	Harnesses []harnesses.Harness

	registered map[string][]string // the servers of a harness, by its id
}

// Places returns the files and folders of all harnesses that exist.
func (f *Files) Places() (paths []string) {
	for _, h := range f.Harnesses {
		if h.Capabilities.History.Read == nil {
			continue
		}
		for _, path := range h.Capabilities.History.Places(f.Env) {
			if _, err := os.Stat(path); err == nil {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// Visit reads all recordings at a path. Its error is that of the path itself; what is below it is skipped if it
// cannot be read.
func (f *Files) Visit(path string, v Visitor) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		f.file(path, v)
		return nil
	}
	return filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			v.Skip(NoAccess)
		case d.Type().IsRegular():
			f.file(path, v)
		case !d.IsDir():
			v.Skip(NoFile)
		}
		return nil
	})
}

// file reads a file if a harness has recorded it.
func (f *Files) file(path string, v Visitor) {
	file, info, err := open(path)
	if err != nil {
		v.Skip(reason(err))
		return
	}
	defer file.Close() //nolint:errcheck // only read
	begin := make([]byte, 64<<10)
	n, err := file.ReadAt(begin, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		v.Skip(NoAccess)
		return
	}
	for _, h := range f.Harnesses {
		if history := h.Capabilities.History; history.Read != nil && history.Begins(begin[:n]) {
			f.read(path, h, file, info, v)
			return
		}
	}
	v.Skip(NotRecorded)
}

func (f *Files) read(path string, h harnesses.Harness, file *os.File, info fs.FileInfo, v Visitor) {
	r := harnesses.Recording{File: counted{file, v}, Size: info.Size(), Servers: f.servers(h)}
	log, logInfo, err := open(path + "-wal")
	if err == nil {
		defer log.Close() //nolint:errcheck // only read
		r.Log, r.LogSize = counted{log, v}, logInfo.Size()
	}
	v.Begin(h, r.Size+r.LogSize)
	defer v.End()
	if h.Capabilities.History.Read(r, v.Step, v.Skip) != nil {
		v.Skip(Damaged)
	}
	if r.Log != nil && (differs(file, info) || differs(log, logInfo)) {
		v.Skip(Changed)
	}
}

// servers returns the servers that are registered with a harness. A file that cannot be read has none.
func (f *Files) servers(h harnesses.Harness) []string {
	names, known := f.registered[h.ID]
	if known {
		return names
	}
	p, _ := h.Find(f.Env)
	for _, s := range p.Servers {
		names = append(names, s.Name)
	}
	if f.registered == nil {
		f.registered = map[string][]string{}
	}
	f.registered[h.ID] = names
	return names
}

var errNoFile = errors.New(NoFile)

// open opens a regular file. Opening a pipe would wait for its other end.
func open(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s: %w", path, errNoFile)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	return file, info, nil
}

func reason(err error) string {
	if errors.Is(err, errNoFile) {
		return NoFile
	}
	return NoAccess
}

func differs(file *os.File, before fs.FileInfo) bool {
	now, err := file.Stat()
	return err != nil || now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime())
}

// counted tells a visitor what is read.
type counted struct {
	file io.ReaderAt
	v    Visitor
}

func (c counted) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.file.ReadAt(p, at)
	c.v.Read(n)
	return n, err
}
