// Package handles remembers the ids that an MCP server handed out in a session, and those that the model passed
// to it. From them it says what a model may have lost in a compaction, and which id a failed call may have meant.
//
// It is pure: files are the caller's. It must not know harnesses, rules, or how a model is told. It never changes
// a call.
package handles

import (
	"slices"
	"strings"
)

// Handle is an id with what is known of its use.
type Handle struct {
	ID    string
	Shape Shape
	Tool  string // whose result showed it first, or that took it first
	Field string // where in that result, "" in a text

	First, Last int    // the calls in which it was first and last seen
	LastTool    string // of the last of them
	Uses        int    // calls that passed it and did not fail
	Returned    bool   // a result showed it before a call passed it
	Made        bool   // the result of a tool that makes something showed it first
	Closed      bool   // a tool that ends something took it
}

// Memory is what is known of one server in one session. Its zero value is empty.
type Memory struct {
	Handles []Handle
	Now     int // the number of the last call in the session, of any server

	at     map[string]int // in Handles, by ID
	fields map[field]int  // how often a member of an argument or a result held an id of a shape
	passed map[field]int  // the same of arguments; the zero Shape is anything else
	off    map[Shape]bool // shapes whose ids are too alike to tell a mistyped one from another
}

// field is a member's name with the shape of what it held.
type field struct {
	name  string
	shape Shape
}

// maxHandles is how many ids of a server are kept in a session. The longest unused ones go first.
const maxHandles = 4000

// Call adds the ids of a call that the server accepted, and those of its result. now numbers the calls of the
// session.
func (m *Memory) Call(now int, tool string, args, result []Seen) {
	m.begin(now)
	tool = nameOf(tool)
	for _, s := range args {
		m.passed[field{s.Field, s.Shape}]++
		if s.Shape == (Shape{}) {
			continue
		}
		h := m.add(tool, s)
		h.Uses++
		h.Closed = h.Closed || closes(tool)
	}
	m.result(tool, result)
	m.prune()
}

// FailedCall adds the ids of an error: the server may name those that exist. What the call passed is left out,
// since errors quote it.
func (m *Memory) FailedCall(now int, tool string, args, result []Seen) {
	m.begin(now)
	m.result(nameOf(tool), slices.DeleteFunc(slices.Clone(result), func(s Seen) bool {
		return slices.ContainsFunc(args, func(arg Seen) bool { return arg.ID == s.ID })
	}))
	m.prune()
}

func (m *Memory) begin(now int) {
	if m.at == nil {
		m.at, m.fields, m.passed, m.off = map[string]int{}, map[field]int{}, map[field]int{}, map[Shape]bool{}
	}
	m.Now = now
}

func (m *Memory) result(tool string, result []Seen) {
	for _, s := range result {
		isNew := !m.has(s.ID)
		h := m.add(tool, s)
		h.Returned = h.Returned || isNew
		h.Made = h.Made || isNew && makes(tool)
	}
}

func (m *Memory) has(id string) bool { _, ok := m.at[id]; return ok }

// add returns the handle, which is valid until the next add.
func (m *Memory) add(tool string, s Seen) *Handle {
	if s.Field != "" {
		m.fields[field{s.Field, s.Shape}]++
	}
	i, ok := m.at[s.ID]
	if !ok {
		i = len(m.Handles)
		m.at[s.ID] = i
		m.Handles = append(m.Handles, Handle{ID: s.ID, Shape: s.Shape, Tool: tool, Field: s.Field, First: m.Now})
	}
	m.Handles[i].Last, m.Handles[i].LastTool = m.Now, tool
	return &m.Handles[i]
}

// prune drops a quarter when there are too many: first what the model never passed, the oldest first.
func (m *Memory) prune() {
	if len(m.Handles) <= maxHandles {
		return
	}
	slices.SortStableFunc(m.Handles, func(a, b Handle) int {
		if (a.Uses > 0 || a.Made) != (b.Uses > 0 || b.Made) {
			if a.Uses > 0 || a.Made {
				return -1
			}
			return 1
		}
		return b.Last - a.Last
	})
	for _, h := range m.Handles[maxHandles*3/4:] {
		delete(m.at, h.ID)
	}
	m.Handles = slices.Clip(m.Handles[:maxHandles*3/4])
	for i, h := range m.Handles {
		m.at[h.ID] = i
	}
}

// words of a tool's name: "create_basket", "createBasket" and "create-basket" all begin with "create".
func wordsOf(tool string) []string {
	var words []string
	begin := 0
	for i := 1; i <= len(tool); i++ {
		switch {
		case i == len(tool), tool[i] == '_', tool[i] == '-', tool[i] == '.', tool[i] >= 'A' && tool[i] <= 'Z' && tool[i-1] >= 'a' && tool[i-1] <= 'z':
			if word := strings.Trim(tool[begin:i], "_-."); word != "" {
				words = append(words, strings.ToLower(word))
			}
			begin = i
		}
	}
	return words
}

func makes(tool string) bool {
	return slices.ContainsFunc(wordsOf(tool), func(w string) bool {
		return slices.Contains([]string{"create", "start", "open", "prepare", "begin", "new", "launch", "spawn"}, w)
	})
}

func closes(tool string) bool {
	return slices.ContainsFunc(wordsOf(tool), func(w string) bool {
		return slices.Contains([]string{"close", "delete", "destroy", "end", "stop", "finish", "cancel", "remove", "kill", "terminate", "complete", "abort", "drop"}, w)
	})
}
