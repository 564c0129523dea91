package recorded

import (
	"bytes"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"wsi/harnesses"
)

// Bounds of what Runs reads.
const (
	mostRead  = 64 << 20 // bytes in all
	mostTail  = 4 << 20  // bytes of a file, from its end
	mostFiles = 500      // the newest
	mostTime  = 2 * time.Second
	mostLine  = 1 << 20 // bytes of a last line that has not ended
)

// Runs reads which hooks harnesses have run. Each Read goes on where the one before ended.
type Runs struct {
	Files Files
	Since time.Time // files that have not changed since are not read

	ends map[string]int64 // where the reading of a file ended
}

// Read calls each for the runs of hooks in the files that have changed, the newest file first. It reads only the ends of
// large files, and stops after some seconds. What cannot be read is left out.
func (r *Runs) Read(each func(harness string, run harnesses.HookRun)) {
	if r.ends == nil {
		r.ends = map[string]int64{}
	}
	left, until := int64(mostRead), time.Now().Add(mostTime)
	for _, f := range r.changed() {
		if left <= 0 || time.Now().After(until) {
			return
		}
		left -= r.read(f, each)
	}
}

// recording is a file with recorded sessions of a harness.
type recording struct {
	path    string
	info    fs.FileInfo
	harness harnesses.Harness
}

// changed returns the files that have changed, the newest first.
func (r *Runs) changed() (all []recording) {
	for _, h := range r.Files.Harnesses {
		history := h.Capabilities.History
		if history.HookRuns == nil || history.Places == nil {
			continue
		}
		for _, place := range history.Places(r.Files.Env) {
			_ = filepath.WalkDir(place, func(path string, d fs.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() {
					return nil //nolint:nilerr // it is left out
				}
				info, err := d.Info()
				if err == nil && info.ModTime().After(r.Since) && info.Size() > r.ends[path] {
					all = append(all, recording{path, info, h})
				}
				return nil
			})
		}
	}
	slices.SortStableFunc(all, func(a, b recording) int { return b.info.ModTime().Compare(a.info.ModTime()) })
	return all[:min(len(all), mostFiles)]
}

// read reads the complete lines at the end of a file, and returns how many bytes they have.
func (r *Runs) read(f recording, each func(harness string, run harnesses.HookRun)) int64 {
	file, _, err := open(f.path)
	if err != nil {
		return 0
	}
	defer file.Close() //nolint:errcheck // only read
	from, known := r.ends[f.path]
	if !known {
		begin := make([]byte, min(f.info.Size(), 64<<10))
		if n, _ := file.ReadAt(begin, 0); !f.harness.Capabilities.History.Begins(begin[:n]) {
			return int64(n)
		}
	}
	end := lastLine(file, f.info.Size())
	if end <= from {
		return 0
	}
	if end-from > mostTail {
		from = nextLine(file, end-mostTail, end)
	}
	part := harnesses.Recording{File: file, Size: end}
	if f.harness.Capabilities.History.HookRuns(part, from, func(run harnesses.HookRun) {
		if run.At.IsZero() || run.At.After(r.Since) {
			each(f.harness.ID, run)
		}
	}) == nil {
		r.ends[f.path] = end
	}
	return end - from
}

// lastLine returns where the last complete line of a file ends, 0 if there is none near its end.
func lastLine(file io.ReaderAt, size int64) int64 {
	for at := size; at > 0 && at > size-mostLine; {
		n := min(at, 64<<10)
		part := make([]byte, n)
		got, _ := file.ReadAt(part, at-n)
		if i := bytes.LastIndexByte(part[:got], '\n'); i >= 0 {
			return at - n + int64(i) + 1
		}
		at -= n
	}
	return 0
}

// nextLine returns where the first line after a place begins, end if none does.
func nextLine(file io.ReaderAt, at, end int64) int64 {
	for at < end {
		part := make([]byte, min(end-at, 64<<10))
		got, err := file.ReadAt(part, at)
		if i := bytes.IndexByte(part[:got], '\n'); i >= 0 {
			return at + int64(i) + 1
		}
		if at += int64(got); err != nil || got == 0 {
			break
		}
	}
	return end
}
