package relay

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/ruleset"
	"wsi/internal/rawjson"
	"wsi/relay/wire"
)

// proxy is what passes between a client and a server. Messages of the client come to fromClient, those of
// the server to fromServer, which may be called by two goroutines at once, the latter by several. Nothing
// that waits for one side holds up what the other one says.
type proxy struct {
	engine   *engine
	identity *identity // of fromClient's goroutine alone
	schema   string
	patience time.Duration // how long a call is held

	client, server *messageWriter

	mu    sync.Mutex
	calls map[string]*call // by wire.Key of the id, as long as an answer may come
	late  []string         // of cancelled calls, the oldest first
	queue queue

	passing map[string]bool // requests whose answer is not looked into, by wire.Key of the id, until it comes

	work chan struct{} // there is something in todo
	todo []func()
	over bool // nothing is done any more
}

// call is a request whose answer is looked into.
type call struct {
	toolCall
	list  bool // tools/list
	rules inForce
	raw   []byte // the message, while it waits
	reply []byte // its id, as the client wrote it
	lanes []string
	waits bool // in them
	stage stage
	since time.Time // it runs
	tell  string    // for the model, beside the result
	timer *time.Timer
}

type stage int

// A call is held, or about to be made, before it runs. One that was cancelled while it ran may be answered
// all the same.
const (
	held stage = iota
	sending
	running
	cancelled
	dropped
)

const (
	maxLate  = 1024
	maxCalls = 1 << 16
)

// patience is how long a call is held: OpenCode 1.18.33 gives one up after 30 s.
var patience = 25 * time.Second

func newTraffic(e *engine, i *identity, schema string, client, server *messageWriter) *proxy {
	return &proxy{
		engine: e, identity: i, schema: schema, patience: patience, client: client, server: server,
		calls: map[string]*call{}, passing: map[string]bool{}, work: make(chan struct{}, 1),
	}
}

// fromClient passes a message on to the server, once it is time.
func (t *proxy) fromClient(line []byte) error {
	m, ok := wire.Parse(line)
	if ok {
		switch {
		case m.Method == "tools/call" && m.ID != nil:
			return t.toolCall(m)
		case m.Method == "tools/list" && m.ID != nil:
			id := wire.Key(m.ID)
			t.track(id, &call{toolCall: toolCall{id: id}, list: true, stage: running})
		case m.Method == "notifications/cancelled":
			if t.cancel(m) {
				return nil
			}
		case m.Request():
			t.passes(m)
		}
	}
	return t.server.write(line)
}

// passes expects the answer to a request that is not looked into, only to know that it has come.
func (t *proxy) passes(m wire.Message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.passing) < maxCalls {
		t.passing[wire.Key(m.ID)] = true
	}
}

// track expects the answer to a request. It is false for an id that is in use.
func (t *proxy) track(id string, c *call) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if other := t.calls[id]; other != nil && other.stage != cancelled || len(t.calls) >= maxCalls {
		return false
	}
	t.calls[id] = c
	return true
}

// toolCall makes a call, or holds it until the one before it is answered.
func (t *proxy) toolCall(m wire.Message) error {
	params, err := rawjson.Object(m.Params.Value)
	tool := params.String("name")
	args := arguments(params)
	r := t.engine.rules()
	if err != nil || tool == "" || !r.concern(tool) && !t.identity.marks() {
		t.passes(m)
		return t.server.write(m.Raw)
	}
	start := time.Now()
	whose, args, err := t.identity.of(params.Get("_meta"), args) // which are marked whatever the tool is
	if t.engine.leaves(r, tool) || !r.concern(tool) {
		t.passes(m)
		return t.server.write(withArguments(m, args))
	}
	c := &call{toolCall: toolCall{owner: whose, id: wire.Key(m.ID), tool: tool}, rules: r, stage: sending, reply: bytes.Clone(m.ID)}
	if !whose.known() {
		t.engine.note(harnesses.Inject, c.toolCall, carry.Decision{Action: carry.Left, Why: whose.why}, "", err, start, 0)
		t.passes(m)
		return t.server.write(withArguments(m, args))
	}
	c.args = args
	c.lanes = t.lanes(c)
	if !t.track(c.id, c) {
		t.passes(m)
		return t.server.write(withArguments(m, args))
	}
	if t.hold(c, m) {
		return nil
	}
	return t.send(c, m)
}

// lanes names the calls that must be made one after the other.
func (t *proxy) lanes(c *call) (all []string) {
	for _, s := range t.engine.shelves(c.rules, c.owner) {
		known := sync.OnceValue(func() carry.State {
			state, _ := t.engine.vault.Load(s.Harness, s.Session) // of what is not known, all wait for each other
			return state
		})
		for i := range s.Rules {
			for _, lane := range s.Rules[i].Lanes(ruleset.Caller(&s.Rules[i], c.owner.session, c.carried()), known) {
				all = append(all, s.Session+"\x00"+lane)
			}
		}
	}
	return all
}

// hold is false for a call that can be made at once.
func (t *proxy) hold(c *call, m wire.Message) bool {
	if c.lanes == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.queue.overdue(c, t.patience) {
		c.lanes, c.alone = nil, true
		return false
	}
	c.raw = m.Raw
	now, waits := t.queue.enter(c)
	c.raw = nil
	if !waits {
		if !now { // there is no room
			c.lanes, c.alone = nil, true
		}
		return false
	}
	c.raw, c.stage = bytes.Clone(m.Raw), held
	c.args = nil // they are part of it
	c.timer = time.AfterFunc(t.patience, func() { t.overdue(c) })
	return true
}

// overdue has a call made that has waited too long: whoever waits for it is not to wait for ever.
func (t *proxy) overdue(c *call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.stage != held {
		return
	}
	t.turn(t.leave(c))
	c.alone = true
	t.turn([]*call{c})
}

// turn has held calls made. t.mu is locked.
func (t *proxy) turn(all []*call) {
	for _, c := range all {
		t.one(c)
	}
}

func (t *proxy) one(c *call) {
	c.timer.Stop()
	c.stage = sending
	t.do(func() {
		m, _ := wire.Parse(c.raw) // it was one
		params, _ := rawjson.Object(m.Params.Value)
		c.args = arguments(params)
		c.args = t.identity.unmark(c.args)
		c.raw = nil
		_ = t.send(c, m) // a server that is gone is noticed elsewhere
	})
}

// send makes a call with the arguments that the rules want for it.
func (t *proxy) send(c *call, m wire.Message) error {
	start := time.Now()
	d, stores, err := t.engine.before(c.rules, c.toolCall)
	if !stores && !t.opens(c) { // nobody has to wait for it
		t.release(c)
	}
	switch {
	case d.Action == carry.Denied:
		t.deny(c, d.Why)
		t.engine.note(harnesses.Inject, c.toolCall, d, "", err, start, time.Since(start))
		return nil
	case d.Changes():
		c.args = d.Change.Args
	case d.ModelNotice != "":
		c.tell = d.ModelNotice
	}
	line := withArguments(m, c.args)
	took := time.Since(start)
	if !d.Changes() {
		c.args = bytes.Clone(c.args) // the line is its reader's
	}
	gone := t.make(c, line)
	t.engine.note(harnesses.Inject, c.toolCall, d, "", err, start, took)
	return gone
}

// opens tells whether a call's result begins a chain.
func (t *proxy) opens(c *call) bool {
	return slices.ContainsFunc(t.engine.shelves(c.rules, c.owner), func(s ruleset.Set) bool {
		return slices.ContainsFunc(s.Rules, func(r carry.Rule) bool { return r.Note(c.carried()).Opens })
	})
}

// make writes a call, unless it was cancelled meanwhile. What is cancelled from here on, the server hears of
// later.
func (t *proxy) make(c *call, line []byte) error {
	t.server.mu.Lock()
	defer t.server.mu.Unlock()
	t.mu.Lock()
	gone := c.stage == dropped
	if !gone {
		c.stage, c.since = running, time.Now()
	}
	t.mu.Unlock()
	if gone {
		return nil
	}
	return t.server.put(line)
}

// deny answers a call in the server's stead.
func (t *proxy) deny(c *call, why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.stage == dropped {
		return
	}
	t.forget(c)
	t.do(func() { _ = t.client.write(refusal(c.reply, why)) }) // a client that is gone is noticed elsewhere
}

// arguments are those of a call: some clients write none as null, or leave them out.
func arguments(params rawjson.Members) []byte {
	if args := params.Get("arguments"); args != nil && string(args) != "null" {
		return args
	}
	return []byte(`{}`)
}

// withArguments returns the call's message with these arguments.
func withArguments(m wire.Message, args []byte) []byte {
	params, err := rawjson.Object(m.Params.Value)
	if err != nil {
		return m.Raw
	}
	if bytes.Equal(arguments(params), args) {
		return m.Raw
	}
	return m.Splice(m.Params, wire.Set(m.Params.Value, params, "arguments", args))
}

// cancel takes note that a call is not waited for any longer. It is true if the server has not heard of the
// call and must not: OpenCode and Claude Code also cancel calls that are answered, which is no business of
// the queue's.
func (t *proxy) cancel(m wire.Message) bool {
	params, err := rawjson.Object(m.Params.Value)
	if err != nil {
		return false
	}
	id := wire.Key(params.Get("requestId"))
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.passing, id)
	c := t.calls[id]
	if c == nil || c.list {
		return false
	}
	switch c.stage {
	case held, sending:
		if c.timer != nil {
			c.timer.Stop()
		}
		t.forget(c)
		c.stage = dropped
		return true
	case running:
		t.giveUp(c)
	case cancelled, dropped:
	}
	return false
}

// giveUp has nobody wait for a call that runs. It may be answered all the same. t.mu is locked.
func (t *proxy) giveUp(c *call) {
	c.stage = cancelled
	t.turn(t.leave(c))
	t.late = append(t.late, c.id)
	if len(t.late) > maxLate {
		if old := t.calls[t.late[0]]; old != nil && old.stage == cancelled {
			delete(t.calls, t.late[0])
		}
		t.late = t.late[1:]
	}
}

// forget expects no answer any more, and gives way to the next call. t.mu is locked.
func (t *proxy) forget(c *call) {
	if t.calls[c.id] == c {
		delete(t.calls, c.id)
	}
	t.turn(t.leave(c))
}

// leave takes a call out of its lanes. t.mu is locked.
func (t *proxy) leave(c *call) (next []*call) {
	next = t.queue.leave(c)
	c.lanes = nil
	return next
}

// release lets the next call of a lane be made.
func (t *proxy) release(c *call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turn(t.leave(c))
}

// do has something done by perform, in turn. t.mu is locked.
func (t *proxy) do(what func()) {
	if t.over {
		return
	}
	t.todo = append(t.todo, what)
	select {
	case t.work <- struct{}{}:
	default:
	}
}

// perform does what has to be done neither while the client's messages are read nor while the server's are.
// It returns after end.
func (t *proxy) perform() {
	for range t.work {
		for {
			t.mu.Lock()
			if len(t.todo) == 0 {
				t.mu.Unlock()
				break
			}
			what := t.todo[0]
			t.todo = t.todo[1:]
			t.mu.Unlock()
			what()
		}
	}
}

// end has perform return, once it has done what it is at.
func (t *proxy) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over, t.todo = true, nil
	close(t.work)
}
