package receipts

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
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

// A line of a transcript of Claude Code that says something of a call or a hook contains one of these. There is none for a hook that
// succeeds without a word, but at the end of a turn (2.1.332; 2.1.197 has none there either), and none for a hook of SessionEnd.
var marks = []string{`"type":"tool_use"`, `"type":"tool_result"`, `"hookEvent":"`, `"subtype":"stop_hook_summary"`}

// Events are those that come with each call that is made, and are matched with the name of its tool.
var Events = []string{"PreToolUse", "PostToolUse"}

// line has what is read of such a line.
type line struct {
	UUID, SessionID, Cwd, Type, ToolUseID string

	Timestamp  time.Time
	Message    struct{ Content json.RawMessage }
	HookInfos  []hookRun // at the end of a turn
	Attachment struct {
		hookRun
		Type, HookEvent, ToolUseID string

		ExitCode      int
		TimedOut      bool
		BlockingError hookRun
	}
	parts []part // of the message
}

type hookRun struct {
	Command    string
	DurationMs int64
}

func (h hookRun) took() time.Duration { return time.Duration(max(0, h.DurationMs)) * time.Millisecond }

// part is a call, or a result.
type part struct {
	Type, ID, Name string
	ToolUseID      string          `json:"tool_use_id"`
	IsError        bool            `json:"is_error"`
	Content        json.RawMessage // a text, or a list
}

// parse reads a line. It returns false for one without a time.
func parse(raw []byte) (l line, ok bool) {
	sent := bytes.HasPrefix(raw, []byte(`{"type":"api-request`)) // to the model, with every message so far
	if sent || json.Unmarshal(raw, &l) != nil || l.Timestamp.IsZero() {
		return l, false
	}
	_ = json.Unmarshal(l.Message.Content, &l.parts) // a prompt is a text
	l.Timestamp = l.Timestamp.Local()               // days are those of the user
	return l, true
}

// add counts what a line of a file says. known reports whether a command is one of those that are asked for.
func (t *Tally) add(l line, file string, commands map[string]bool) {
	t.Began[l.SessionID] = earliest(t.Began[l.SessionID], l.Timestamp)
	count := func(event, command, id, kind string, status int, took time.Duration) {
		if commands[command] {
			t.count(run{Hook{event, command}, id}, outcome{kind, status, took, l.Timestamp, file})
		}
	}
	a := l.Attachment
	switch kind := a.Type; {
	case kind == blocked:
		count(a.HookEvent, a.BlockingError.Command, a.ToolUseID, kind, 0, 0)
	case kind == ran, kind == failed, kind == cancelled && a.TimedOut:
		count(a.HookEvent, a.Command, a.ToolUseID, kind, a.ExitCode, a.took())
	case kind == cancelled: // after a call it has no name, nor whether it took too long (2.1.332)
		t.Stops[a.HookEvent]++
	}
	for _, h := range l.HookInfos {
		count("Stop", h.Command, l.ToolUseID, ran, 0, h.took())
	}
	for _, p := range l.parts {
		c, known := t.calls[p.ToolUseID]
		switch {
		case p.Type == "tool_use":
			if t.Tools[p.Name] == nil {
				t.Tools[p.Name] = &Calls{}
			}
			t.Tools[p.Name].Times = append(t.Tools[p.Name].Times, l.Timestamp)
			t.calls[p.ID] = call{p.Name, l.Timestamp}
		case p.Type != "tool_result" || !known:
		case !p.IsError:
			t.Tools[c.tool].Clean = append(t.Tools[c.tool].Clean, c.at)
			t.Went[l.SessionID] = true
		default:
			event, command := refusedBy(p.Content, c.tool, commands)
			count(event, command, p.ToolUseID, blocked, 2, 0)
		}
	}
}

// refusedBy returns the hook with status 2 of which a result comes. Its text is "PreToolUse:Bash hook error: [COMMAND]: " and what the
// hook wrote. A hook that refuses a call in another way is not named.
func refusedBy(content []byte, tool string, commands map[string]bool) (event, command string) {
	mark := ":" + tool + " hook error: ["
	if !bytes.Contains(content[:min(len(content), 300)], []byte(mark)) {
		return "", ""
	}
	var said string
	_ = json.Unmarshal(content, &said) // a list has no such text
	event, rest, _ := strings.Cut(said, mark)
	for c := range commands {
		if len(c) > len(command) && strings.HasPrefix(rest, c+"]: ") {
			command = c
		}
	}
	return event, command
}
