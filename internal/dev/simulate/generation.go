package main

import (
	"time"

	"wsi/internal/testkit/fakeserver"
)

// generation is a generation of the workflow-server, with what its models do and what is right there.
type generation interface {
	// server returns the server of a world, started again.
	server(w *world) fakeserver.Server
	// argument is the argument that names the session.
	argument() string
	// choose returns the calls that an agent makes at the same time.
	choose(a *agent) []*call
	// check compares what the harness sends with what the model typed, and with what is right.
	check(c *call, a answer)
	// read returns the value in a result. replaced: the server began a new session instead of the one that was named.
	read(result []byte) (value string, failed, replaced bool)
	// observe tells the oracle of a result. seen is false if no hook saw it.
	observe(c *call, value string, failed, seen bool)
	// shown reports whether models read the value in a tool's result.
	shown(tool string) bool
	// elsewhere returns a good value that no hook has seen.
	elsewhere(w *world) string
}

// tokens is the generation up to 2026-05-17: a signed token that changes with every answer.
type tokens struct{}

func (tokens) server(w *world) fakeserver.Server {
	server := fakeserver.NewWorkflow(w.key, func() time.Time { return w.now })
	server.Random = w.ids
	return server
}

func (tokens) argument() string                               { return "session_token" }
func (tokens) choose(a *agent) []*call                        { return a.choose() }
func (tokens) check(c *call, a answer)                        { c.check(a) }
func (tokens) read(result []byte) (string, bool, bool)        { return readResult(result) }
func (tokens) observe(c *call, value string, failed, ok bool) { c.a.observe(c, value, failed, ok) }
func (tokens) shown(tool string) bool                         { return tool != "resume_checkpoint" }
func (tokens) elsewhere(w *world) string                      { return w.elsewhere() }

func (s *session) knownIndex(value string, seen bool) {
	s.indexes[value] = s.indexes[value] || seen
}
