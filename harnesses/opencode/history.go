package opencode

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/internal/rawjson"
	"wsi/internal/sqlitefile"
)

// history reads the database of all sessions (1.18.33). Most of it can be in the write-ahead log.
func history() harnesses.History {
	return harnesses.History{
		Places: func(env harnesses.Env) []string {
			data := env.Getenv("XDG_DATA_HOME")
			if !filepath.IsAbs(data) {
				data = filepath.Join(env.Home, ".local", "share")
			}
			return []string{filepath.Join(data, "opencode", "opencode.db")}
		},
		Begins: sqlitefile.Is,
		Read: func(r harnesses.Recording, each func(harnesses.Step), skip func(string)) error {
			d, err := open(r)
			if err != nil {
				return err
			}
			d.each, d.skip = each, skip
			return d.bySession.Each(d.part)
		},
	}
}

var errSchema = errors.New("a database without the tables of OpenCode 1.18")

// database is an OpenCode database. Its rows are read by session, each session's in the order in which they were
// added.
type database struct {
	parts, messages        sqlitefile.Table
	bySession, byMessageID sqlitefile.Index
	message                message // of the last part
	servers                []string

	each func(harnesses.Step)
	skip func(string)
}

// message is what the parts of a message have in common.
type message struct {
	id        string
	role      string
	summary   bool // it is the summary of what was before it
	keptSince string
}

func open(r harnesses.Recording) (*database, error) {
	f, err := sqlitefile.Open(r.File, r.Size, r.Log, r.LogSize)
	if err != nil {
		return nil, err
	}
	d := &database{servers: slices.Clone(r.Servers)}
	slices.SortFunc(d.servers, func(a, b string) int { return len(b) - len(a) })
	for name, table := range map[string]*sqlitefile.Table{"part": &d.parts, "message": &d.messages} {
		t, ok, err := f.Table(name)
		if err != nil || !ok || t.Column("data") < 0 {
			return nil, cmp.Or(err, errSchema)
		}
		*table = t
	}
	for name, index := range map[string]*sqlitefile.Index{"part_session_idx": &d.bySession, "sqlite_autoindex_message_1": &d.byMessageID} {
		x, ok, err := f.Index(name)
		if err != nil || !ok {
			return nil, cmp.Or(err, errSchema)
		}
		*index = x
	}
	if d.parts.Column("message_id") < 0 {
		return nil, errSchema
	}
	return d, nil
}

// part reads the part of an entry of the index: the session's id and the row's.
func (d *database) part(entry sqlitefile.Row) error {
	session := string(entry.At(0).Bytes)
	row, err := d.parts.Get(entry.At(1).Int)
	if errors.Is(err, sqlitefile.ErrTooLong) {
		d.skip(harnesses.LineTooLong)
		return nil
	}
	if err != nil {
		return err
	}
	if err := d.find(row.At(d.parts.Column("message_id")).Bytes); err != nil {
		return err
	}
	d.step(session, row.At(d.parts.Column("data")).Bytes)
	return nil
}

// step reads the data of a part.
func (d *database) step(session string, data []byte) {
	part, err := rawjson.Object(data)
	if err != nil {
		d.skip(harnesses.LineNoJSON)
		return
	}
	step := harnesses.Step{Session: session, Message: d.message.id}
	switch part.String("type") {
	case "text":
		step.Texts = [][]byte{part.Get("text")}
		switch {
		case d.message.summary:
			step.Kind, step.KeptSince = harnesses.Summarized, d.message.keptSince
			d.message.summary = false // another text of it is no other compaction
		case d.message.role == "assistant":
			step.Kind = harnesses.Said
		}
		d.each(step)
	case "tool":
		d.tool(step, part)
	case "compaction": // part of the prompt for the summary, which is the next message; tail_start_id: read in the program
		d.message.keptSince = part.String("tail_start_id")
	}
}

// find reads the message of a part. The parts of a message follow each other.
func (d *database) find(id []byte) error {
	if string(id) == d.message.id {
		return nil
	}
	entry, err := d.byMessageID.Find(id)
	if err != nil {
		return err
	}
	row, err := d.messages.Get(entry.At(1).Int)
	if err != nil && !errors.Is(err, sqlitefile.ErrTooLong) {
		return err
	}
	data, _ := rawjson.Object(row.At(d.messages.Column("data")).Bytes)
	next := message{id: string(id), role: data.String("role"), summary: string(data.Get("summary")) == "true"}
	if next.summary {
		next.keptSince = d.message.keptSince
	}
	d.message = next
	return nil
}

// tool reads a call with its result. The id that the model gave the call is unique only within a message; the time
// is the same in a copy of the session.
func (d *database) tool(step harnesses.Step, part rawjson.Members) {
	state, _ := rawjson.ObjectIn(part.Get("state"))
	moment, _ := rawjson.ObjectIn(state.Get("time"))
	call := step
	call.Kind, call.Texts = harnesses.Said, [][]byte{state.Get("input")}
	call.ID = fmt.Sprintf("%s %s", part.String("callID"), moment.Get("start"))
	if server, tool, ok := d.serverTool(part.String("tool")); ok {
		call.Kind, call.Server, call.Tool, call.Args = harnesses.Called, server, tool, state.Get("input")
	}
	d.each(call)
	step.Kind, step.ID = harnesses.Returned, call.ID
	switch state.String("status") {
	case "completed":
		step.Texts = [][]byte{state.Get("output")}
	case "error":
		step.Texts = [][]byte{state.Get("error")}
		step.Result.Error = true
	default: // it was interrupted
		return
	}
	failed := step.Result.Error
	step.Result = harnesses.ReadResult(step.Texts[0])
	step.Result.Error = failed
	d.each(step)
}

// ownTools are the names of OpenCode's own tools that have a "_" (1.18.33).
var ownTools = []string{"apply_patch", "plan_enter", "plan_exit"}

// serverTool parses <server>_<tool>. The database does not name the server. One that is no longer registered is
// taken to have no "_" in its name.
func (d *database) serverTool(name string) (server, tool string, ok bool) {
	if slices.Contains(ownTools, name) {
		return "", "", false
	}
	for _, server := range d.servers {
		if tool, ok := (Codec{}).Tool(harnesses.Event{Name: name}, server); ok {
			return server, tool, true
		}
	}
	server, tool, ok = strings.Cut(name, "_")
	return server, tool, ok && server != "" && tool != ""
}
