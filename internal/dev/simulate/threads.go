package main

import (
	"slices"
	"strings"
)

// thread is a sequence of values of one harness session, each the result of a call with the value before.
type thread struct {
	number  int
	session string          // of the server, with the agent's name in it: what its values say about themselves
	child   bool            // it is of a session that was opened for another agent
	values  map[string]bool // all values of the thread
	heads   map[string]bool // the newest values; several only if they differ in nothing but the time
	by      *agent          // the agent of the last call
	since   []string        // the values that were sent since the last change
	lateFor string          // not "" if the thread began with the late result for this older value of another thread
	killed  bool            // a hook was killed: wsi may have an older value

	twice bool // the server issued the same bytes twice in one second
}

// changes are the tools that change the server's state (its main branch of 2026-05-13).
var changes = map[string]bool{"next_activity": true, "yield_checkpoint": true, "respond_checkpoint": true}

// advance makes t, the result of a call with the value asked, the newest of the thread. It reports false for a late
// result for an older value that was not the first to change something. shown is false if wsi cannot see a value that
// is only in _meta.
func (x *thread) advance(asked, t, tool string, shown bool) bool {
	switch {
	case x.heads[asked] && tool == "resume_checkpoint" && !shown: // a possible value, but not the only one
		x.heads[t] = true
	case x.heads[asked]:
		if tool != "resume_checkpoint" { // its value is only in _meta, and it changes only the count
			delete(x.heads, asked)
		}
		if x.since = append(x.since, asked); changes[tool] {
			clear(x.heads)
			x.since = nil
		}
		x.heads[t] = true
	case x.heads[t]:
	case changes[tool] && slices.Contains(x.since, asked): // of the results since the last change, the one that changed something counts
		x.heads, x.since = map[string]bool{t: true}, nil
	case slices.Contains(x.since, asked):
		x.heads[t] = true
	default:
		return false
	}
	return true
}

// thread starts a thread with its first value, or "" if wsi cannot see that value.
func (s *session) thread(first, asked string, minor bool) *thread {
	s.threads++
	x := &thread{number: s.threads, values: map[string]bool{}, heads: map[string]bool{}}
	if minor {
		x.since = []string{asked}
	}
	if first != "" {
		x.values[first], x.heads[first], s.of[first] = true, true, x
		x.session = sessionOf(first)
	}
	x.child = s.ofChild(x) || s.of[asked] != nil && s.of[asked].child
	return x
}

// ofChild reports whether another thread of the same session of the server is a child's.
func (s *session) ofChild(x *thread) bool {
	for _, o := range s.of {
		if o.child && o.session == x.session && x.session != "" {
			return true
		}
	}
	return false
}

// sessionOf returns what a value says about its session, "" for nothing.
func sessionOf(value string) string {
	return strings.TrimSpace(decodePayload(value).Session + " " + decodePayload(value).Agent)
}
