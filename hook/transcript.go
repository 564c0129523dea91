package hook

import (
	"bytes"
	"errors"
	"io"
	"os"
	"time"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/ruleset"
	"wsi/internal/lists"
	"wsi/internal/plainfile"
)

const (
	// patience is how long a hook waits for a result to appear in the transcript. Claude Code
	// writes it while the next hook runs: 0-93 ms were seen (2.1.197, 2.1.329, 2.1.332).
	patience = 1500 * time.Millisecond
	// impatience is how long it waits in a session in which the result of the last wait did not come.
	impatience = 100 * time.Millisecond
	// behind is how far before the end a transcript is read: the harness may have written the line before the hook ran.
	behind = 256 << 10
	// maxScan bounds the bytes read from one transcript.
	maxScan = 64 << 20
)

// transcripts returns the transcripts in which the result of the event's call will appear, and from where.
func (r *run) transcripts(ev harnesses.Event) (files []string, from []int64) {
	if r.can.Transcripts == nil {
		return nil, nil
	}
	files = r.can.Transcripts(ev)
	return files, lists.Map(files, func(path string) int64 { return begin(path, behind) })
}

// begin returns the offset in a transcript at which the result of the current call can begin: the start of
// the line that is so many bytes before the end.
func begin(path string, back int64) int64 {
	f, err := plainfile.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return 0
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() <= back {
		return 0
	}
	from := info.Size() - back
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

// poll calls look until it returns false, with pauses, and tells it when the time is over. The journal has how long it waited.
func (r *run) poll(most time.Duration, look func(late bool) (again bool)) {
	start := time.Now()
	for pause := time.Millisecond; look(time.Since(start) >= most); pause = min(2*pause, 20*time.Millisecond) {
		before := time.Now()
		time.Sleep(pause)
		r.waited += time.Since(before)
	}
}

// longest returns how long to wait for a result in a session. overdue is [carry.State.Overdue].
func (r *run) longest(overdue bool) time.Duration {
	if overdue || r.overdue {
		return impatience
	}
	return patience
}

// await looks for the results of noted calls. It waits for those that decide; missing is true if one of these does not
// appear although its transcript exists. It looks once for the others. Without a transcript (Claude Code with
// --no-session-persistence) it does not wait: an answered call counts as one without a value.
func (r *run) await(notes []carry.Note, overdue bool, decides func(carry.Note) bool) (results map[string]carry.Result, missing bool) {
	if r.can.Transcripts == nil || len(notes) == 0 {
		return nil, false
	}
	results = map[string]carry.Result{}
	r.poll(r.longest(overdue), func(late bool) bool {
		missing = false
		for i := range notes {
			n := &notes[i]
			if _, done := results[ruleset.NoteKey(*n)]; done {
				continue
			}
			result, found, exists := r.lookUp(n.ID, n.Files, n.From)
			switch {
			case found:
				results[ruleset.NoteKey(*n)] = result
			case !exists && n.Answered:
				results[ruleset.NoteKey(*n)] = carry.Result{Hidden: true, Error: n.Failed}
			default:
				missing = missing || decides(*n)
			}
		}
		return missing && !late
	})
	r.overdue = r.overdue || missing
	return results, missing
}

// lookUp looks for a call's result in the unread part of its transcripts. It moves the offsets to the end of the last complete line.
func (r *run) lookUp(id string, files []string, from []int64) (result carry.Result, found, exists bool) {
	for i, path := range files {
		if i >= len(from) {
			break
		}
		lines, err := wholeLines(path, from[i])
		if err != nil {
			continue
		}
		exists = true
		from[i] += int64(len(lines))
		for line := range bytes.Lines(lines) {
			if bytes.Contains(line, []byte(id)) {
				if result, found = r.can.TranscriptLine(line, id); found {
					return result, true, true
				}
			}
		}
	}
	return carry.Result{}, false, exists
}

// wholeLines returns the content of a file from an offset on, without an unfinished last line.
func wholeLines(path string, from int64) ([]byte, error) {
	f, err := plainfile.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil || info.Size() <= from {
		return nil, err
	}
	b := make([]byte, min(info.Size()-from, maxScan))
	k, err := f.ReadAt(b, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b[:bytes.LastIndexByte(b[:k], '\n')+1], nil
}
