package replay

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/hook/handles"
)

// Limits of a session, beyond which the oldest are forgotten.
const (
	maxPending  = 1024 // calls that have not returned
	maxPassed   = 4000 // ids
	maxMemories = 64   // servers
	maxMessages = 4096
)

// session is one session of an agent.
type session struct {
	of       *Replay
	words    words
	memories map[string]*handles.Memory // by server
	calls    int                        // that returned
	pending  map[string]*call           // by id
	asked    []string                   // the ids of pending, in the order of the calls
	passed   map[string]*passed         // by id
	hint     *hint                      // the last one, until it turns out right or wrong
	counts   bool                       // it is among the sessions that are counted

	newest   int                       // the number of the last message
	messages map[string]int            // the numbers of messages by their names
	quoted   map[string][]handles.Seen // the arguments of calls that failed, by the call's id
}

// call is a call that has not returned.
type call struct {
	server, tool string
	args         []handles.Seen
	counts       Counts // of its arguments
	unseen       bool   // it passed an id that was not seen before
	hint         string // what the model would read if the call failed
	field        string // that the hint is about
	isNew        bool
	message      int // its number
}

// passed is an id that a call has passed.
type passed struct {
	server  string
	message int // the number of the last message that had it
}

// hint is one that would have been given.
type hint struct {
	server, field, text string
	counts              *Counts
}

func newSession(of *Replay) *session {
	return &session{
		of: of, words: words{seed: of.seed, all: map[uint64]struct{}{}, left: &of.left}, memories: map[string]*handles.Memory{},
		pending: map[string]*call{}, passed: map[string]*passed{}, messages: map[string]int{}, quoted: map[string][]handles.Seen{},
	}
}

func (s *session) step(step harnesses.Step) {
	number := s.number(step.Message)
	if len(s.passed) > 0 && step.Kind != harnesses.Summarized {
		s.mark(number, step.Texts...)
		s.mark(number, step.Args)
	}
	switch step.Kind {
	case harnesses.Told:
		s.read(step.Texts...)
	case harnesses.Said: // what the model wrote itself does not count as seen
	case harnesses.Called:
		s.called(step, number)
	case harnesses.Returned:
		s.returned(step, number)
	case harnesses.Summarized:
		s.compacted(step)
		s.read(step.Texts...)
	}
}

func (s *session) read(texts ...[]byte) {
	for _, text := range texts {
		s.words.add(text)
	}
}

// number numbers the messages from 1 on; 0 is a message without a name.
func (s *session) number(message string) int {
	if n, ok := s.messages[message]; ok || message == "" {
		return n
	}
	s.newest++
	s.messages[message] = s.newest
	if len(s.messages) > maxMessages {
		maps.DeleteFunc(s.messages, func(_ string, n int) bool { return n <= s.newest-maxMessages/2 })
	}
	return s.newest
}

// kept returns whether a message stays word for word when the session is compacted.
func (s *session) kept(step harnesses.Step) func(message int) bool {
	numbers := map[int]bool{}
	for _, name := range step.Kept {
		numbers[s.messages[name]] = true
	}
	since := s.messages[step.KeptSince]
	return func(message int) bool { return message > 0 && (numbers[message] || since > 0 && message >= since) }
}

// mark notes that a message has the passed ids that are in its texts.
func (s *session) mark(message int, texts ...[]byte) {
	for _, text := range texts {
		each(text, func(word []byte) {
			if p := s.passed[string(word)]; p != nil {
				p.message = message
			}
		})
	}
}

// called classifies the arguments of a call. A call is recorded twice where the first record does not name the
// server as it is registered.
func (s *session) called(step harnesses.Step, message int) {
	if c := s.pending[step.ID]; c != nil {
		c.server, c.tool = step.Server, step.Tool
		return
	}
	c := &call{server: step.Server, tool: step.Tool, args: handles.InArguments(step.Args, nil), isNew: s.of.isNew("call ", step.ID), message: message}
	s.judge(c)
	s.follow(c)
	if step.ID == "" { // its result cannot be found
		s.settle(c)
		return
	}
	if len(s.asked) == maxPending {
		s.settle(s.pending[s.asked[0]])
		delete(s.pending, s.asked[0])
		s.asked = s.asked[1:]
	}
	s.pending[step.ID] = c
	s.asked = append(s.asked, step.ID)
}

// judge classifies the arguments, and finds the hint that the call would get.
func (s *session) judge(c *call) {
	memory := s.memory(c.server)
	for _, arg := range c.args {
		seen := s.words.has(arg.ID)
		var damage handles.Damage
		if !seen {
			damage = memory.Meant(arg)
			if c.hint == "" {
				c.hint, c.field = memory.Hint(s.calls+1, c.server, []handles.Seen{arg}, s.words.has), arg.Field
			}
		}
		if arg.Shape == (handles.Shape{}) && damage == 0 {
			continue
		}
		c.counts.Typed++
		c.unseen = c.unseen || !seen
		switch {
		case seen:
			c.counts.Exact++
		case damage == handles.Near:
			c.counts.Near++
		case damage == handles.Cut:
			c.counts.Cut++
		case damage == handles.Rounded:
			c.counts.Rounded++
		case s.words.forgot:
			c.counts.Unknown++
		default:
			c.counts.Invented++
		}
	}
}

// follow finds out whether the last hint was right, once a call passes an id where the mistyped one was.
func (s *session) follow(c *call) {
	h := s.hint
	if h == nil || h.server != c.server {
		return
	}
	for _, arg := range c.args {
		if arg.Field != h.field || !s.words.has(arg.ID) {
			continue
		}
		if slices.Contains(strings.Fields(h.text), arg.ID) {
			h.counts.Right++
		} else {
			h.counts.Wrong++
		}
		s.hint = nil
		return
	}
}

func (s *session) returned(step harnesses.Step, message int) {
	c := s.pending[step.ID]
	if c == nil {
		s.quote(step.Texts, s.quoted[step.ID])
		return
	}
	delete(s.pending, step.ID)
	s.asked = slices.DeleteFunc(s.asked, func(id string) bool { return id == step.ID })
	counts := s.settle(c)
	s.calls++
	if step.Result.Error {
		s.failed(c, counts, step)
		return
	}
	texts := make([][]byte, 0, len(step.Result.Blocks))
	for _, b := range step.Result.Blocks {
		texts = append(texts, b.Text)
	}
	memory := s.memory(c.server)
	memory.Call(s.calls, c.tool, c.args, handles.InResult(step.Result.Structured, texts, nil))
	for _, arg := range c.args {
		if arg.Shape == (handles.Shape{}) {
			continue
		}
		s.words.one([]byte(arg.ID))
		if p := s.passed[arg.ID]; p != nil {
			p.message = c.message
		} else if len(s.passed) < maxPassed {
			s.passed[arg.ID] = &passed{server: c.server, message: c.message}
		}
	}
	s.mark(message, step.Texts...)
	s.read(step.Texts...)
	s.read(step.Result.Structured)
}

// failed reads an error, except for the arguments that it quotes.
func (s *session) failed(c *call, counts *Counts, step harnesses.Step) {
	counts.Failed++
	if c.unseen {
		counts.FailedOver++
	}
	if c.hint != "" {
		counts.Hints++
		s.hint = &hint{server: c.server, field: c.field, text: c.hint, counts: counts}
	}
	if len(s.quoted) == maxPending {
		clear(s.quoted)
	}
	s.quoted[step.ID] = c.args // it may be recorded again
	s.quote(step.Texts, c.args)
}

// quote reads texts, except for what they quote of a call's arguments.
func (s *session) quote(texts [][]byte, args []handles.Seen) {
	if len(args) == 0 {
		s.read(texts...)
		return
	}
	for _, text := range texts {
		each(text, func(word []byte) {
			if !slices.ContainsFunc(args, func(arg handles.Seen) bool { return arg.ID == string(word) }) {
				s.words.one(word)
			}
		})
	}
}

// settle counts a call, and returns the counts of its server. If it was counted before, they go nowhere.
func (s *session) settle(c *call) *Counts {
	if !c.isNew {
		return &Counts{}
	}
	if !s.counts {
		s.counts = true
		s.of.Sessions++
	}
	counts := s.of.server(c.server)
	counts.Calls++
	counts.Add(c.counts)
	return counts
}

// compacted counts the passed ids that a compaction has taken from the model.
func (s *session) compacted(step harnesses.Step) {
	isNew := s.of.isNew("compaction ", step.Message)
	if isNew {
		s.of.Compactions++
	}
	if step.Texts == nil {
		if isNew {
			s.of.Unreadable++
		}
		return
	}
	servers := make([]handles.Server, 0, len(s.memories))
	for _, name := range slices.Sorted(maps.Keys(s.memories)) {
		servers = append(servers, handles.Server{Name: name, Memory: s.memories[name]})
	}
	list := handles.List(servers)
	if isNew && list != "" {
		s.of.Lists++
	}
	kept := s.kept(step)
	for id, p := range s.passed {
		counts := &Counts{}
		if isNew {
			counts = s.of.server(p.server)
		}
		counts.Passed++
		if kept(p.message) || slices.ContainsFunc(step.Texts, func(text []byte) bool { return bytes.Contains(text, []byte(id)) }) {
			continue
		}
		counts.Gone++
		if strings.Contains(list, id) {
			counts.OnList++
		}
		delete(s.passed, id)
	}
}

// memory returns what is known of a server.
func (s *session) memory(server string) *handles.Memory {
	m := s.memories[server]
	if m == nil {
		m = new(handles.Memory)
		if len(s.memories) < maxMemories {
			s.memories[server] = m
		}
	}
	return m
}

// end counts the calls that never returned.
func (s *session) end() {
	for _, id := range s.asked {
		s.settle(s.pending[id])
	}
}
