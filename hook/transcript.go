package hook

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/plainfile"
)

const (
	// patience is how long inject waits for a result to appear in the transcript. Claude Code
	// writes it while the next hook runs: 0-93 ms were seen (2.1.197, 2.1.329).
	patience = 1500 * time.Millisecond
	// behind is how far before its size at note time a transcript is read: the line may have
	// been written between the harness's event and the note.
	behind = 256 << 10
	// maxScan bounds what is read of one transcript.
	maxScan = 64 << 20
)

// take adds to a note where the call's result will appear.
func (r *run) take(ev harnesses.Event, n carry.Note) carry.Note {
	if r.can.Transcripts == nil {
		return n
	}
	n.Files = r.can.Transcripts(ev)
	for _, path := range n.Files {
		n.From = append(n.From, begin(path))
	}
	return n
}

// begin returns where in a transcript the line of a call can begin that is being answered now: the
// line that holds the place a little before the end.
func begin(path string) int64 {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	from := max(0, info.Size()-behind)
	if from == 0 {
		return 0
	}
	f, err := plainfile.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return 0
	}
	defer f.Close() //nolint:errcheck // only read
	b := make([]byte, behind)
	for least := max(0, from-maxScan); from > least; from -= behind {
		k, err := f.ReadAt(b[:min(behind, from)], max(0, from-behind))
		if err != nil && !errors.Is(err, io.EOF) {
			return from
		}
		if nl := bytes.LastIndexByte(b[:k], '\n'); nl >= 0 {
			return max(0, from-behind) + int64(nl) + 1
		}
	}
	return max(0, from)
}

// key tells noted calls apart: ids are unique within one agent's conversation only.
func key(n carry.Note) string { return n.Agent + "\x00" + n.ID }

// await looks for the results of noted calls. For answered calls it waits; missing is true if the
// result of one of them did not appear though its transcript is there. A call that may never have
// been made is looked for once. Without a transcript (Claude Code with --no-session-persistence)
// there is nothing to wait for: an answered call counts as one that showed no value.
func (r *run) await(notes []carry.Note) (results map[string]carry.Result, missing bool) {
	if r.can.Transcripts == nil || len(notes) == 0 {
		return nil, false
	}
	start := time.Now()
	defer func() { r.entry.Waited = time.Since(start).Microseconds() }()
	results = map[string]carry.Result{}
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		waiting := false
		for i := range notes {
			n := &notes[i]
			if _, done := results[key(*n)]; done {
				continue
			}
			result, found, exists := r.lookUp(n)
			late := time.Since(start) > patience
			switch {
			case found:
				results[key(*n)] = result
			case !exists && n.Answered:
				results[key(*n)] = carry.Result{Hidden: true, Error: n.Failed}
			case late:
				missing = missing || n.Answered
			case n.Answered:
				waiting = true
			}
		}
		if !waiting {
			return results, missing
		}
		time.Sleep(pause)
	}
}

// lookUp reads the transcripts of a note from where it was not read yet, and moves the note's
// place on to the end of the last whole line.
func (r *run) lookUp(n *carry.Note) (result carry.Result, found, exists bool) {
	for i, path := range n.Files {
		if i >= len(n.From) {
			break
		}
		lines, err := wholeLines(path, n.From[i])
		if err != nil {
			continue
		}
		exists = true
		n.From[i] += int64(len(lines))
		for line := range bytes.Lines(lines) {
			if !bytes.Contains(line, []byte(n.ID)) {
				continue
			}
			if result, found := r.can.TranscriptLine(line, n.ID); found {
				return result, true, true
			}
		}
	}
	return carry.Result{}, false, exists
}

// wholeLines returns what a file holds from a place on, without an unfinished last line.
func wholeLines(path string, from int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // to open a pipe would hold the hook up
		return nil, fs.ErrInvalid
	case info.Size() <= from:
		return nil, nil
	}
	f, err := plainfile.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	b := make([]byte, min(info.Size()-from, maxScan))
	k, err := f.ReadAt(b, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b[:bytes.LastIndexByte(b[:k], '\n')+1], nil
}
