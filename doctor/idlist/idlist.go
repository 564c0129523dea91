// Package idlist shows the ids that wsi keeps of sessions, as a table and as JSON. It is pure: the caller loads the
// sessions.
//
// It must not know files, harnesses by name, or how screens are drawn.
package idlist

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"wsi/hook/handles"
	"wsi/internal/printable"
)

// List is the ids of sessions, the newest session first.
type List struct {
	Schema   int       `json:"schema_version"`
	Sessions []Session `json:"sessions"`
}

// schema must be incremented if a member is removed or changes its meaning.
const schema = 1

// New returns a list of sessions.
func New(sessions []Session) List {
	return List{Schema: schema, Sessions: append([]Session{}, sessions...)}
}

// IDs returns how many ids are in the list.
func (l List) IDs() (n int) {
	for _, s := range l.Sessions {
		n += len(s.IDs)
	}
	return n
}

// Session is the ids of one session, the last used first.
type Session struct {
	Name    string    `json:"session"` // as in wsi log: see [Name]
	Harness string    `json:"harness"`
	Last    time.Time `json:"last_call"` // UTC, as all times here
	Calls   int       `json:"calls"`     // of servers whose ids are kept
	IDs     []ID      `json:"ids"`

	Servers []string `json:"-"` // in the order of their last use

	listed string
}

// ID is one id. Names from outside are safe to show in one line.
type ID struct {
	Server   string    `json:"server"`          // as registered with the harness
	Agent    bool      `json:"agent,omitempty"` // a sub-agent's
	Tool     string    `json:"tool"`            // that returned it first, or took it first; "" if its name is not fit to be shown
	Field    string    `json:"field"`           // the member that had it, "" in a text
	Kind     string    `json:"kind"`            // a [handles.Kind]
	Length   int       `json:"length"`
	Value    string    `json:"id,omitempty"` // empty while values are hidden
	First    time.Time `json:"first_seen"`
	Last     time.Time `json:"last_seen"`
	Uses     int       `json:"uses"` // calls that passed it and did not fail
	LastTool string    `json:"last_tool"`
	Closed   bool      `json:"closed"` // a tool that ends something took it
}

// shown is how many characters of a session's key are shown.
const shown = 8

// Name returns what is shown of a session's key.
func Name(key string) string { return name(key[:min(len(key), shown)]) }

// name returns a name from a file as one short line.
func name(s string) string {
	const most = 64
	return printable.Line(strings.ToValidUTF8(s[:min(len(s), most)], ""))
}

// Of returns the ids of a session, with their values. ok is false if it has none.
func Of(key string, s *handles.Session) (session Session, ok bool) {
	session = Session{Name: Name(key), Harness: name(s.Harness), Calls: s.Calls(), IDs: []ID{}, listed: s.List("")}
	type use struct {
		call int
		ID
	}
	var all []use
	for _, server := range s.Servers() {
		for _, h := range server.Handles {
			all = append(all, use{h.Last, ID{
				Server: name(server.Name), Agent: server.Agent != "", Tool: h.Tool, Field: h.Field,
				Kind: string(h.Shape.Kind), Length: len(h.ID), Value: h.ID, First: s.Time(h.First).UTC(), Last: s.Time(h.Last).UTC(),
				Uses: h.Uses, LastTool: h.LastTool, Closed: h.Closed,
			}})
		}
	}
	if len(all) == 0 {
		return session, false
	}
	slices.SortStableFunc(all, func(a, b use) int { return cmp.Compare(b.call, a.call) })
	for _, u := range all {
		session.IDs = append(session.IDs, u.ID)
		if !slices.Contains(session.Servers, u.Server) {
			session.Servers = append(session.Servers, u.Server)
		}
	}
	session.Last = s.Time(s.Calls()).UTC()
	return session, true
}

// Listed returns what the main agent would be told after a compaction, "" if nothing. Unless values is true, it has the
// forms of the ids in place of the ids.
func (s Session) Listed(values bool) string {
	if values {
		return s.listed
	}
	forms := map[string]string{}
	for _, id := range s.IDs {
		forms[id.Value] = id.Form()
	}
	var hidden strings.Builder
	for line := range strings.Lines(s.listed) {
		value, rest, _ := strings.Cut(strings.TrimPrefix(line, item), " ")
		if form, ok := forms[value]; ok && strings.HasPrefix(line, item) {
			line = item + "[" + form + "] " + rest
		}
		hidden.WriteString(line)
	}
	return hidden.String()
}

// item begins a line of a list with an id.
const item = "- "

// Form returns the kind and the length of an id.
func (id ID) Form() string { return id.Kind + ", " + strconv.Itoa(id.Length) }
